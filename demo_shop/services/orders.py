"""What the demo shop does with an order."""

from decimal import Decimal

from django.db.models import Sum

from demo_shop.models import Order, Refund
from tenants.errors import Conflict
from tenants.text import clean_text


class TooMuch(Conflict):
    """More than was paid, or than is left of it."""

    code = "refund_too_much"


class AlreadyShipped(Conflict):
    """The parcel has left."""

    code = "already_shipped"
    detail = "This order has been shipped; its address cannot be changed any more."


def refunded(order: Order) -> Decimal:
    total: Decimal | None = Refund.objects.filter(order=order).aggregate(sum=Sum("amount"))["sum"]
    return total or Decimal(0)


def refund(order: Order, *, amount: Decimal, reason: str, key: str) -> Refund:
    """One refund for one key; never more than was paid. In the caller's transaction."""
    # Two refunds at once would both find enough left.
    order = Order.objects.select_for_update(no_key=True).get(pk=order.pk)
    done = Refund.objects.filter(key=key).first()
    if done is not None:
        return done
    left = order.total - refunded(order)
    if amount > left:
        raise TooMuch(f"Only {left} of order {order.number} is left to refund.")
    return Refund.objects.create(order=order, amount=amount, reason=reason, key=key)


def change_address(order: Order, *, address: str) -> Order:
    """Where it goes from now on, unless it has gone."""
    order = Order.objects.select_for_update(no_key=True).get(pk=order.pk)
    if order.status in {Order.Status.SHIPPED, Order.Status.DELIVERED}:
        raise AlreadyShipped
    order.address = " ".join(clean_text(address, limit=300).split())
    order.save(update_fields=["address"])
    return order
