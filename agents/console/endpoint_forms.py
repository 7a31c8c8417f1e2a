"""What members type about model endpoints; services decide."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.models import Api, History, StrayId
from agents.services.endpoints import EndpointValues
from tenants.console.forms import DeskForm

KEEP, SET, REMOVE = "keep", "set", "remove"
_PLAIN: dict[str, Any] = {"dir": "ltr", "spellcheck": "false", "autocomplete": "off"}


class EndpointForm(DeskForm):
    """A model, its server, its price and its limits. A stored key is never shown."""

    name = forms.CharField(
        label=_("Name"), max_length=80, help_text=_("By which your team tells it apart.")
    )
    api = forms.ChoiceField(
        label=_("Protocol"),
        choices=Api.choices,
        help_text=_(
            "Chat Completions fits most servers: OpenAI, Azure (v1), DeepSeek, Qwen, vLLM and many"
            " more. Responses is OpenAI's newer one, Messages is Anthropic's."
        ),
    )
    base_url = forms.CharField(
        label=_("Base URL"),
        max_length=500,
        required=False,
        help_text=_("Like https://models.example.com/v1. Empty: the provider's own address."),
        widget=forms.TextInput(attrs=_PLAIN),
    )
    model = forms.CharField(
        label=_("Model"),
        max_length=120,
        help_text=_("As its provider spells it."),
        widget=forms.TextInput(attrs=_PLAIN),
    )
    key_act = forms.ChoiceField(label=_("Stored key"), widget=forms.RadioSelect)
    key = forms.CharField(
        label=_("Key"),
        max_length=500,
        required=False,
        help_text=_("Encrypted when stored, and never shown again."),
        widget=forms.PasswordInput(attrs={**_PLAIN, "autocomplete": "new-password"}),
    )
    input_price = forms.DecimalField(
        label=_("Price of a million input tokens"), max_digits=12, decimal_places=6
    )
    output_price = forms.DecimalField(
        label=_("Price of a million output tokens"), max_digits=12, decimal_places=6
    )
    currency = forms.RegexField(
        r"^[A-Z]{3}$",
        label=_("Currency of the prices"),
        max_length=3,
        strip=True,
        error_messages={"invalid": _("Give three capital letters, like USD.")},
    )
    max_output_tokens = forms.IntegerField(label=_("Longest answer, in tokens"))
    timeout_seconds = forms.IntegerField(label=_("Time limit of a call, in seconds"))
    history = forms.ChoiceField(
        label=_("Who remembers the conversation for the model"),
        choices=History.choices,
        required=False,
        help_text=_(
            "The provider: with the Responses protocol, and for comparing and moving only. Each"
            " conversation then stays on its servers, under its rules: what you edit, black out or"
            " erase here stays there, and what the model saw cannot be shown whole. Your own copy"
            " stays complete."
        ),
    )
    stray_id = forms.ChoiceField(
        label=_("If the provider keeps a conversation unasked"),
        choices=StrayId.choices,
        required=False,
        help_text=_("Its id is never used. By default the turn stops, so that you hear of it."),
    )

    def __init__(self, *args: Any, has_key: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        acts = [(KEEP, _("Keep it")), (SET, _("Replace it")), (REMOVE, _("Remove it"))]
        if has_key:
            self.fields["key_act"].choices = acts  # type: ignore[attr-defined]
            self.fields["key_act"].initial = KEEP
        else:
            del self.fields["key_act"]

    def clean(self) -> dict[str, Any]:
        typed: dict[str, Any] = self.cleaned_data
        if typed.get("key_act") == SET and not typed.get("key"):
            self.add_error("key", _("Enter the new key."))
        if typed.get("key_act") in {KEEP, REMOVE} and typed.get("key"):
            self.add_error(
                "key_act", _("You typed a key: choose “Replace it”, or empty the field.")
            )
        typed["history"] = typed.get("history") or History.OWN
        typed["stray_id"] = typed.get("stray_id") or StrayId.RAISE
        return typed

    @property
    def values(self) -> EndpointValues:
        names = EndpointValues.__dataclass_fields__
        return EndpointValues(**{name: self.cleaned_data[name] for name in names})

    @property
    def new_key(self) -> str | None:
        """None keeps the stored one; empty removes it."""
        typed: str = self.cleaned_data["key"].strip()
        act = self.cleaned_data.get("key_act", SET)
        return {KEEP: None, REMOVE: ""}.get(act, typed)
