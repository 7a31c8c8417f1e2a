"""The shop stands for a system of the tenant's own, so its rows are not the desk's to carry."""

from demo_shop.models import Order, Refund
from tenants.portable import stays

stays(Order, "An order of the demo shop.")
stays(Refund, "A refund of the demo shop.")
