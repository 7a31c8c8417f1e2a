"""The conversations' work that is due: load, one call."""

import structlog

from conversations.models import Conversation, ExportRequest
from conversations.services import (
    erasing,
    exporting,
    exports,
    files,
    notices,
    retention,
    retention_rounds,
    tenant_end,
    tenant_exporting,
)
from conversations.services.erasure_mail import send_link
from conversations.services.erasure_reminders import remind
from conversations.services.erasure_requests import raise_alarm
from conversations.services.erasure_states import ALARM, ERASURE, MAIL, REMINDER
from conversations.services.lifecycle import SNOOZE, wake
from tenants import due
from tenants.due import Work

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
    """Nobody rings for it again while it is being made; after a killed worker somebody does."""
    try:
        with work.scope():
            work.again(exports.LEASE_SECONDS)
            export = exports.begin(work.ref_id, count=exporting.rows_of)
        if export is not None and export.kind == ExportRequest.Kind.CUSTOMER:
            with work.snapshot():
                exporting.make(work.ref_id)
        elif export is not None:
            _make_in_steps(work)
    except exports.StillBeingMade:
        return
    with work.scope():
        exports.announce(work.ref_id)
        due.cancel(exports.EXPORT, work.ref_id)


def _make_in_steps(work: Work) -> None:
    more = True
    while more:
        with work.scope():
            work.again(exports.LEASE_SECONDS)
        with work.snapshot():
            more = tenant_exporting.step(work.ref_id)


@due.handles(exports.EXPORT_END)
def end_export(work: Work) -> None:
    with work.scope():
        exports.end(work.ref_id)
        work.done()


@due.handles(files.STAGED)
def end_unsent_file(work: Work) -> None:
    with work.scope():
        files.expire(work.ref_id)
        work.done()


# Shorter than the sweep's first pause, so that one round is not rung for twice.
_SLICE_SECONDS = 5.0


@due.handles(retention.START)
def start_policy(work: Work) -> None:
    with work.scope():
        work.done()
        retention.start(work.ref_id)


@due.handles(retention_rounds.ROUND)
def carry_out_policies(work: Work) -> None:
    """A slice of the round: other bulk work comes between two of them."""
    retention_rounds.go_on(work.scope, seconds=_SLICE_SECONDS)
    with work.scope():
        retention_rounds.rest(work)


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


@due.handles(REMINDER)
def write_to_officers(work: Work) -> None:
    remind(work)


@due.handles(notices.NOTICE)
def tell(work: Work) -> None:
    notices.deliver(work)


@due.handles(tenant_end.TENANT_END)
def end_tenant(work: Work) -> None:
    """Left alone while it goes on; after a killed worker somebody takes up what is left."""
    with work.scope():
        work.again(exports.LEASE_SECONDS)
        more = tenant_end.begin(work.ref_id)
    while more:
        with work.scope():
            more = tenant_end.step(work.ref_id)
