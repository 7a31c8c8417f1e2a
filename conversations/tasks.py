"""The conversations' work that is due: load, one call."""

from conversations.models import Conversation
from conversations.services.lifecycle import SNOOZE, wake
from tenants import due
from tenants.due import Work


@due.handles(SNOOZE)
def end_snooze(work: Work) -> None:
    with work.scope():
        conversation = Conversation.objects.filter(pk=work.ref_id).first()
        work.done()
        if conversation is not None:
            wake(conversation)
