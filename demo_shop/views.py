"""A shop that embeds the widget, and its orders to look at."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from demo_shop.selectors import SHOP_SLUG, order_facts, shop_widget_key
from tenants.access import tenant_by_slug
from tenants.errors import DeskError
from tenants.gates.problems import answer
from tenants.scoping import tenant_scope

# A website of its own, as strict as one may be that embeds the widget: its loader and its frame.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; frame-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
PRODUCTS = [
    ("Aster desk lamp", "Warm light, oak foot", "89.00"),
    ("Beacon floor lamp", "Reads with you until late", "149.00"),
    ("Cove wall light", "Plugs in, no electrician", "64.00"),
]


@require_safe
def shop(request: HttpRequest) -> HttpResponse:
    with tenant_scope(tenant_by_slug(SHOP_SLUG).id):
        key = shop_widget_key()
    page = render(request, "demo_shop/shop.html", {"products": PRODUCTS, "widget_key": key})
    page["Content-Security-Policy"] = _POLICY
    return page


@require_safe
def order(request: HttpRequest, number: str) -> HttpResponse:
    try:
        with tenant_scope(tenant_by_slug(SHOP_SLUG).id):
            return JsonResponse(order_facts(number))
    except DeskError as error:
        return answer(error)
