"""What members type about the agent; services decide."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django import forms
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from agents.models import ModelEndpoint, OneShot, SumsUp
from agents.services.profiles import LIMITS, LONGEST_INSTRUCTIONS, Draft, ProfileSettings
from agents.services.tokens import tokenizer_names
from tenants.console.forms import DeskForm

CONTEXT = {
    "customer": _("Who the customer is: name, plan and what your website signs for"),
    "memory": _("The customer's earlier conversations, in a line each"),
    "passages": _("Passages of the knowledge that fit, without asking for them"),
    "human": _("What a teammate and the customer said before the hand-back"),
}
TOKENIZERS = {"characters": _("By characters"), "bytes": _("By bytes")}
_NUMBER = forms.NumberInput(attrs={"inputmode": "numeric"})


class AgentForm(DeskForm):
    """The draft of a version."""

    endpoint = forms.ChoiceField(label=_("Model"))
    instructions = forms.CharField(
        label=_("Instructions"),
        max_length=LONGEST_INSTRUCTIONS,
        required=False,
        help_text=_(
            "What your agent should know and how it should speak. The desk's own rules of safety"
            " always come first. Put no secrets here."
        ),
        widget=forms.Textarea(attrs={"rows": 14, "dir": "auto"}),
    )
    tools = forms.MultipleChoiceField(
        label=_("Tools"), required=False, widget=forms.CheckboxSelectMultiple
    )
    context = forms.MultipleChoiceField(
        label=_("What it is told beside the conversation"),
        required=False,
        choices=list(CONTEXT.items()),
        help_text=_(
            "Made anew for every answer. The first two only for customers who have proven who they"
            " are."
        ),
        widget=forms.CheckboxSelectMultiple,
    )
    one_shots = forms.MultipleChoiceField(
        label=_("After an answer, it also"),
        required=False,
        choices=OneShot.choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "One short request to the model each, for your team only. The offline agent is no"
            " language model: it takes titles, e-mail addresses, order numbers and a wish for a"
            " person from the words as they stand, and proposes no stage."
        ),
    )
    window = forms.IntegerField(label=_("Messages that it looks back"), widget=_NUMBER)
    token_budget = forms.IntegerField(label=_("Tokens that it looks back"), widget=_NUMBER)
    tokenizer = forms.ChoiceField(
        label=_("How tokens are counted"),
        help_text=_("By bytes is closer for scripts such as Arabic, Chinese or Hindi."),
    )
    sums_up = forms.ChoiceField(
        label=_("Sum up what it does not look back to"),
        choices=SumsUp.choices,
        help_text=_(
            "One request to the model when a conversation grows long. Before an answer misses"
            " nothing, and lets the customer wait for it. The offline agent quotes instead."
        ),
    )
    max_steps = forms.IntegerField(label=_("Steps of one answer at most"), widget=_NUMBER)
    turn_seconds = forms.IntegerField(label=_("Seconds for one answer at most"), widget=_NUMBER)

    def __init__(
        self,
        *args: Any,
        draft: Draft,
        endpoints: Iterable[ModelEndpoint],
        tools: Iterable[tuple[str, str]],
        **options: Any,
    ) -> None:
        self._endpoints = {str(row.id): row for row in endpoints}
        super().__init__(*args, **options)
        chosen = str(draft.endpoint.id) if draft.endpoint else ""
        self.initial = {**asdict(draft.settings), "endpoint": chosen}
        models = [(key, model_label(row)) for key, row in self._endpoints.items()]
        self.fields["endpoint"].choices = models  # type: ignore[attr-defined]
        self.fields["tools"].choices = _tools(tools, draft)  # type: ignore[attr-defined]
        self.fields["tokenizer"].choices = _tokenizers()  # type: ignore[attr-defined]
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
    def settings(self) -> ProfileSettings:
        names = ProfileSettings.__dataclass_fields__
        typed = {name: self.cleaned_data[name] for name in names if name in self.cleaned_data}
        lists = {name: tuple(typed[name]) for name in ("tools", "context", "one_shots")}
        return ProfileSettings(**{**typed, **lists})


def model_label(row: ModelEndpoint) -> str:
    """What a list to choose from says of it."""
    return f"{row.name} ({row.own_model})" if row.own_model else row.name


def tool_label(name: str, about: str) -> SafeString:
    """What a list to tick says of it; both are texts of others."""
    return format_html('<code>{}</code> <span class="muted" dir="auto">{}</span>', name, about)


def _tokenizers() -> list[tuple[str, str]]:
    return [(name, str(TOKENIZERS.get(name, name))) for name in tokenizer_names()]


def _tools(known: Iterable[tuple[str, str]], draft: Draft) -> list[tuple[str, str]]:
    """Every tool there is, and those of the draft that are gone: unticking them is a choice."""
    offered = {name: tool_label(name, about) for name, about in known}
    gone = {
        name: tool_label(name, str(_("No longer there: untick it.")))
        for name in draft.settings.tools
        if name not in offered
    }
    return list((offered | gone).items())
