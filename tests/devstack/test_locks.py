"""The locks install from anywhere, and are as new as pyproject.toml."""

import subprocess
import sys

import pytest

from devstack import ROOT, locks


def test_the_locks_hold_no_address_and_are_up_to_date():
    assert locks.faults() == []


def test_every_package_is_pinned_and_hashed():
    lines = locks.DEVELOPMENT.read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith((" ", "#"))]
    assert pins
    assert all("==" in pin and pin.endswith("\\") for pin in pins)


def test_the_test_lock_holds_all_of_the_runtime_lock():
    assert set(locks.RUNTIME.read_text().splitlines()) <= set(
        locks.DEVELOPMENT.read_text().splitlines()
    )


@pytest.mark.parametrize(("arguments", "code"), [(["help"], 0), ([], 0), (["dmeo"], 1)])
def test_the_desk_script_says_what_it_can(arguments, code):
    done = subprocess.run(
        [sys.executable, "desk", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert "./desk demo" in done.stdout
