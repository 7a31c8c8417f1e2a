"""Which addresses the desk may call for a tenant: public ones, by https, on the usual port.

A tenant chooses where model endpoints, tools and webhooks live. Without these rules that choice
would open the operator's own network and the metadata service of its cloud to every tenant.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from tenants.errors import DeskError

PORT = 443
LOOKUP_SECONDS = 5.0
_LONGEST = 2_000
# Carry an IPv4 address in their last bits: a translator on the way would call that one.
_NAT64 = (ip_network("64:ff9b::/96"), ip_network("64:ff9b:1::/48"), ip_network("::/96"))
_Address = IPv4Address | IPv6Address
Lookup = Callable[[str], Awaitable[list[str]]]


class AddressRefused(DeskError):
    """The desk does not call this address for a tenant, whatever is there."""

    code = "address_refused"
    title = "This address cannot be used"
    detail = "Give a public address that begins with https:// and uses the usual port."


class NameUnknown(ConnectionError):
    """No address is known for the name just now."""


def check_url(url: str, *, ports: frozenset[int] = frozenset({PORT})) -> SplitResult:
    """What can be said without a look-up: https, no name and password, no private number."""
    parts = _parts(url)
    if parts.scheme != "https":
        raise AddressRefused("The address must begin with https://.")
    if parts.username is not None or parts.password is not None:
        raise AddressRefused("Leave name and password out of the address.")
    if not parts.hostname:
        raise AddressRefused("The address names no server.")
    if (parts.port or PORT) not in ports:
        raise AddressRefused("Only port 443 is called. Leave the port out of the address.")
    if _is_number(parts.hostname) and not is_public(parts.hostname):
        raise AddressRefused("This number is no public address. Give the server's public name.")
    return parts


def is_public(address: str) -> bool:
    """Whether this number may be reached from anywhere; False for what is no address."""
    try:
        found = _embedded(ip_address(address.partition("%")[0]))
    except ValueError:
        return False
    special = found.is_multicast or found.is_reserved or found.is_unspecified
    return found.is_global and not special


async def system_lookup(host: str) -> list[str]:
    """Every address that the system knows for the name, best first."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, PORT, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True)
class AddressRules:
    """How a name becomes the numbers that may be called."""

    lookup: Lookup = system_lookup
    admits: Callable[[str], bool] = is_public
    ports: frozenset[int] = frozenset({PORT})

    async def addresses(self, host: str) -> list[str]:
        """Looks the name up once; one private number among the answers refuses them all.

        The caller connects to these very numbers: a second look-up could answer otherwise.
        """
        try:
            async with asyncio.timeout(LOOKUP_SECONDS):
                found = await self.lookup(host)
        except (OSError, UnicodeError) as error:
            raise NameUnknown(f"The name {host} is not known.") from error
        if not found:
            raise NameUnknown(f"The name {host} has no address.")
        if not all(self.admits(address) for address in found):
            raise AddressRefused(f"{host} leads to an address that is not public.")
        return found


RULES = AddressRules()


def _parts(url: str) -> SplitResult:
    if len(url) > _LONGEST or any(sign <= " " or sign in "\\\x7f" for sign in url):
        raise AddressRefused("This is no address: it is too long or holds blanks.")
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise AddressRefused(
            "This is no address. Write it as https://server.example/path."
        ) from None
    return parts


def _is_number(host: str) -> bool:
    """Also the old spellings, which the system reads as numbers: 127.1, 0x7f.1, 2130706433."""
    if ":" in host:
        return True
    last = host.rstrip(".").rsplit(".", 1)[-1].lower()
    return last.isdigit() or (last.startswith("0x") and last.isalnum())


def _embedded(address: _Address) -> _Address:
    """The IPv4 address inside an IPv6 one, if it is a disguise of one."""
    if isinstance(address, IPv4Address):
        return address
    inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
    if inner is not None:
        return inner
    if any(address in network for network in _NAT64):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address
