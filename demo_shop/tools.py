"""What the agent of the demo shop can do with orders. It really changes rows."""

from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from agents.runtime.tools.decorator import ToolContext, desk_tool
from agents.runtime.wishes import understand
from demo_shop.selectors import order_by_number
from demo_shop.services import orders
from demo_shop.wishes import wants_look_up, wants_refund

_Number = Annotated[str, Field(description="The number of the order, like 1001.", max_length=20)]


class OrderArguments(BaseModel):
    """Which order."""

    model_config = ConfigDict(extra="ignore")

    order: _Number


class RefundArguments(OrderArguments):
    """How much of which order, and why."""

    amount: Annotated[
        Decimal,
        Field(description="How much to give back.", gt=0, max_digits=10, decimal_places=2),
    ]
    reason: Annotated[str, Field(description="Why, in one sentence.", max_length=300)]


class AddressArguments(OrderArguments):
    """Where the order goes from now on."""

    address: Annotated[str, Field(description="The whole new address.", max_length=300)]


@desk_tool(
    description="Look up an order: its item, status, total, address and refunds.",
    arguments=OrderArguments,
    repeatable=True,
)
def look_up_order(context: ToolContext, arguments: OrderArguments) -> str:
    """The address is for customers who have proven who they are; anybody can guess a number."""
    order = order_by_number(arguments.order)
    lines = [
        f"order: {order.number}",
        f"item: {order.item}",
        f"status: {order.status}",
        f"total: {order.total}",
        f"refunded: {orders.refunded(order)}",
    ]
    if context.run.facts.customer_verified:
        lines.append(f"address: {order.address}")
    return "\n".join(lines)


@desk_tool(
    description="Give money back for an order. It may have to wait for a person of the team.",
    arguments=RefundArguments,
    approval="always_require",
    money="amount",
)
def refund_order(context: ToolContext, arguments: RefundArguments) -> str:
    """Once for one key, however often it is called."""
    refund = orders.refund(
        order_by_number(arguments.order),
        amount=arguments.amount,
        reason=arguments.reason,
        key=context.idempotency_key,
    )
    return f"Refunded {refund.amount:.2f} for order {arguments.order}."


@desk_tool(
    description="Change where an order goes, as long as it is not shipped.",
    arguments=AddressArguments,
    needs_verified=True,
)
def change_address(context: ToolContext, arguments: AddressArguments) -> str:
    order = orders.change_address(order_by_number(arguments.order), address=arguments.address)
    return f"Order {order.number} goes to: {order.address}"


understand("look_up_order", wants_look_up)
understand("refund_order", wants_refund)
