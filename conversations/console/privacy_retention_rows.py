"""Rows of the retention page, in words."""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from conversations.models import Channel, Kind, RetentionPolicy, RetentionRun, Status
from conversations.selectors.retention import Preview
from conversations.selectors.retention_law import rule_of
from tenants.console.pages import Context, cell, columns, moment, row
from tenants.gates.members import MemberRequest
from tenants.personal_data import named

_State = RetentionPolicy.State
_TONES = {_State.WAITING: "warning", _State.ACTIVE: "info", _State.ENDED: "plain"}


def policy_row(request: MemberRequest, policy: RetentionPolicy) -> Context:
    state = _("Waits for a second officer") if _waits(policy) else _State(policy.state).label
    return row(
        [
            cell(policy.name, hint=_conditions(policy)),
            cell(Kind(policy.kind).label),
            cell(_kept_for(policy), hint=_shortened(policy)),
            cell(state, kind="badge", tone=_TONES[_State(policy.state)], hint=_since(policy)),
        ],
        _actions(request, policy),
    )


def run_rows(request: MemberRequest, found: Sequence[RetentionRun]) -> list[Context]:
    return [_run_row(request, run) for run in found]


def run_url(request: MemberRequest, run: RetentionRun) -> str:
    """The page of a run that waits."""
    return reverse("conversations:confirm-run", args=[request.tenant.slug, run.id])


def _run_row(request: MemberRequest, run: RetentionRun) -> Context:
    actions: list[Context] = []
    if run.held_back_at is not None:
        hint = _("Hidden, not deleted. It would take {due} items.").format(due=f"{run.due:,}")
        state = cell(_("Waits for a second officer"), kind="badge", tone="error", hint=hint)
        actions = [{"label": _("Look at it"), "url": run_url(request, run)}]
    elif run.finished_at:
        state = cell(run.finished_at, kind="time", hint=_confirmed_by(run))
    else:
        state = cell(_("Going on"), kind="badge", tone="info")
    return row(
        [
            cell(run.created_at, kind="time"),
            cell(run.name, hint=days_label(run.days) if run.days else ""),
            cell(_counts(run.counts)),
            cell(run.rows, kind="number"),
            state,
        ],
        actions,
    )


def _confirmed_by(run: RetentionRun) -> str:
    if run.confirmed_by is None:
        return ""
    return _("confirmed by {name}").format(name=run.confirmed_by.name)


def preview_card(found: Preview) -> Context:
    """What the form shows before it saves."""
    lines = [
        _("If it were in force now, it would delete: {counts}.").format(
            counts=_counts(found.counts)
        ),
        *([_held(found.held)] if found.held else []),
        *([_large()] if found.large else []),
    ]
    return {"lines": lines} | (_people(found) if found.people else _talks(found))


def _people(found: Preview) -> Context:
    return {
        "columns": columns(_("Customer"), _("Address"), _("Last here")),
        "rows": [
            row(
                [
                    cell(one.name or _("Visitor")),
                    cell(one.email or "–"),
                    cell(one.last_seen_at or one.created_at, kind="time"),
                ],
                None,
            )
            for one in found.people
        ],
    }


def _talks(found: Preview) -> Context:
    return {
        "columns": columns(_("Conversation"), _("Customer"), _("Last message")),
        "rows": [
            row(
                [
                    cell(talk.title or _("Untitled")),
                    cell(talk.customer.name or "–"),
                    cell(talk.last_message_at, kind="time"),
                ],
                None,
            )
            for talk in found.samples
        ],
    }


def _large() -> str:
    return _("That is more than one percent of all: a second officer must confirm the policy.")


def _held(count: int) -> str:
    return ngettext(
        "%(n)d item is under legal hold and stays.",
        "%(n)d items are under legal hold and stay.",
        count,
    ) % {"n": count}


def days_label(days: int) -> str:
    return ngettext("%(n)s day", "%(n)s days", days) % {"n": f"{days:,}"}


def _waits(policy: RetentionPolicy) -> bool:
    return policy.state == _State.WAITING and policy.waits_for_second


def _kept_for(policy: RetentionPolicy) -> str:
    return days_label(rule_of(policy).days)


def _shortened(policy: RetentionPolicy) -> str:
    if rule_of(policy).days == policy.days:
        return ""
    return _("the platform's maximum, not {days}").format(days=days_label(policy.days))


def _since(policy: RetentionPolicy) -> str:
    if policy.state != _State.WAITING:
        return ""
    return _("starts {time}").format(time=moment(policy.starts_at))


def _conditions(policy: RetentionPolicy) -> str:
    parts = [
        str(Status(policy.status).label) if policy.status else "",
        policy.label.name if policy.label else "",
        str(Channel(policy.channel).label) if policy.channel else "",
    ]
    everything = {Kind.CUSTOMERS: _("of everybody"), Kind.LOGS: _("of all logs")}.get(
        Kind(policy.kind), _("of all conversations")
    )
    return " · ".join(filter(None, parts)) or everything


def _counts(counts: dict[str, int]) -> str:
    told = [f"{named(code).title}: {count:,}" for code, count in counts.items() if count]
    return " · ".join(told) or _("nothing")


def _actions(request: MemberRequest, policy: RetentionPolicy) -> list[Context]:
    if policy.state == _State.ENDED:
        return []
    found = []
    if _waits(policy) and policy.made_by_id != request.member.id:
        confirm = _("Confirm this policy? It deletes {rows} rows when it starts.").format(
            rows=f"{policy.rows:,}"
        )
        label = _("Confirm this policy")
        found.append(_post(request, label, "second-policy", policy, confirm, tone="primary"))
    if policy.state == _State.ACTIVE:
        found.append({"label": _("Change"), "url": _url(request, "change-policy", policy)})
    confirm = _("End this policy? It deletes nothing from now on.")
    return [*found, _post(request, _("End policy"), "end-policy", policy, confirm)]


def _post(
    request: MemberRequest, label: str, name: str, policy: Any, confirm: str, **more: str
) -> Context:
    url = _url(request, name, policy)
    return {"label": label, "url": url, "method": "post", "confirm": confirm, **more}


def _url(request: MemberRequest, name: str, policy: RetentionPolicy) -> str:
    return reverse(f"conversations:{name}", args=[request.tenant.slug, policy.id])
