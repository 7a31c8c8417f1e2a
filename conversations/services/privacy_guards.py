"""What a legal hold or a pending erasure forbids, asked under the lock of the rows."""

from conversations.models import ENDED, Customer, ErasureRequest
from conversations.selectors.holds import holds_over
from tenants.errors import Conflict


class UnderHold(Conflict):
    """What is held stays as it is, under the name that it is held by."""

    code = "legal_hold"
    detail = "A legal hold covers this customer, so nothing moves. Ask a privacy officer."


class ErasurePending(Conflict):
    """Somebody is going: nothing more may come to them, and nothing may slip away."""

    code = "erasure_pending"
    detail = "An erasure of this customer is under way. Wait for its end, or refuse it first."


def refuse_while_bound(*customers: Customer) -> None:
    """Raises for a customer under hold, or one that is to be erased."""
    for customer in customers:
        if holds_over(customer=customer.pk):
            raise UnderHold
        if ErasureRequest.objects.filter(subject_id=customer.pk).exclude(state__in=ENDED).exists():
            raise ErasurePending
