"""The conversations' work that is due: load, one call."""

import structlog

from conversations.models import Conversation, ExportRequest
from conversations.services import erasing, exporting, exports, notices
from conversations.services.erasure_mail import send_link
from conversations.services.erasure_requests import raise_alarm
from conversations.services.erasure_states import ALARM, ERASURE, MAIL
from conversations.services.lifecycle import SNOOZE, wake
from tenants import due
from tenants.due import Work

# Another worker makes this export; whoever finds it so looks again after a while.
_LOOK_AGAIN_SECONDS = 30
log = structlog.get_logger(__name__)


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


@due.handles(ERASURE)
def erase(work: Work) -> None:
    erasing.step(work)


@due.handles(MAIL)
def mail_link(work: Work) -> None:
    send_link(work)


@due.handles(ALARM)
def call_somebody(work: Work) -> None:
    with work.scope():
        work.done()
        late = raise_alarm(work.ref_id)
    if late:
        log.error("erasure_late", request=str(work.ref_id))


@due.handles(notices.NOTICE)
def tell(work: Work) -> None:
    notices.deliver(work)
