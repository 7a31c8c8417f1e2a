"""An https server on loopback and a name service, both of our own."""

import asyncio
import ssl
from ipaddress import ip_address

from tenants.addresses import AddressRules


class Answers:
    """A name service that gives each of these in turn, and the last one for ever."""

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []

    async def __call__(self, host):
        self.asked.append(host)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class Site:
    """An https server on a loopback port that answers by path and remembers what it was sent."""

    def __init__(self, path):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(path)
        self.trusting = ssl.create_default_context(cafile=str(path))
        self.heads, self.pages, self.port = [], {}, 0

    async def __aenter__(self):
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0, ssl=self.context)
        self.server, self.port = server, server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error):
        self.server.close()

    async def _answer(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.heads.append(head)
        status, headers, body = self.pages[head.split()[1]]
        lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body)}", "connection: close"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        await writer.drain()
        writer.close()


def loopback(site, lookup=None):
    """The rules as in life, but this machine's own port stands in for the public network."""

    def admits(address):
        return ip_address(address).is_loopback

    lookup = lookup or Answers(["127.0.0.1"])
    return AddressRules(lookup=lookup, admits=admits, ports=frozenset({site.port}))
