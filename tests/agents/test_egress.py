"""The way out: only public addresses, the number that was checked, bounded answers."""

import asyncio

import httpx
import httpx2
import pytest

from agents.runtime.egress import AnswerTooLarge, Call, GuardedTransport, fetch
from tenants.addresses import AddressRefused, AddressRules, NameUnknown, check_url, is_public
from tenants.errors import DeskError
from tests.support.sites import Answers, Site, loopback
from tests.support.tls import certificate

PUBLIC = "93.184.216.34"


@pytest.mark.parametrize(
    "url",
    [
        "http://shop.example/",
        "gopher://shop.example/",
        "file:///etc/passwd",
        "https://shop.example:8443/",
        "https://shop.example:80/",
        "https://ann:secret@shop.example/",
        "https://shop.example@127.0.0.1/",
        "https://127.1/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0x7f.1/",
        "https://0177.0.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[fd00::1]/",
        "https://[fe80::1]/",
        "https://[64:ff9b::a9fe:a9fe]/",
        "https://[2002:7f00:1::]/",
        "https:///nowhere",
        "https://shop.example\\@127.0.0.1/",
        "https://shop.example/ x",
        "https://shop.example:99999/",
        "https://[::1/",
        "",
    ],
)
def test_an_address_that_is_refused_as_it_stands(url):
    with pytest.raises(AddressRefused):
        check_url(url)


@pytest.mark.parametrize(
    "url", ["https://shop.example/v1", "https://shop.example:443/", f"https://{PUBLIC}/"]
)
def test_an_address_that_may_be_tried(url):
    assert check_url(url).scheme == "https"


@pytest.mark.parametrize(
    ("address", "public"),
    [
        (PUBLIC, True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("10.1.2.3", False),
        ("100.64.0.1", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("0.0.0.1", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("::ffff:169.254.169.254", False),
        ("::127.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("2002:0a00:0001::", False),
        ("ff02::1", False),
        ("no address", False),
    ],
)
def test_which_numbers_are_public(address, public):
    assert is_public(address) is public


class Inner:
    """Stands where the socket is; remembers where it was to connect."""

    def __init__(self, *responses, library=httpx2):
        self.responses, self.requests, self.library = list(responses), [], library

    async def handle_async_request(self, request):
        self.requests.append(request)
        response = self.responses.pop(0) if self.responses else self.library.Response(200)
        if isinstance(response, Exception):
            raise response
        return response

    async def aclose(self):
        """Nothing is open."""


def send(inner, lookup, url="https://shop.example/v1", limit=100):
    async def go():
        rules = AddressRules(lookup=lookup)
        transport = GuardedTransport(inner, limit=limit, rules=rules)
        request = inner.library.Request("GET", url, headers={"x-key": "1"})
        response = await transport.handle_async_request(request)
        return b"".join([chunk async for chunk in response.stream])

    return asyncio.run(go())


@pytest.mark.parametrize("library", [httpx, httpx2])
def test_the_number_that_was_checked_is_the_one_that_is_called(library):
    inner, names = Inner(library=library), Answers([PUBLIC], ["127.0.0.1"])
    send(inner, names)
    (request,) = inner.requests
    assert request.url.host == PUBLIC
    assert request.headers["host"] == "shop.example"
    assert request.extensions["sni_hostname"] == "shop.example"
    assert names.asked == ["shop.example"]


@pytest.mark.parametrize(
    "answer",
    [["127.0.0.1"], ["169.254.169.254"], ["::1"], ["::ffff:10.0.0.1"], [PUBLIC, "10.0.0.1"]],
)
def test_a_name_that_leads_inside_is_refused_before_a_connection(answer):
    inner = Inner()
    with pytest.raises(AddressRefused):
        send(inner, Answers(answer))
    assert inner.requests == []


def test_a_name_that_changes_its_answer_is_checked_at_every_request():
    inner, names = Inner(), Answers([PUBLIC], ["127.0.0.1"])
    send(inner, names)
    with pytest.raises(AddressRefused):
        send(inner, names)
    assert len(inner.requests) == 1


@pytest.mark.parametrize("answer", [OSError("no such name"), []])
def test_an_unknown_name_is_a_connection_that_failed(answer):
    with pytest.raises(NameUnknown):
        send(Inner(), Answers(answer))


def test_a_name_in_other_letters_is_looked_up_as_it_is_registered():
    names = Answers([PUBLIC])
    send(Inner(), names, url="https://bücher.example/")
    assert names.asked == ["xn--bcher-kva.example"]


def test_the_next_number_is_tried_where_nobody_listens():
    inner = Inner(httpx2.ConnectError("no"), httpx2.Response(200))
    send(inner, Answers([PUBLIC, "93.184.216.35"]))
    assert [request.url.host for request in inner.requests] == [PUBLIC, "93.184.216.35"]


def test_a_long_answer_is_cut_off_and_a_packed_one_refused():
    with pytest.raises(AnswerTooLarge):
        send(Inner(httpx2.Response(200, content=b"x" * 101)), Answers([PUBLIC]))
    packed = httpx2.Response(200, headers={"content-encoding": "gzip"})
    with pytest.raises(AddressRefused):
        send(Inner(packed), Answers([PUBLIC]))


# --- over a real connection with a certificate ----------------------------------------------------


def visit(tmp_path, pages, *, method="GET", name="shop.example", lookup=None, path="/a"):
    async def go():
        async with Site(certificate(tmp_path, "shop.example")) as site:
            site.pages = {
                page: (status, {k: v.format(port=site.port) for k, v in headers.items()}, body)
                for page, (status, headers, body) in pages.items()
            }
            call = Call(
                method, f"https://{name}:{site.port}{path}", {"x-plain": "1"}, {"x-key": "hush"}
            )
            try:
                return await fetch(
                    call, rules=loopback(site, lookup), tls=site.trusting
                ), site.heads
            except (DeskError, OSError, httpx2.HTTPError) as error:
                return error, site.heads

    return asyncio.run(go())


def test_the_certificate_and_the_host_are_those_of_the_name(tmp_path):
    answer, heads = visit(tmp_path, {"/a": (200, {"content-type": "text/plain"}, b"hello")})
    assert (answer.status, answer.text) == (200, "hello")
    assert "host: shop.example" in heads[0].lower()


def test_another_name_on_the_same_number_fails_in_the_handshake(tmp_path):
    answer, heads = visit(tmp_path, {"/a": (200, {}, b"")}, name="other.example")
    assert "certificate" in str(answer).lower()
    assert heads == []


def test_redirects_are_followed_three_times_at_most(tmp_path):
    loop = {"/a": (302, {"location": "/a"}, b"")}
    answer, heads = visit(tmp_path, loop)
    assert isinstance(answer, AddressRefused)
    assert len(heads) == 4


@pytest.mark.parametrize(
    "location",
    [
        "http://shop.example/",
        "https://127.0.0.1/",
        "gopher://x/",
        "https://shop.example/other-port",
    ],
)
def test_a_redirect_is_checked_like_the_first_address(tmp_path, location):
    answer, heads = visit(tmp_path, {"/a": (302, {"location": location}, b"")})
    assert isinstance(answer, AddressRefused)
    assert len(heads) == 1


def test_a_redirect_to_a_name_that_leads_inside_is_refused(tmp_path):
    names = Answers(["127.0.0.1"], ["10.0.0.1"])
    pages = {"/a": (302, {"location": "https://inner.example:{port}/b"}, b"")}
    answer, heads = visit(tmp_path, pages, lookup=names)
    assert isinstance(answer, AddressRefused)
    assert names.asked == ["shop.example", "inner.example"]
    assert len(heads) == 1


def test_a_writing_request_is_not_redirected(tmp_path):
    pages = {"/a": (307, {"location": "/b"}, b""), "/b": (200, {}, b"")}
    answer, heads = visit(tmp_path, pages, method="POST")
    assert isinstance(answer, AddressRefused)
    assert len(heads) == 1


def test_secret_headers_stay_with_their_server(tmp_path):
    pages = {"/a": (302, {"location": "/b"}, b""), "/b": (200, {}, b"ok")}
    _, heads = visit(tmp_path, pages)
    assert all("hush" in head for head in heads)


def test_no_proxy_of_the_environment_is_asked(tmp_path, monkeypatch):
    for name in ("HTTPS_PROXY", "ALL_PROXY", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    answer, _ = visit(tmp_path, {"/a": (200, {}, b"hello")})
    assert answer.text == "hello"
