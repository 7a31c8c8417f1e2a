"""What the demo shop's tables hold of people, all of them made up."""

from demo_shop.models import Order, Refund
from tenants.personal_data import NOTHING, register

register(
    Order,
    holds="The address that an order goes to.",
    erased_by="the demo's own data folder; the shop stands for a system of the tenant's",
)
register(Refund, holds=NOTHING)
