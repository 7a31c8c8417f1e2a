"""`./desk demo`: the real parts under one supervisor, two seeded tenants, and where to click."""

import argparse
import json
import os
import socket
import sys
import time
import webbrowser
from collections.abc import Mapping, Sequence
from pathlib import Path

from devstack import ROOT, environment, lock, panel, process, programs
from devstack.process import Program, StackError
from devstack.services import Services, make_data_folder
from devstack.supervisor import Supervisor, say

DEFAULT_DATA = ROOT / "var" / "demo"
HOST = "127.0.0.1"
PORTS_TO_TRY = 50
PATIENCE = 10.0  # seconds that a killed predecessor's servers may take to end


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until Ctrl-C; the exit code is 1 when something essential ended by itself."""
    options = _parser().parse_args(arguments)
    supervisor = Supervisor()
    supervisor.listen()
    try:
        data = make_data_folder(options.data)
        environment.keep_private()
        return Demo(data, options.port, supervisor).run(open_browser=not options.no_open)
    except StackError as error:
        say("desk", str(error))
        return 1


class Demo:
    """One run of the demo on one data folder."""

    def __init__(self, data: Path, port: int, supervisor: Supervisor) -> None:
        self.data = data
        self.lock = lock.take(data, wait=PATIENCE)
        self.about = data / "demo.json"
        self.supervisor = supervisor
        self.port = free_port(port)
        self.url = f"http://{HOST}:{self.port}/"

    def run(self, *, open_browser: bool) -> int:
        self.about.unlink(missing_ok=True)
        lock.write(self.data, kind="demo", url=self.url)
        services = Services(self.data, lock_fd=self.lock)
        try:
            self._start(services)
            self._announce(open_browser=open_browser)
            return self.supervisor.run()
        except Interrupted:
            return 0
        finally:
            self.supervisor.stop()
            services.forget()
            self.about.unlink(missing_ok=True)

    def _start(self, services: Services) -> None:
        services.start(self.supervisor.start)
        env = environment.for_demo(self.data, services.urls)
        env["TURNSTONE_PUBLIC_URL"] = self.url
        lock.write(self.data, kind="demo", url=self.url, env=env)
        self._manage(environment.as_owner(env), "migrate", "--verbosity=0")
        self._seed(env)
        web = programs.web(env, self.port)
        server = self.supervisor.start(web)
        for kind in programs.WORKERS:
            self.supervisor.start(programs.worker(env, kind))
        self.supervisor.start(programs.beat(env, self.data))
        process.wait_until(self._answers, server, web)
        children = [child.process.pid for child in self.supervisor.children]
        lock.write(self.data, kind="demo", url=self.url, env=env, children=children)

    def _manage(self, env: Mapping[str, str], *command: str) -> None:
        program = Program("desk", [sys.executable, "manage.py", *command], env=env)
        child = process.spawn(program)
        while child.poll() is None:
            if self.supervisor.signals:
                process.stop(child, program)
                raise Interrupted
            time.sleep(0.02)
        if child.returncode:
            raise StackError(f"manage.py {command[0]} failed; what it says stands above.")

    def _seed(self, env: Mapping[str, str]) -> None:
        draft = self._draft()
        self._manage(env, "seed_demo", "--url", self.url, "--out", str(draft))

    def _draft(self) -> Path:
        """Where the seed writes: demo.json itself appears only when all it says is true."""
        draft = self.data / "demo.json.new"
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600)
        return draft

    def _answers(self) -> bool:
        if self.supervisor.signals:
            raise Interrupted
        return programs.answers(self.url)

    def _announce(self, *, open_browser: bool) -> None:
        draft = self.data / "demo.json.new"
        about = json.loads(draft.read_text())
        draft.rename(self.about)
        print(panel.render(about), flush=True)
        if open_browser and sys.stdout.isatty() and _has_screen():
            webbrowser.open(self.url)


class Interrupted(Exception):
    """Ctrl-C before all was up."""


def _has_screen() -> bool:
    """Without one, a browser of text would take over the terminal."""
    return sys.platform == "darwin" or bool({"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys())


def free_port(wanted: int) -> int:
    """The wanted port or the next free one, and a word about it."""
    for port in range(wanted, min(wanted + PORTS_TO_TRY, 65536)):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as uvicorn will
            try:
                probe.bind((HOST, port))
            except PermissionError as error:
                raise StackError(f"Port {port} needs more rights; take one above 1024.") from error
            except OSError:
                continue
        if port != wanted:
            say("desk", f"port {wanted} is taken, using {port}")
        return port
    raise StackError(f"No free port from {wanted} on; choose another with --port.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="./desk demo", description="Run the demo.")
    parser.add_argument("--port", type=_port, default=8000, metavar="N", help="default: 8000")
    default = os.environ.get("TURNSTONE_DATA") or DEFAULT_DATA
    parser.add_argument(
        "--data", type=Path, default=default, metavar="DIR", help="default: var/demo"
    )
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")
    return parser


def _port(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; give a number from 1 to 65535")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
