"""A claimed turn, carried on by another process."""

import dataclasses
import json
import os
import subprocess
import sys

from agents.services.contract import ClaimedTurn


def answered_elsewhere(claimed: ClaimedTurn) -> list[list[str]]:
    """Role and text of each message that the model saw there."""
    values = {
        key: value if isinstance(value, int | float) else str(value)
        for key, value in dataclasses.asdict(claimed).items()
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.agents.resume_elsewhere", json.dumps(values)],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings_test"},
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    shown: list[list[str]] = json.loads(done.stdout)
    return shown
