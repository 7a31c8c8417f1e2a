"""What is asked for on the retention and hold pages."""

import hashlib
import json
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from conversations.models import Channel, Kind, Label, LegalHold, RetentionPolicy, Status
from conversations.selectors.details import all_label_names
from conversations.services.holds import REASON_LIMIT
from conversations.services.retention import DAYS_LIMIT, NAME_LIMIT, PolicySettings
from tenants.console.forms import DeskForm


class PolicyForm(DeskForm):
    """A policy. It is saved only after its preview was seen for these very values."""

    name = forms.CharField(
        label=_("Name"), max_length=NAME_LIMIT, help_text=_("Reports are made in this name.")
    )
    kind = forms.ChoiceField(
        label=_("What is deleted"),
        choices=Kind.choices,
        help_text=_(
            "Files go alone: their messages stay and say that a file was removed. Exports end by"
            " themselves after 72 hours, and certificates name nobody. The audit record is kept; it"
            " names nobody."
        ),
    )
    days = forms.IntegerField(
        label=_("Days to keep"),
        min_value=1,
        max_value=DAYS_LIMIT,
        help_text=_(
            "Conversations: since the last message, or since they were resolved after it."
            " Customers: since they were last here, and never before their conversations have"
            " ended. Everything else: since it was written. If several policies fit, the shortest"
            " decides."
        ),
    )
    status = forms.ChoiceField(
        label=_("Only with this status"),
        required=False,
        choices=[("", _("Any status")), *Status.choices],
    )
    label = forms.ChoiceField(label=_("Only with this label"), required=False)
    channel = forms.ChoiceField(
        label=_("Only from this channel"),
        required=False,
        choices=[("", _("Any channel")), *Channel.choices],
    )
    previewed = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, replaces: RetentionPolicy | None = None, **kw: Any) -> None:
        super().__init__(*args, **kw)
        self.replaces = replaces
        names = [(name, name) for name in all_label_names()]
        every = [("", _("With or without labels"))]
        self.fields["label"].choices = every + names  # type: ignore[attr-defined]

    def asked(self, label: Label | None) -> PolicySettings:
        values = {name: self.cleaned_data[name] for name in _VALUES if name != "label"}
        return PolicySettings(**values, label=label, replaces=self.replaces)

    @property
    def digest(self) -> str:
        """Of the values that decide what goes: the name may change after the preview."""
        values = [str(self.cleaned_data[name] or "") for name in _VALUES if name != "name"]
        return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:32]

    @property
    def was_previewed(self) -> bool:
        return bool(self.cleaned_data["previewed"] == self.digest)

    def remember_preview(self) -> None:
        """The next post of the same values saves."""
        self.data = {**self.data.dict(), "previewed": self.digest}  # type: ignore[attr-defined]


_VALUES = ("name", "kind", "days", "status", "label", "channel")


def initial_of(policy: RetentionPolicy | None) -> dict[str, Any]:
    """The form's first values: those of the policy that is to be replaced."""
    if policy is None:
        return {"status": Status.RESOLVED}
    values = {name: getattr(policy, name) for name in _VALUES}
    return values | {"label": policy.label.name if policy.label else ""}


class HoldForm(DeskForm):
    """What to keep, and why."""

    scope = forms.ChoiceField(label=_("What is kept"), choices=LegalHold.Scope.choices)
    subject = forms.CharField(
        label=_("Which one"),
        max_length=254,
        help_text=_(
            "A customer's e-mail address or id, a conversation's id (it stands in the address of"
            " its page), or a label's name."
        ),
    )
    reason = forms.CharField(
        label=_("Why"),
        max_length=REASON_LIMIT,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Officers of your team read it. A file number says enough: name nobody."),
    )
