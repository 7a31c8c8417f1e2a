"""What members type about knowledge and usage; services decide."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agents.models import ToolSetting
from agents.services.approvals import COMMENT_LIMIT
from tenants.console.forms import DeskForm

Asking = ToolSetting.Approval
# A form's body may hold 256 KB; longer pages come by import.
LONGEST_BODY = 100_000
LONGEST_RANGE = timedelta(days=366)
DEFAULT_RANGE = timedelta(days=29)
DAY = forms.DateInput({"type": "date"}, format="%Y-%m-%d")


class ArticleForm(DeskForm):
    """A page of the knowledge."""

    title = forms.CharField(
        label=_("Title"), max_length=300, widget=forms.TextInput(attrs={"dir": "auto"})
    )
    body = forms.CharField(
        label=_("Text"),
        max_length=LONGEST_BODY,
        strip=False,
        help_text=_("Markdown. A line that begins with # is a heading and starts a new passage."),
        widget=forms.Textarea(attrs={"rows": 20, "dir": "auto"}),
    )


class SearchForm(forms.Form):
    """A customer's question."""

    q = forms.CharField(max_length=500, required=False)


class PreviewForm(forms.Form):
    """A body as it stands in the editor right now."""

    body = forms.CharField(max_length=LONGEST_BODY, strip=False, required=False)


class RangeForm(forms.Form):
    """From the first to the last day; the last thirty when nothing is asked."""

    first = forms.DateField(label=_("From"), widget=DAY)
    last = forms.DateField(label=_("To"), widget=DAY)

    def __init__(self, asked: Any) -> None:
        today = timezone.localdate()
        last = asked.get("last") or today.isoformat()
        first = asked.get("first") or (today - DEFAULT_RANGE).isoformat()
        super().__init__({"first": first, "last": last})
        fallback = (today - DEFAULT_RANGE, today)
        self.range: tuple[date, date] = fallback
        if self.is_valid():
            self.range = (self.cleaned_data["first"], self.cleaned_data["last"])

    def clean(self) -> dict[str, Any]:
        asked: dict[str, Any] = self.cleaned_data
        first, last = asked.get("first"), asked.get("last")
        if first and last and first > last:
            told = _("The last day lies before the first. Swap them; you see the last 30 days.")
            self.add_error("last", told)
        elif first and last and last - first > LONGEST_RANGE:
            self.add_error("first", _("At most a year at once. Choose a later first day."))
        return asked


class ToolRuleForm(DeskForm):
    """A tenant's rule for one tool."""

    enabled = forms.BooleanField(
        label=_("The agent may use it"),
        required=False,
        help_text=_("Only a tool that the agent's published version names is offered at all."),
    )
    approval = forms.ChoiceField(label=_("Ask a teammate first"), choices=Asking.choices)
    threshold_argument = forms.ChoiceField(label=_("What is measured"), required=False)
    threshold = forms.DecimalField(
        label=_("Up to this amount nobody is asked"),
        required=False,
        min_value=0,
        max_digits=14,
        decimal_places=2,
        help_text=_("For “Ask above an amount” only."),
    )
    needs_verified = forms.BooleanField(
        label=_("Only for customers who have proven who they are"), required=False
    )
    per_turn = forms.IntegerField(
        label=_("Most calls for one answer"),
        required=False,
        min_value=1,
        max_value=100,
        help_text=_("Empty: no limit of its own."),
    )
    per_day = forms.IntegerField(
        label=_("Most calls in one day"),
        required=False,
        min_value=0,
        max_value=1_000_000,
        help_text=_("Of all conversations together. Empty: no limit."),
    )

    def __init__(self, *args: Any, arguments: Sequence[str], **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [("", "–"), *((name, name) for name in arguments)]
        self.fields["threshold_argument"].choices = choices  # type: ignore[attr-defined]
        if not arguments:
            self._drop_measuring()

    def _drop_measuring(self) -> None:
        """Nothing in the tool's calls is a number: there is no amount to ask above."""
        for name in ("threshold_argument", "threshold"):
            del self.fields[name]
        choices = [choice for choice in Asking.choices if choice[0] != Asking.ABOVE]
        self.fields["approval"].choices = choices  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        if given.get("approval") == Asking.ABOVE:
            missing = {
                "threshold_argument": _("Choose which argument is measured."),
                "threshold": _("Give the amount up to which nobody is asked."),
            }
            for name, told in missing.items():
                if name not in self.errors and given.get(name) in (None, ""):
                    self.add_error(name, told)
        return given


class DecisionForm(forms.Form):
    """Yes or no to one call, and why."""

    verdict = forms.ChoiceField(
        choices=[
            ("approve", _("Approve")),
            ("stand", _("Approve from now on")),
            ("reject", _("Reject")),
        ]
    )
    comment = forms.CharField(required=False, max_length=COMMENT_LIMIT, strip=False)

    @property
    def values(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {"approved": given["verdict"] != "reject", "comment": given["comment"]}

    @property
    def stands(self) -> bool:
        """Whether calls up to this one's sum shall not ask any more."""
        return bool(self.cleaned_data["verdict"] == "stand")
