"""The conversations' work that is due: load, one call."""

from conversations.models import Conversation, ExportRequest
from conversations.services import exporting, exports
from conversations.services.lifecycle import SNOOZE, wake
from tenants import due
from tenants.due import Work

# Another worker makes this export; whoever finds it so looks again after a while.
_LOOK_AGAIN_SECONDS = 30


@due.handles(SNOOZE)
def end_snooze(work: Work) -> None:
    with work.scope():
        conversation = Conversation.objects.filter(pk=work.ref_id).first()
        work.done()
        if conversation is not None:
            wake(conversation)


@due.handles(exports.EXPORT)
def make_export(work: Work) -> None:
    """A killed worker's attempt leaves nothing but its number: the next one starts over."""
    try:
        with work.scope():
            export = exports.begin(work.ref_id)
        if export is not None and export.kind == ExportRequest.Kind.CUSTOMER:
            with work.snapshot():
                exporting.make(work.ref_id)
    except exports.StillBeingMade:
        with work.scope():
            work.again(_LOOK_AGAIN_SECONDS)
        return
    with work.scope():
        exports.announce(work.ref_id)
        work.done()


@due.handles(exports.EXPORT_END)
def end_export(work: Work) -> None:
    with work.scope():
        exports.end(work.ref_id)
        work.done()
