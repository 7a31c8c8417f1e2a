"""How apps above join in when a tenant's people change. Sent inside the sender's transaction."""

from django.dispatch import Signal

# A member has left the tenant and can do nothing there any more. Arguments: member, by.
member_removed = Signal()
