"""What a privacy officer types to have somebody erased, or to refuse it."""

from django import forms
from django.utils.translation import gettext_lazy as _

from conversations.models import ErasureRequest
from tenants.console.forms import DeskForm

VERIFIED, BY_MAIL = "verified", "mail"


class EraseForm(DeskForm):
    """Why, how the person was verified, the typed word, and the password."""

    reason = forms.CharField(
        label=_("Why"),
        max_length=300,
        help_text=_("How they asked, and when. It is deleted with the rest."),
    )
    verification = forms.ChoiceField(
        label=_("Is it really them who asks?"),
        choices=[
            (VERIFIED, _("Yes, I have verified it")),
            (BY_MAIL, _("Send them a link to confirm it")),
        ],
        widget=forms.RadioSelect,
        initial=VERIFIED,
    )
    confirm = forms.CharField(
        label=_("Type ERASE"),
        max_length=20,
        help_text=_("What is erased cannot be brought back."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    password = forms.CharField(
        label=_("Your password"),
        max_length=128,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class RefuseForm(DeskForm):
    """On which ground."""

    ground = forms.ChoiceField(
        label=_("Why it is not carried out"),
        choices=[one for one in ErasureRequest.Ground.choices if one[0] != "not_confirmed"],
    )


class TargetForm(DeskForm):
    """A system that has copies."""

    label = forms.CharField(label=_("Name"), max_length=60, help_text=_("Like “Shop” or “CRM”."))
    url = forms.CharField(
        label=_("Address"),
        max_length=500,
        help_text=_("It begins with https:// and answers 2xx when it has deleted its copy."),
        widget=forms.URLInput(attrs={"dir": "ltr"}),
    )
