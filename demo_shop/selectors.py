"""Reads of the demo shop."""

from typing import Any

from demo_shop.models import Order, Refund
from tenants.errors import NotFound
from tenants.models import WidgetKey

SHOP_SLUG = "lumen"


def shop_widget_key() -> str:
    """The public key that the shop's page embeds."""
    return WidgetKey.objects.values_list("key", flat=True)[0]


def order_by_number(number: str) -> Order:
    """Raises `NotFound`; people write numbers with a sign in front."""
    order = Order.objects.filter(number=number.strip().lstrip("#")).first()
    if order is None:
        raise NotFound(f"There is no order {number[:20]}. The demo has 1001 to 1010.")
    return order


def order_facts(number: str) -> dict[str, Any]:
    """An order as the shop's own page shows it; raises `NotFound`."""
    order = order_by_number(number)
    refunds = Refund.objects.filter(order=order).order_by("id")
    return {
        "number": order.number,
        "status": order.status,
        "total": float(order.total),
        "address": order.address,
        "refunds": [
            {"amount": float(refund.amount), "at": refund.created_at.isoformat()}
            for refund in refunds
        ],
    }
