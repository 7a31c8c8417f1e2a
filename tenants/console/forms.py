"""What people type; services decide."""

from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.utils.translation import gettext_lazy as _

from tenants.errors import DeskError
from tenants.models import Member, Role, User
from tenants.permissions import Permission, may

# Not of their kin: an address or a password reads from left to right.
_WORDS = (forms.TextInput, forms.Textarea)


class DeskForm(forms.Form):
    """A form that can show the refusal of a service, and takes words of any direction."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for field in self.fields.values():
            if type(field.widget) in _WORDS:
                field.widget.attrs.setdefault("dir", "auto")

    @property
    def wrong_fields(self) -> list[forms.BoundField]:
        """For the head of a form: the fields that say what is wrong with them."""
        return [field for field in self.visible_fields() if field.errors]

    def refuse(self, error: DeskError) -> None:
        """By the field that the refusal names, else above the form."""
        named = {name: lines for name, lines in error.errors.items() if name in self.fields}
        for name, lines in named.items():
            self.add_error(name, lines)
        if not named:
            self.add_error(None, error.detail)


class SignInForm(DeskForm):
    """Address and password; long input is refused before it is hashed."""

    username = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    password = forms.CharField(
        label=_("Password"),
        max_length=128,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class NewAccountForm(DeskForm):
    """For somebody invited who has no account yet."""

    name = forms.CharField(
        label=_("Your name"),
        max_length=120,
        help_text=_("Customers see it when you answer them."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    password = forms.CharField(
        label=_("Choose a password"),
        max_length=128,
        strip=False,
        help_text=_("At least 12 characters; a few words are easier to keep than signs."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, email: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.email = email

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        validate_password(password, User(email=self.email, name=self.cleaned_data.get("name", "")))
        return password


class JoinForm(DeskForm):
    """For somebody invited who is signed in already: one button."""


class RoleForm(DeskForm):
    """A role that this member may give."""

    role = forms.ChoiceField(label=_("Role"))

    def __init__(self, *args: Any, by: Member, **options: Any) -> None:
        super().__init__(*args, **options)
        roles = [choice for choice in Role.choices if _may_give(by, choice[0])]
        self.fields["role"].choices = roles  # type: ignore[attr-defined]


class InviteForm(RoleForm):
    """Whom to ask into the team."""

    email = forms.EmailField(label=_("E-mail address"), max_length=254)
    field_order = ["email", "role"]


class WidgetKeyForm(DeskForm):
    """The settings of a widget key."""

    label = forms.CharField(label=_("Name"), max_length=80)
    allowed_origins = forms.CharField(
        label=_("Websites that may show the widget"),
        required=False,
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "dir": "ltr"}),
        help_text=_("One a line, like https://shop.example.com; :* stands for every port."),
    )
    identity_required = forms.BooleanField(
        label=_("Only customers whose identity your server has signed"), required=False
    )
    active = forms.BooleanField(label=_("In use"), required=False, initial=True)

    def clean_allowed_origins(self) -> list[str]:
        text: str = self.cleaned_data["allowed_origins"]
        return text.split()


class ApiKeyForm(DeskForm):
    """A name by which to tell the key apart."""

    label = forms.CharField(
        label=_("Name"), max_length=80, help_text=_("The program that will use it.")
    )


def _may_give(by: Member, role: str) -> bool:
    return role != Role.OWNER or may(by, Permission.OWNERS)
