"""What conversations do when a tenant's people change, inside the sender's transaction."""

from typing import Any

from django.dispatch import receiver

from conversations.services.control import unassign_all
from tenants.hooks import member_removed
from tenants.models import Member

__all__ = ["leave_no_talk_behind"]


@receiver(member_removed)
def leave_no_talk_behind(*, member: Member, by: Member, **_: Any) -> None:
    unassign_all(member, by=by)
