"""A real Chromium for the tests that are marked `browser`; loud when there is none.

Import `browser` and `page` into the conftest.py of the package that uses them.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SLOW = 10_000  # milliseconds that a page may take on a busy machine


def executable() -> str | None:
    """The system's browser, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


# Not for the session: its event loop would lie around for tests that start one of their own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for the package's tests."""
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        # Playwright's loop runs in this thread; Django would refuse the fixtures' queries for it.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        opened = playwright.chromium.launch(executable_path=executable(), args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a fresh profile: no cookie, no storage of an earlier test."""
    with browser.new_context(locale="en-GB") as context:
        context.set_default_timeout(SLOW)
        yield context.new_page()


class BrowserTests:
    """Plugin: no browser, no marked tests, and a red line; with CI set it is an error."""

    def __init__(self) -> None:
        self.left_out = 0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        marked = [item for item in items if item.get_closest_marker("browser")]
        if not marked or executable():
            return
        if os.environ.get("CI"):
            raise pytest.UsageError(f"{len(marked)} browser tests and no Chromium: install it.")
        self.left_out = len(marked)
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="no Chromium on this machine"))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.left_out:
            line = f"{self.left_out} BROWSER TESTS DID NOT RUN: apt install chromium"
            terminalreporter.write_line(line, red=True, bold=True)


def screenshot(page: Page, name: str) -> Path:
    """Keep what the page looks like in var/screenshots, to be looked at by a person."""
    folder = Path("var") / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.png"
    page.screenshot(path=path, full_page=True)
    return path
