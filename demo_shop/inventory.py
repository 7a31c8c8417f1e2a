"""What the demo shop's tables hold of people, all of them made up."""

from demo_shop.models import Order, Refund
from tenants.personal_data import NOTHING, register

register(
    Order,
    title="Orders of the demo shop",
    holds="The address that an order goes to.",
    erased_by="With the demo's own folder: the shop stands for a system of yours.",
)
register(Refund, title="Refunds of the demo shop", holds=NOTHING)
