"""Every address carries its gate. A new one without it fails here, whoever forgot it."""

from tenants.permissions import Permission
from tests.architecture.routes import Route, routes

# Addresses outside every tenant, and who guards them. A name ending in `*` covers what begins so.
OPEN = {
    "": "chooses the tenant; asks for the sign-in itself",
    "login/": "the sign-in",
    "logout/": "ends the login session",
    "invitations/<str:token>/": "the invitation's own gate: a mailed token",
    "privacy/confirm/<str:token>/": "the erasure link's own gate: a mailed token",
    "files/<str:signed>/<str:name>": "the file's own gate: a signed link names tenant and file",
    ".well-known/turnstone-certificate-keys.json": "public keys, for whoever has a certificate",
    "healthz": "operators; says nothing of any tenant",
    "readyz": "operators; says nothing of any tenant",
    "metrics": "operators with a token of their own; says nothing of any tenant",
    "widget/frame/": "the public frame; its data comes through the widget API",
    "widget/loader.js": "the public loader script",
    "demo/*": "the demo's own shop; not installed in production",
    "staff/*": "the staff site asks for platform staff before every page",
    "api/schema/*": "the public description of the API",
    "api/docs/*": "the public description of the API",
}


# These carry no authentication class and ask who calls themselves; their own tests prove it.
ASK_THEMSELVES = {
    "widget/v1/conversations/<uuid:conversation_id>/stream": "the customer's token",
    "api/v1/conversations/<uuid:conversation_id>/stream": "the member's key or login session",
    "api/v1/stream": "the member's key or login session",
}


def test_every_page_of_a_tenant_carries_the_members_gate():
    bare = [
        route.path
        for route in routes()
        if route.is_tenant_page and not isinstance(route.gate, Permission)
    ]
    assert bare == [], "Put @member_required(Permission.X) above the view, outermost."


def test_every_address_for_programs_carries_its_authentication():
    bare = {route.path for route in routes() if route.is_for_programs and not _authenticates(route)}
    assert bare == set(ASK_THEMSELVES), "Derive from MemberApiView or the widget's base view."


def test_every_other_address_is_listed_with_its_guard():
    unlisted = [
        route.path
        for route in routes()
        if not (route.is_tenant_page or route.is_for_programs) and not _listed(route.path)
    ]
    assert unlisted == [], "Move it behind a gate, or say in OPEN who guards it."


def test_no_entry_of_the_list_is_stale():
    paths = [route.path for route in routes()]
    stale = [entry for entry in OPEN if not any(_covers(entry, path) for path in paths)]
    assert set(stale) <= {"demo/*"}, "Remove what exists no more."


def _authenticates(route: Route) -> bool:
    view_class = getattr(route.view, "view_class", None)
    return bool(getattr(view_class, "authentication_classes", ()))


def _listed(path: str) -> bool:
    return any(_covers(entry, path) for entry in OPEN)


def _covers(entry: str, path: str) -> bool:
    return path.startswith(entry[:-1]) if entry.endswith("*") else path == entry
