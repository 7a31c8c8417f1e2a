"""Every address of the site with its view, read from the URL resolver."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from django.urls import URLPattern, URLResolver, get_resolver

from tenants.permissions import Permission

TENANT_PAGES = "t/<slug:tenant>/"
PROGRAMS = ("api/v1/", "widget/v1/")


class Route(NamedTuple):
    """One address, its full name and its view."""

    path: str
    name: str
    view: Callable[..., Any]

    @property
    def gate(self) -> Permission | None:
        """The permission that the members' gate asks for at this address."""
        return getattr(self.view, "required_permission", None)

    @property
    def is_tenant_page(self) -> bool:
        return self.path.startswith(TENANT_PAGES)

    @property
    def is_for_programs(self) -> bool:
        return self.path.startswith(PROGRAMS)


def routes() -> list[Route]:
    return list(_walk(get_resolver(), "", ""))


def _walk(resolver: URLResolver, path: str, namespace: str) -> Iterator[Route]:
    for entry in resolver.url_patterns:
        here = path + str(entry.pattern)
        if isinstance(entry, URLResolver):
            inner = f"{namespace}{entry.namespace}:" if entry.namespace else namespace
            yield from _walk(entry, here, inner)
        elif isinstance(entry, URLPattern):
            yield Route(here, f"{namespace}{entry.name or ''}", entry.callback)
