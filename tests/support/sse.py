"""A reader of server-sent events over a real connection."""

import json
import threading
import time
from typing import Any, NamedTuple

import httpx


class Sent(NamedTuple):
    """One event as it came."""

    id: int | None
    event: str
    data: Any


class Reader:
    """Reads a stream in a thread of its own; `wait` fails the test when nothing comes in time."""

    def __init__(self, url: str, token: str, **headers: str) -> None:
        self.sent: list[Sent] = []
        self.ended = threading.Event()
        self.response: httpx.Response | None = None
        self._opened = threading.Event()
        self._headers = {"Authorization": f"Bearer {token}", **headers}
        self._client = httpx.Client(timeout=httpx.Timeout(60, connect=5))
        self._thread = threading.Thread(target=self._read, args=[url], daemon=True)

    def __enter__(self) -> "Reader":
        self._thread.start()
        assert self._opened.wait(10), "no answer"
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self.response is not None:
            self.response.close()
        self._client.close()

    def wait(self, condition, seconds: float = 6.0):
        """The events, as soon as the condition holds of them."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := condition(list(self.sent)):
                return found
            time.sleep(0.02)
        raise AssertionError(f"after {seconds} s: {self.sent}")

    def texts(self) -> list[str]:
        return [sent.data["text"] for sent in self.sent if sent.event == "message"]

    def _read(self, url: str) -> None:
        try:
            with self._client.stream("GET", url, headers=self._headers) as self.response:
                self._opened.set()
                self._collect(self.response)
        except (httpx.HTTPError, httpx.StreamError, OSError, RuntimeError, AttributeError):
            pass  # the test has closed it
        finally:
            self.ended.set()
            self._opened.set()

    def _collect(self, response: httpx.Response) -> None:
        fields: dict[str, str] = {}
        for line in response.iter_lines():
            name, _, value = line.partition(": ")
            if line:
                fields[name] = value
            elif "event" in fields:
                number = int(fields["id"]) if "id" in fields else None
                self.sent.append(Sent(number, fields["event"], json.loads(fields["data"])))
                fields = {}
