"""The seeded demo on a real stack, and the people who look at it."""

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Browser, BrowserContext, FrameLocator, Locator, Page, expect

from tenants.models import Member, Tenant
from tenants.scoping import tenant_scope
from tests.support.browser import SLOW
from tests.support.stack import Stack

LUMEN, TIDEWATER = "lumen", "tidewater"


@dataclass
class World:
    """Where the desk is, and what `demo.json` would say of its two tenants."""

    stack: Stack
    tenants: dict[str, dict[str, Any]]
    websites: str

    @property
    def url(self) -> str:
        return self.stack.url

    def scope(self, slug: str):
        return tenant_scope(Tenant.objects.get(slug=slug).id)

    def login_of(self, name: str, slug: str) -> tuple[str, str]:
        people = self.tenants[slug]["members"]
        found = next(one for one in people if one["email"].startswith(f"{name}@"))
        return found["email"], found["password"]

    def member(self, name: str) -> Member:
        """Inside the tenant's scope."""
        return Member.objects.select_related("user").get(user__email__startswith=f"{name}@")


@dataclass
class Chat:
    """The widget on a page of a website."""

    page: Page

    @property
    def frame(self) -> FrameLocator:
        return self.page.frame_locator("iframe")

    @property
    def document(self) -> Any:
        """The frame itself, to evaluate in."""
        return next(frame for frame in self.page.frames if "/widget/frame" in frame.url)

    def open(self) -> "Chat":
        self.page.locator("button.launch").click()
        return self

    def begin(self) -> "Chat":
        """Open, and start a conversation."""
        self.open().frame.locator("#primary").click()
        return self

    def say(self, text: str) -> None:
        self.words.fill(text)
        self.words.press("Enter")

    @property
    def words(self) -> Locator:
        return self.frame.locator("#words")

    def bubble(self, text: str | re.Pattern[str]) -> Locator:
        return self.frame.locator(".log .bubble", has_text=text)

    def event(self, text: str) -> Locator:
        return self.frame.locator(".log .event", has_text=text)

    def answers(self) -> Locator:
        return self.frame.locator(".log .row--agent .bubble")

    def strip(self) -> Locator:
        return self.frame.locator("#strip-words")


# What Chromium says by itself when a request fails that a test makes fail.
_NETWORK = re.compile(r"net::ERR_|Failed to load resource: the server responded with a status of")

# And htmx, when a later click has replaced a request; one that fails says `sendError` as well.
_REPLACED = re.compile(r"htmx:(afterRequest|sendAbort), ")


@dataclass
class Visits:
    """Browser contexts of one test; remembers what any page complained about."""

    world: World
    browser: Browser
    contexts: list[BrowserContext] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    network_fails: bool = False

    def context(self, **options: Any) -> BrowserContext:
        context = self.browser.new_context(**{"locale": "en-GB", **options})
        context.set_default_timeout(SLOW)
        context.on("console", lambda line: self._heard(line.type, line.text))
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.on("request", lambda request: self.requests.append(request.url))
        self.contexts.append(context)
        return context

    def shop(self, context: BrowserContext | None = None, **options: Any) -> Chat:
        """The demo shop's own page."""
        page = (context or self.context(**options)).new_page()
        page.goto(f"{self.world.url}/demo/shop/")
        return Chat(page)

    def website(self, slug: str, context: BrowserContext | None = None, **data: str) -> Chat:
        """A page of somebody else's website that embeds the tenant's widget."""
        page = (context or self.context()).new_page()
        settings = {"key": self.world.tenants[slug]["widget_key"], **data}
        page.goto(f"{self.world.websites}/?{urlencode(settings)}")
        return Chat(page)

    def desk(self, name: str, slug: str = LUMEN, **options: Any) -> Page:
        """The web admin, entered through the login page."""
        page = self.context(**options).new_page()
        email, password = self.world.login_of(name, slug)
        page.goto(f"{self.world.url}/login/")
        page.get_by_label("E-mail").fill(email)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"**/t/{slug}/**")
        return page

    def close(self) -> None:
        for context in self.contexts:
            context.close()

    def _heard(self, kind: str, text: str) -> None:
        expected = _REPLACED.match(text) or (self.network_fails and _NETWORK.search(text))
        if kind in ("error", "warning") and not expected:
            self.complaints.append(text)


class Arrivals:
    """The talks of an inbox that show these words: other tests have left some, one more comes."""

    def __init__(self, page: Page, words: str = "") -> None:
        self.cards = page.locator("[data-card]", has_text=words)
        self.before = self.cards.count()

    def open_newest(self) -> None:
        """Wait until the inbox shows one more, which stands on top, and choose it."""
        expect(self.cards).to_have_count(self.before + 1)
        self.cards.first.click()
