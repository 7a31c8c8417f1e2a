"""What a legal hold or a pending erasure forbids, asked under the lock of the rows."""
from conversations.models import Customer
def refuse_while_bound(*customers: Customer) -> None:
    return
