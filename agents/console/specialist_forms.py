"""What members type about specialists; services decide."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.console.agent_forms import model_label, tool_label
from agents.models import ModelEndpoint, Specialist
from agents.services.profiles import LONGEST_INSTRUCTIONS
from agents.services.specialists import LIMITS, SpecialistValues, values_of
from tenants.console.forms import DeskForm

_PLAIN: dict[str, Any] = {"dir": "ltr", "spellcheck": "false", "autocomplete": "off"}
_NUMBER = forms.NumberInput(attrs={"inputmode": "numeric"})


class SpecialistForm(DeskForm):
    """One version of a specialist."""

    name = forms.CharField(
        label=_("Name"),
        max_length=60,
        help_text=_("By which the agent asks it, like billing_expert. It stays as it is."),
        widget=forms.TextInput(attrs=_PLAIN),
    )
    description = forms.CharField(
        label=_("When to ask it"),
        max_length=500,
        help_text=_("The agent reads this to decide whom to ask."),
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )
    endpoint = forms.ChoiceField(label=_("Model"))
    instructions = forms.CharField(
        label=_("Instructions"),
        max_length=LONGEST_INSTRUCTIONS,
        required=False,
        help_text=_("It sees these and the task, and nothing of the conversation. No secrets."),
        widget=forms.Textarea(attrs={"rows": 10, "dir": "auto"}),
    )
    tools = forms.MultipleChoiceField(
        label=_("Tools"),
        required=False,
        help_text=_("Without those that a teammate approves: only the main agent can wait."),
        widget=forms.CheckboxSelectMultiple,
    )
    max_steps = forms.IntegerField(label=_("Steps of one answer at most"), widget=_NUMBER)
    seconds = forms.IntegerField(label=_("Seconds for one answer at most"), widget=_NUMBER)
    enabled = forms.BooleanField(label=_("Switched on"), required=False)

    def __init__(
        self,
        *args: Any,
        row: Specialist | None,
        endpoints: Iterable[ModelEndpoint],
        tools: Iterable[tuple[str, str]],
        **options: Any,
    ) -> None:
        self._endpoints = {str(each.id): each for each in endpoints}
        super().__init__(*args, **options)
        self.initial = _initial(row)
        models = [(key, model_label(each)) for key, each in self._endpoints.items()]
        self.fields["endpoint"].choices = models  # type: ignore[attr-defined]
        self.fields["tools"].choices = _tools(tools, row)  # type: ignore[attr-defined]
        self.fields["name"].disabled = row is not None
        for name, (least, most) in LIMITS.items():
            text = _("From {least} to {most}.").format(least=least, most=f"{most:,}")
            self.fields[name].help_text = text

    def clean_instructions(self) -> str:
        """Browsers send other line ends than they were given; an unchanged line is no change."""
        text: str = self.cleaned_data["instructions"]
        return text.replace("\r\n", "\n")

    @property
    def endpoint_row(self) -> ModelEndpoint:
        return self._endpoints[self.cleaned_data["endpoint"]]

    @property
    def values(self) -> SpecialistValues:
        typed = {name: self.cleaned_data[name] for name in SpecialistValues.__dataclass_fields__}
        return SpecialistValues(**{**typed, "tools": tuple(typed["tools"])})


def _initial(row: Specialist | None) -> dict[str, Any]:
    if row is None:
        return {"tools": ["search_knowledge"], "max_steps": 4, "seconds": 30, "enabled": True}
    return {**asdict(values_of(row)), "endpoint": str(row.endpoint_id)}


def _tools(known: Iterable[tuple[str, str]], row: Specialist | None) -> list[tuple[str, str]]:
    """Every tool that it may have, and those that it was given and may not use any more."""
    offered = {name: tool_label(name, about) for name, about in known}
    gone = {
        name: tool_label(name, str(_("Not used: it is gone, or waits for a teammate.")))
        for name in (row.tools if row else [])
        if name not in offered
    }
    return list((offered | gone).items())
