"""What customers and models write runs nowhere and fetches nothing."""

import pytest
from playwright.sync_api import expect

from agents.services.endpoints import EndpointSettings, set_endpoint
from tests.browser.world import TIDEWATER
from tests.support.model_server import ModelServer, Reply

ELSEWHERE = "http://127.0.0.1:9/stolen"
PAYLOADS = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "<svg onload=window.hacked=1></svg>",
    "<iframe srcdoc='<script>parent.hacked=1</script>'></iframe>",
    f"![picture]({ELSEWHERE}/a.png)",
    f'<img src="{ELSEWHERE}/b.png">',
    "[click](javascript:window.hacked=1)",
    "<a href='java&#10;script:window.hacked=1'>click</a>",
    f"[reference][x]\n\n[x]: {ELSEWHERE}/c",
    f"<style>body {{ background: url({ELSEWHERE}/d) }}</style>",
    f"<link rel=stylesheet href={ELSEWHERE}/e.css>",
    "<details open ontoggle=window.hacked=1>x</details>",
    "<math><mtext></mtext><mglyph><style><img src=x onerror=window.hacked=1>",
    "`<img src=x onerror=window.hacked=1>` **bold**",
    f"<form action={ELSEWHERE}><button>Sign in again</button></form>",
    "{{ constructor.constructor('window.hacked=1')() }}",
]
CORPUS = "\n\n".join(PAYLOADS)
ACTIVE = ".bubble :is(script, img, svg, iframe, style, link, form, details)"


@pytest.fixture
def scripted(world):
    """Tidewater's agent says what we want; afterwards it is the offline one again."""
    with ModelServer(lambda _: Reply(text=CORPUS)) as server:
        with world.scope(TIDEWATER):
            settings = EndpointSettings(
                api="chat_completions", model="scripted", base_url=server.base_url
            )
            set_endpoint(settings, trusted=True)
        yield server
        with world.scope(TIDEWATER):
            set_endpoint(EndpointSettings(api="offline", model="offline"), trusted=True)


def assert_harmless(page):
    assert page.evaluate("window.hacked") is None
    assert page.evaluate(f"document.querySelectorAll('{ACTIVE}').length") == 0
    hrefs = page.evaluate("[...document.querySelectorAll('.bubble a')].map((a) => a.href)")
    assert not [href for href in hrefs if not href.startswith(("https:", "mailto:"))]


def test_payloads_of_customer_and_model_are_inert_everywhere(visits, scripted):
    chat = visits.website(TIDEWATER).begin()
    ravi = visits.desk("ravi", TIDEWATER)
    chat.say(CORPUS)
    expect(chat.answers()).to_have_count(1)
    expect(chat.bubble("constructor.constructor")).to_have_count(2)
    assert_harmless(chat.document)

    ravi.locator("[data-card]", has_text="window.hacked").first.click()
    expect(ravi.locator("#items .by-agent .bubble")).to_have_count(1)
    expect(ravi.locator("#turns .turn").first).to_be_visible()
    assert_harmless(ravi)

    ravi.reload()
    expect(ravi.locator("#items .bubble")).to_have_count(2)
    assert_harmless(ravi)
    assert len(scripted.requests) >= 1
    assert not [url for url in visits.requests if url.startswith(ELSEWHERE)]
