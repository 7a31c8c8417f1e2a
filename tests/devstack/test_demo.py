"""`./desk demo` and `./desk manage` as a person meets them."""

import json
import signal
import socket
import stat
import subprocess
import sys
import urllib.request

import pytest

from devstack import ROOT, demo, environment
from devstack.process import StackError
from tests.devstack.house import PATIENCE, read_until


def manage(house, *command):
    return subprocess.run(
        [sys.executable, "-m", "devstack.manage", "--data", str(house.data), *command],
        cwd=ROOT, env=house.environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_demo_from_nothing_to_nothing(house):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        running = house.demo("--port", str(port))
        said = read_until(running, "is ready")
    assert f"port {port} is taken, using" in said

    written = house.data / "demo.json"
    about = json.loads(written.read_text())
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    with urllib.request.urlopen(f"{about['url']}healthz") as answer:
        assert answer.status == 200

    second = house.demo()
    said, _ = second.communicate(timeout=PATIENCE)
    assert second.returncode == 1
    assert f"already running on {about['url']}" in said

    on_the_running = manage(house, "showmigrations", "--plan")
    assert on_the_running.returncode == 0
    assert "[ ]" not in on_the_running.stdout

    running.send_signal(signal.SIGINT)
    assert running.wait(PATIENCE) == 0
    assert house.left() == []
    assert not written.exists()

    on_the_stopped = manage(house, "migrate", "--check")
    assert on_the_stopped.returncode == 0, on_the_stopped.stderr
    assert house.left() == []


def test_a_port_that_is_no_port_is_refused(house):
    child = house.demo("--port", "70000")
    said, _ = child.communicate(timeout=PATIENCE)
    assert child.returncode == 2
    assert "give a number from 1 to 65535" in said


def test_a_data_folder_that_cannot_be_is_refused(house):
    file = house.data / "file"
    file.touch()
    child = house.start("devstack.demo", "--data", str(file / "below"))
    said, _ = child.communicate(timeout=PATIENCE)
    assert child.returncode == 1
    assert "Name another with --data" in said


def test_no_free_port_says_what_to_do():
    with pytest.raises(StackError, match="choose another with --port"):
        demo.free_port(65536)


def test_secrets_are_made_once_and_kept_private(data):
    first, second = (environment.for_demo(data, {}) for _ in range(2))
    assert first == second
    for name in ("secret_key", "encryption_key"):
        assert stat.S_IMODE((data / name).stat().st_mode) == 0o600
