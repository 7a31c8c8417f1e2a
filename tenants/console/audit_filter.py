"""Which entries of the record somebody asks for."""

from datetime import datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tenants.console.audit_words import did
from tenants.models import Actor
from tenants.selectors.audit import Wanted, actions
from tenants.selectors.teams import teammates
from tenants.services.audit import pseudonym

_DATE = forms.DateInput(attrs={"type": "date"})


class AuditFilterForm(forms.Form):
    """Which entries to show; dates are days in the tenant's zone."""

    action = forms.CharField(label=_("What"), required=False, max_length=60)
    kind = forms.ChoiceField(
        label=_("By"), required=False, choices=[("", _("Anybody")), *Actor.choices]
    )
    actor = forms.UUIDField(label=_("Teammate"), required=False)
    about = forms.UUIDField(
        label=_("About the id"),
        required=False,
        help_text=_("Of a customer, a conversation, a key …"),
    )
    since = forms.DateField(label=_("From"), required=False, widget=_DATE)
    until = forms.DateField(label=_("To"), required=False, widget=_DATE)
    before = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def offer(self) -> None:
        """What can be chosen: it is read from the record and the team when the page shows it."""
        kinds = sorted((did(code), code) for code in actions())
        self._choose("action", _("Anything"), [(code, words) for words, code in kinds])
        people = [(str(member.id), member.name) for member in teammates()]
        self._choose("actor", _("Anybody"), people)

    def _choose(self, name: str, all_of_it: Any, choices: list[tuple[str, str]]) -> None:
        self.fields[name].widget = forms.Select(choices=[("", all_of_it), *choices])

    def wanted(self) -> Wanted:
        """Nothing is narrowed by a filter that makes no sense; the page says what is wrong."""
        values = self.cleaned_data if self.is_valid() else {}
        about = values.get("about")
        until = values.get("until")
        return Wanted(
            action=values.get("action", ""),
            kind=values.get("kind", ""),
            actor=values.get("actor"),
            about=(about, pseudonym(about)) if about else (),
            since=_morning(values.get("since")),
            until=_morning(until + timedelta(days=1)) if until else None,
        )

    def query(self, **more: Any) -> str:
        """The address of what is shown, with more parameters: `?action=…`."""
        values = self.cleaned_data if self.is_valid() else {}
        kept = {name: value for name, value in values.items() if value and name != "before"}
        return f"?{urlencode(kept | more)}"


def _morning(day: Any) -> datetime | None:
    return timezone.make_aware(datetime.combine(day, time())) if day else None
