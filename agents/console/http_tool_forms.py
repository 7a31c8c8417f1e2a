"""What members type about tools by configuration and MCP servers; services decide."""

import json
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.console.endpoint_forms import KEEP, REMOVE, SET
from agents.models import HttpTool
from agents.services.http_tools import LONGEST_SCHEMA, HttpToolValues
from agents.services.mcp import McpValues
from tenants.console.forms import DeskForm

EXAMPLE = {
    "type": "object",
    "properties": {"order": {"type": "string", "description": "The order's number."}},
    "required": ["order"],
    "additionalProperties": False,
}
_PLAIN: dict[str, Any] = {"dir": "ltr", "spellcheck": "false", "autocomplete": "off"}


class HeadersForm(DeskForm):
    """Secret headers that go in and never come out."""

    headers_act = forms.ChoiceField(label=_("Stored headers"), widget=forms.RadioSelect)
    headers = forms.CharField(
        label=_("Secret headers"),
        max_length=10_000,
        required=False,
        help_text=_("One a line, like X-Api-Key: …. Encrypted when stored, never shown again."),
        widget=forms.Textarea(attrs={**_PLAIN, "rows": 3}),
    )

    def __init__(self, *args: Any, has_headers: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        acts = [(KEEP, _("Keep them")), (SET, _("Replace them")), (REMOVE, _("Remove them"))]
        if has_headers:
            self.fields["headers_act"].choices = acts  # type: ignore[attr-defined]
            self.fields["headers_act"].initial = KEEP
        else:
            del self.fields["headers_act"]

    def clean_headers(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        for line in self.cleaned_data["headers"].splitlines():
            name, colon, value = line.partition(":")
            if line.strip() and not colon:
                raise forms.ValidationError(_("Write each header as Name: value."))
            if line.strip():
                headers[name.strip()] = value.strip()
        return headers

    def clean(self) -> dict[str, Any]:
        typed: dict[str, Any] = self.cleaned_data
        if typed.get("headers_act") in {KEEP, REMOVE} and typed.get("headers"):
            told = _("You typed headers: choose “Replace them”, or empty the field.")
            self.add_error("headers_act", told)
        return typed

    @property
    def new_headers(self) -> dict[str, str] | None:
        """None keeps the stored ones."""
        typed: dict[str, str] = self.cleaned_data["headers"]
        act = self.cleaned_data.get("headers_act", SET)
        return None if act == KEEP else {} if act == REMOVE else typed


class HttpToolForm(HeadersForm):
    """One request to the tenant's own server. Stored headers are never shown."""

    name = forms.CharField(
        label=_("Name"),
        max_length=60,
        help_text=_("By which the agent calls it, like order_status."),
        widget=forms.TextInput(attrs=_PLAIN),
    )
    description = forms.CharField(
        label=_("What it is for"),
        max_length=500,
        help_text=_("The agent reads this to decide when to use it."),
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )
    method = forms.ChoiceField(
        label=_("Method"),
        choices=HttpTool.Method.choices,
        help_text=_("GET only reads and may be repeated; all others are done once in an answer."),
    )
    url = forms.CharField(
        label=_("Address"),
        max_length=1000,
        help_text=_("Public and https, with arguments: https://shop.example.com/orders/{order}"),
        widget=forms.TextInput(attrs=_PLAIN),
    )
    schema = forms.CharField(
        label=_("Arguments, as a JSON Schema"),
        max_length=LONGEST_SCHEMA,
        widget=forms.Textarea(attrs={**_PLAIN, "rows": 10}),
    )
    response_limit = forms.IntegerField(label=_("Largest answer, in bytes"))
    needs_approval = forms.BooleanField(label=_("A teammate approves each call"), required=False)
    needs_verified = forms.BooleanField(
        label=_("Only for customers who have proven who they are"), required=False
    )
    enabled = forms.BooleanField(label=_("Switched on"), required=False)
    field_order = (
        "name",
        "description",
        "method",
        "url",
        "schema",
        "headers_act",
        "headers",
        "response_limit",
    )

    def clean_schema(self) -> dict[str, Any]:
        try:
            schema = json.loads(self.cleaned_data["schema"])
        except (ValueError, RecursionError):
            raise forms.ValidationError(_("This is no JSON. Check commas and quotes.")) from None
        if not isinstance(schema, dict):
            raise forms.ValidationError(_("Give an object in curly brackets."))
        return schema

    @property
    def values(self) -> HttpToolValues:
        names = HttpToolValues.__dataclass_fields__
        return HttpToolValues(**{name: self.cleaned_data[name] for name in names})


class McpForm(HeadersForm):
    """A server that brings tools of its own."""

    name = forms.CharField(
        label=_("Name"),
        max_length=20,
        help_text=_("Stands before the names of its tools, like weather."),
        widget=forms.TextInput(attrs=_PLAIN),
    )
    url = forms.CharField(
        label=_("Address"),
        max_length=500,
        help_text=_("Public and https; the server speaks MCP by streamable HTTP there."),
        widget=forms.TextInput(attrs=_PLAIN),
    )
    needs_approval = forms.BooleanField(
        label=_("A teammate approves each call"),
        required=False,
        help_text=_("Switch it off only for a server that you trust."),
    )
    enabled = forms.BooleanField(label=_("Switched on"), required=False)
    field_order = ("name", "url", "headers_act", "headers", "needs_approval", "enabled")

    @property
    def values(self) -> McpValues:
        names = McpValues.__dataclass_fields__
        return McpValues(**{name: self.cleaned_data[name] for name in names})
