"""What members ask for and type; services decide."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from conversations.models import Conversation, Draft, Status
from conversations.selectors.inbox import ORDERS, TABS, Filters

PAGE = 50
STATUSES = [
    (Status.OPEN.value, _("Open")),
    (Status.SNOOZED.value, _("Snoozed")),
    (Status.RESOLVED.value, _("Resolved")),
    ("any", _("Any status")),
]
SORTS = [("last_message", _("Newest first")), ("waiting", _("Waiting longest"))]
TAB_LABELS = {
    "mine": _("Mine"),
    "unassigned": _("Unassigned"),
    "agent": _("AI agent"),
    "all": _("All"),
}
MORNING = time(9)


@dataclass(frozen=True, slots=True)
class Listing:
    """What the list shows: its tab, how it is narrowed and ordered, and where the page begins."""

    tab: str = TABS[-1]
    status: str = Status.OPEN.value
    sort: str = SORTS[0][0]
    q: str = ""
    limit: int = PAGE
    after: tuple[datetime, UUID] | None = None

    @property
    def filters(self) -> Filters:
        """Without the tab: what its four lists have in common."""
        return Filters(status="" if self.status == "any" else self.status, q=self.q)

    def query(self, **changes: str) -> str:
        """The address of this list, without a place in it: `?tab=…`."""
        kept = {"tab": self.tab, "status": self.status, "sort": self.sort, "q": self.q} | changes
        return "?" + urlencode({name: value for name, value in kept.items() if value})

    def query_after(self, row: Conversation) -> str:
        value = getattr(row, ORDERS[self.sort].column)
        return self.query(after=f"{value.isoformat()}~{row.id}")


class ListForm(forms.Form):
    """A listing from an address. What is not understood falls back to the default."""

    tab = forms.ChoiceField(choices=list(TAB_LABELS.items()), required=False)
    status = forms.ChoiceField(choices=STATUSES, required=False)
    sort = forms.ChoiceField(choices=SORTS, required=False)
    q = forms.CharField(max_length=200, required=False)
    limit = forms.IntegerField(min_value=1, max_value=200, required=False)
    after = forms.CharField(max_length=100, required=False)

    @classmethod
    def listing(cls, data: Any) -> Listing:
        form = cls(data)
        form.is_valid()
        return Listing(**{name: value for name, value in form.cleaned_data.items() if value})

    def clean_after(self) -> tuple[datetime, UUID] | None:
        text: str = self.cleaned_data["after"]
        if not text:
            return None
        try:
            value, row_id = text.split("~")
            place = datetime.fromisoformat(value), UUID(row_id)
        except ValueError as error:
            raise forms.ValidationError("after") from error
        if place[0].tzinfo is None:
            raise forms.ValidationError("after")
        return place


class LinesForm(forms.Form):
    """Which part of a talk."""

    after_seq = forms.IntegerField(min_value=0, required=False)
    before_seq = forms.IntegerField(min_value=0, required=False)
    limit = forms.IntegerField(min_value=1, max_value=200, required=False)


class FilesField(forms.Field):
    """The ids of what was uploaded for a reply."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: list[str] | None) -> list[UUID]:
        try:
            return [UUID(text) for text in value or []]
        except ValueError as error:
            raise forms.ValidationError(_("A file is not there any more. Add it again.")) from error


class SayForm(forms.Form):
    """A reply or a note, exactly as typed."""

    mode = forms.ChoiceField(choices=[(mode.value, mode.value) for mode in Draft.Mode])
    text = forms.CharField(strip=False, required=False)
    client_key = forms.UUIDField(required=False)
    seen_seq = forms.IntegerField(min_value=0, required=False)
    attachments = FilesField(required=False)

    def clean_text(self) -> str:
        # Browsers send a textarea's line ends as CRLF.
        text: str = self.cleaned_data["text"]
        return text.replace("\r\n", "\n")

    def clean_client_key(self) -> UUID:
        return self.cleaned_data["client_key"] or uuid4()


class EditForm(forms.Form):
    """New words for a message, and which change of it the member has seen."""

    text = forms.CharField(strip=False, required=False)
    seen = forms.DateTimeField(required=False)

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"]
        return text.replace("\r\n", "\n")


class RedactForm(forms.Form):
    """Words to black out."""

    words = forms.CharField(max_length=10_000, required=False)


class SnoozeForm(forms.Form):
    """Until when; the choices are reckoned when they are made, in the tenant's zone."""

    CHOICES = [
        ("hour", _("For an hour")),
        ("tomorrow", _("Until tomorrow")),
        ("week", _("Until next week")),
    ]
    choice = forms.ChoiceField(choices=[*CHOICES, ("custom", "custom")])
    at = forms.DateTimeField(required=False)

    def clean(self) -> dict[str, Any]:
        wanted: dict[str, Any] = self.cleaned_data
        if wanted.get("choice") != "custom":
            wanted["until"] = snooze_end(wanted.get("choice", ""))
        elif wanted.get("at"):
            wanted["until"] = wanted["at"]
        elif "at" not in self.errors:
            self.add_error("at", _("Choose a day and a time."))
        return wanted


def snooze_end(choice: str) -> datetime:
    now = timezone.localtime()
    if choice == "hour":
        return now + timedelta(hours=1)
    days = 1 if choice == "tomorrow" else 7 - now.weekday()
    day = now.date() + timedelta(days=days)
    return datetime.combine(day, MORNING, tzinfo=now.tzinfo)


class TitleForm(forms.Form):
    title = forms.CharField(max_length=200, required=False)


class StageForm(forms.Form):
    stage = forms.UUIDField(required=False)


class ModeForm(forms.Form):
    mode = forms.CharField(max_length=10, required=False)


class AssigneeForm(forms.Form):
    assignee = forms.UUIDField(required=False)


class LabelsForm(forms.Form):
    """The labels that shall be on the talk, all of them."""

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self.names: list[str] = data.getlist("labels")
