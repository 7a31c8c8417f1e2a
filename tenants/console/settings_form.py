"""The form of the settings page."""

import re
import zoneinfo
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from tenants.console.forms import DeskForm
from tenants.models import AgentMode

_HOST = re.compile(r"(?=.{1,253}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}")


class SettingsForm(DeskForm):
    """What customers see of the tenant, and whether its agent answers."""

    name = forms.CharField(label=_("Company"), max_length=120)
    agent_name = forms.CharField(
        label=_("Name of the agent"),
        max_length=60,
        help_text=_("Customers always see that it is an AI agent."),
    )
    agent_mode = forms.ChoiceField(
        label=_("The agent"),
        choices=[
            (AgentMode.AUTO, _("answers customers by itself")),
            (AgentMode.DRAFT, _("writes drafts that your team sends, changes or throws away")),
            (AgentMode.OFF, _("does not answer: your team does")),
        ],
    )
    greeting = forms.CharField(label=_("Greeting"), max_length=300)
    hours = forms.CharField(
        label=_("Opening hours of your team"),
        required=False,
        max_length=200,
        help_text=_("As customers should read them. The agent knows them too."),
    )
    locale = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES)
    time_zone = forms.ChoiceField(label=_("Time zone"))
    colour = forms.RegexField(
        label=_("Colour of the widget"),
        regex=r"^#[0-9a-f]{6}$",
        widget=forms.TextInput(attrs={"type": "color"}),
        error_messages={"invalid": _("Give a colour like #0f766e.")},
    )
    link_hosts = forms.CharField(
        label=_("Websites that answers may link to"),
        required=False,
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "dir": "ltr"}),
        help_text=_("One a line, like help.example.com. Other links are shown as plain text."),
    )

    approval_limit = forms.DecimalField(
        label=_("What support agents may approve"),
        min_value=0,
        max_digits=12,
        decimal_places=2,
        help_text=_("Above this sum only admins decide on what the agent asks to do."),
    )
    approval_hours = forms.IntegerField(
        label=_("Hours that a request of the agent waits"),
        min_value=1,
        max_value=720,
        help_text=_("Then nothing is done and your team has the conversation."),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        zones = sorted(zoneinfo.available_timezones())
        self.fields["time_zone"].choices = [(zone, zone) for zone in zones]  # type: ignore[attr-defined]

    def clean_link_hosts(self) -> list[str]:
        hosts: list[str] = self.cleaned_data["link_hosts"].lower().split()
        for host in hosts:
            if not _HOST.fullmatch(host):
                raise forms.ValidationError(_("“%(host)s” is no host name."), params={"host": host})
        return hosts
