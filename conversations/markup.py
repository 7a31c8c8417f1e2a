"""Words of customers, members and the agent as safe HTML. All of them are untrusted here.

Two walls: markdown without raw HTML, then an allow-list without images, so that nothing runs and
nothing is fetched. Links leave only by a click.
"""

import re
from collections.abc import Collection
from html import escape
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

# Longer text is shown as it is, and so is text of little but marks: the parser's time grows with
# the square of them (10,000 opening brackets take 0.3 s).
RENDER_LIMIT = 10_000
_MOST_BRACKETS, _MOST_MARKS = 200, 1000
_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li",
    "ol", "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_URL = re.compile(r"https://[^\s<>\"'`|\\^{}]+")
_TRAILING = ".,;:!?)]*_~"


def to_html(text: str, *, link_hosts: Collection[str] | None = None) -> str:
    """Safe HTML. With `link_hosts`, links elsewhere are shown as text: a model wrote them."""
    if len(text) > RENDER_LIMIT or _is_laborious(text):
        return f"<p>{escape(text).replace(chr(10), '<br>')}</p>"
    tokens = _markdown.parse(text)
    for token in tokens:
        if token.type == "inline":
            token.children = _checked(token.children or [], link_hosts)
    html = _markdown.renderer.render(tokens, _markdown.options, {})
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes={"*": set(), "a": {"href"}, "ol": {"start"}},
        url_schemes={"https", "mailto"},
        link_rel="noopener noreferrer nofollow ugc",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )


def _is_laborious(text: str) -> bool:
    return text.count("[") > _MOST_BRACKETS or sum(map(text.count, "*_~<`|")) > _MOST_MARKS


def may_link(url: str, link_hosts: Collection[str] | None) -> bool:
    """HTTPS or mail; for a model's links only to the named hosts."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    if parts.scheme == "mailto":
        return link_hosts is None
    if parts.scheme != "https" or not host or "@" in parts.netloc:
        return False
    return link_hosts is None or host in link_hosts


def _checked(children: list[Token], hosts: Collection[str] | None) -> list[Token]:
    """Images become their words, bare addresses links, and links that may not be become text."""
    checked: list[Token] = []
    inside: str | None = None  # the address of the open link that is shown as text
    linked = False
    for token in children:
        if token.type == "image":
            checked.append(_text(token.content or "image"))
        elif token.type == "link_open":
            address = str(token.attrGet("href") or "")
            linked = may_link(address, hosts)
            inside = None if linked else address
            checked += [token] if linked else []
        elif token.type == "link_close":
            shown = checked[-1].content if checked else ""
            if linked:
                checked.append(token)
            elif shown != inside:
                checked.append(_text(f" ({inside})"))
            linked, inside = False, None
        elif token.type == "text" and not linked and inside is None:
            checked += _with_links(token.content, hosts)
        else:
            checked.append(token)
    return checked


def _with_links(text: str, hosts: Collection[str] | None) -> list[Token]:
    tokens: list[Token] = []
    done = 0
    for match in _URL.finditer(text):
        address = match[0].rstrip(_TRAILING)
        if may_link(address, hosts):
            end = match.start() + len(address)
            tokens += [_text(text[done : match.start()]), *_link(address)]
            done = end
    return [*tokens, _text(text[done:])]


def _link(address: str) -> list[Token]:
    opening = Token("link_open", "a", 1, attrs={"href": address})
    return [opening, _text(address), Token("link_close", "a", -1)]


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


_markdown = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 20}).enable(
    ["table", "strikethrough"]
)
