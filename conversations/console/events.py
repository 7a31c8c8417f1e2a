"""The timeline as members read it: who did what, in their own language."""

from collections.abc import Callable, Mapping

from django.utils import formats, timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as noop

from conversations.models import Event
from tenants.models import Actor, AgentMode, Tenant

Kind = Event.Kind


def event_text(event: Event, tenant: Tenant) -> str:
    """One sentence; customers read `event.line`, in theirs, when there is one."""
    tell = _TEXTS.get(event.kind)
    return tell(event, _who(event, tenant)) if tell else event.line or event.kind


def _who(event: Event, tenant: Tenant) -> str:
    names = {
        Actor.AGENT: tenant.agent_name,
        Actor.CUSTOMER: event.by_name or _("The customer"),
        Actor.MEMBER: event.by_name or _("A teammate"),
    }
    return names.get(Actor(event.by_kind)) or _("The desk")


def _person_asked(event: Event, who: str) -> str:
    reason = event.detail.get("reason")
    asked = _("{who} asked for a person").format(who=who)
    return f"{asked}: {reason}" if reason else asked


def _approved(event: Event, who: str) -> str:
    return _with_comment(event, _("{who} approved {tool}"), who)


def _rejected(event: Event, who: str) -> str:
    return _with_comment(event, _("{who} rejected {tool}"), who)


def _with_comment(event: Event, text: str, who: str) -> str:
    said = text.format(who=who, tool=str(event.detail.get("tool") or "").replace("_", " "))
    comment = event.detail.get("comment")
    return f"{said}: {comment}" if comment else said


def _failed(event: Event, _who: str) -> str:
    code = event.detail.get("code")
    text = _("The AI agent could not answer; the team has it now")
    return f"{text} ({code})" if code else text


def _assigned(event: Event, who: str) -> str:
    if not event.detail.get("assignee"):
        return _("{who} assigned it to nobody").format(who=who)
    name = event.detail.get("name") or _("a teammate")
    if event.detail["assignee"] == str(event.by_id):
        return _("{who} took it").format(who=who)
    return _("{who} assigned it to {name}").format(who=who, name=name)


def _stage_changed(event: Event, who: str) -> str:
    to = event.detail.get("to")
    if not to:
        return _("{who} took it off the funnel").format(who=who)
    before, reason = event.detail.get("from"), event.detail.get("reason")
    text = (
        _("{who} put it at “{to}”") if not before else _("{who} moved it from “{before}” to “{to}”")
    )
    moved = text.format(who=who, before=before, to=to)
    return f"{moved}: {reason}" if reason else moved


def _labels_changed(event: Event, who: str) -> str:
    names = ", ".join(event.detail.get("labels") or [])
    if not names:
        return _("{who} removed all labels").format(who=who)
    return _("{who} set the labels: {names}").format(who=who, names=names)


def _mode_changed(event: Event, who: str) -> str:
    texts = {
        AgentMode.AUTO: _("{who} lets the AI agent answer by itself here"),
        AgentMode.DRAFT: _("{who} lets the AI agent write drafts here"),
        AgentMode.OFF: _("{who} switched the AI agent off here"),
    }
    as_settings = _("{who} lets the AI agent do here what the settings say")
    return texts.get(event.detail.get("mode", ""), as_settings).format(who=who)


def _snoozed(event: Event, who: str) -> str:
    until = parse_datetime(str(event.detail.get("until", "")))
    if until is None:
        return _("{who} snoozed it").format(who=who)
    at = formats.date_format(timezone.localtime(until), "j M, H:i")
    return _("{who} snoozed it until {at}").format(who=who, at=at)


def _rated(event: Event, who: str) -> str:
    return _("{who} rated it {score} of 5").format(who=who, score=event.detail.get("score", "?"))


def _plain(text: str) -> Callable[[Event, str], str]:
    return lambda _event, who: _(text).format(who=who)


_TEXTS: Mapping[str, Callable[[Event, str], str]] = {
    Kind.TAKEN_OVER: _plain(noop("{who} took over")),
    Kind.HANDED_BACK: _plain(noop("{who} handed back to the AI agent")),
    Kind.FAILED: _failed,
    Kind.WAITING_FOR_COLLEAGUE: _plain(noop("A teammate must decide; the customer was told")),
    Kind.PERSON_ASKED: _person_asked,
    Kind.ASSIGNED: _assigned,
    Kind.STAGE_CHANGED: _stage_changed,
    Kind.TITLE_CHANGED: _plain(noop("{who} changed the title")),
    Kind.LABELS_CHANGED: _labels_changed,
    Kind.MODE_CHANGED: _mode_changed,
    Kind.SNOOZED: _snoozed,
    Kind.WOKEN: _plain(noop("The snooze has ended")),
    Kind.RESOLVED: _plain(noop("{who} resolved it")),
    Kind.REOPENED: _plain(noop("{who} reopened it")),
    Kind.CLOSED: _plain(noop("{who} closed it for good")),
    Kind.RATED: _rated,
    Kind.FORKED: _plain(noop("{who} continued it from an earlier point, in a new conversation")),
    Kind.FORKED_FROM: _plain(noop("{who} continued another conversation here")),
    Kind.APPROVED: _approved,
    Kind.REJECTED: _rejected,
}
