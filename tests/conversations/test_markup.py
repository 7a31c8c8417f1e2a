"""Words become safe HTML: nothing runs, nothing is fetched, and only named hosts are linked."""

import re
import sys

import pytest

from conversations.markup import to_html

INERT = [
    "<script>alert(1)</script>",
    "<svg onload=alert(1)>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:x)",
    "![x](https://evil.example/p.png?secret)",
    "![x][r]\n\n[r]: https://evil.example/p.png?secret",
    "[![x](https://evil.example/p.png)](https://evil.example)",
    "<style>@import 'https://evil.example'</style>",
    "<a href='https://evil.example' onclick='x()'>x</a>",
    "[x](https://evil.example \"title' onmouseover='x()\")",
    "`<script>`",
    "```\n<script>\n```",
    "<iframe src=https://evil.example>",
    '<https://evil.example/"onmouseover=x>',
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
]
ALLOWED = re.compile(
    r"</?(?:blockquote|br|code|del|em|h[1-6]|hr|li|ol|p|pre|s|strong|table|tbody|td|th|thead|tr|ul)>"
    r'|<a href="(?:https:|mailto:)[^"<>]*" target="_blank" rel="noopener noreferrer nofollow ugc">'
    r'|</a>|<ol start="\d+">'
)


@pytest.mark.parametrize("text", INERT)
@pytest.mark.parametrize("hosts", [None, [], ["docs.example.com"]])
def test_nothing_runs_and_nothing_is_fetched(text, hosts):
    html = to_html(text, link_hosts=hosts)

    assert "<" not in ALLOWED.sub("", html)


def test_plain_markdown_is_rendered():
    assert to_html("**a** _b_ ~~c~~\n\n- d") == (
        "<p><strong>a</strong> <em>b</em> <s>c</s></p>\n<ul>\n<li>d</li>\n</ul>\n"
    )


def test_bare_addresses_become_links_without_the_full_stop():
    assert 'href="https://a.example/b?c=1"' in to_html("See https://a.example/b?c=1.")
    assert "<a" not in to_html("See http://a.example and https://u@a.example")


@pytest.mark.parametrize(
    "text",
    ["[x](https://evil.example/?q=1)", "<https://evil.example>", "https://evil.example",
     "[x][r]\n\n[r]: https://evil.example", "[m](mailto:a@evil.example)",
     "[x](https://docs.example.com.evil.example)", "[x](https://docs.example.com@evil.example)"],
)  # fmt: skip
def test_a_model_links_only_to_the_tenants_hosts(text):
    assert "<a" not in to_html(text, link_hosts=["docs.example.com"])
    assert "evil.example" in to_html(text, link_hosts=["docs.example.com"])


def test_a_model_may_link_to_a_named_host():
    html = to_html("[guide](https://docs.example.com/a)", link_hosts=["docs.example.com"])

    assert 'href="https://docs.example.com/a"' in html


@pytest.mark.parametrize(
    "unit", ["[", "*a ", "![[", "`", "> ", "- ", "[a](", "_*", "<a", "\\", "|a", "~~", "x\n", "&#"]
)
def test_the_work_on_text_of_little_but_marks_grows_with_its_length(unit):
    half, whole = (lines_run(unit, length) for length in (5_000, 10_000))

    assert whole < 2.6 * half, "twice the text may take twice the work, and not four times"


def lines_run(unit, length):
    """How many lines of Python it takes to show so much of it: the same on every machine."""
    text = (unit * length)[:length]
    count = 0

    def trace(_frame, event, _argument):
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        to_html(text)
    finally:
        sys.settrace(None)
    return count
