"""The answers of the HTTP contract, for the OpenAPI schema. shapes.py makes them."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import PolymorphicProxySerializer
from rest_framework import serializers

from conversations.models import Event, Handler, Status

Answer = serializers.Serializer[None]


class WidgetScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How a customer's session token is sent."""

    target_class = "conversations.gates.customers.WidgetAuthentication"
    name = "sessionToken"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "The token of `POST sessions` (`wt_…`). It stands in no URL, ever.",
        }


class AuthorOut(Answer):
    """Who said or did it."""

    kind = serializers.ChoiceField(choices=["customer", "agent", "member", "staff", "system"])
    name = serializers.CharField(allow_blank=True)


class SourceOut(Answer):
    """A passage of the tenant's knowledge that an answer rests on."""

    title = serializers.CharField(required=False)
    url = serializers.CharField(required=False)
    heading = serializers.CharField(required=False)
    article = serializers.CharField(required=False)


class FileOut(Answer):
    """A file. Its addresses hold for an hour or two and need no token; take fresh ones with it.

    They are null before it is sent and when it was removed.
    """

    id = serializers.UUIDField()
    name = serializers.CharField(allow_blank=True)
    media_type = serializers.CharField()
    size = serializers.IntegerField()
    width = serializers.IntegerField(allow_null=True)
    height = serializers.IntegerField(allow_null=True)
    url = serializers.CharField(allow_null=True)
    preview_url = serializers.CharField(allow_null=True)
    removed = serializers.BooleanField()


class FilesField(serializers.ListField):
    """Which files go along; how many is the service's to refuse, in words for people."""

    child = serializers.UUIDField()

    def __init__(self, **options: Any) -> None:
        words = "Ids of files that were uploaded and not sent yet, 5 at most."
        super().__init__(required=False, max_length=50, help_text=words, **options)


class UploadFile(serializers.Serializer[None]):
    """One file, as `multipart/form-data`. What it is, is read from its content."""

    file = serializers.FileField()


class MessageOut(Answer):
    """What was said. `html` is safe to show; `text` is what was written."""

    kind = serializers.ChoiceField(choices=["message"])
    id = serializers.UUIDField()
    seq = serializers.IntegerField()
    author = AuthorOut()
    text = serializers.CharField()
    html = serializers.CharField()
    attachments = FileOut(many=True)
    sources = SourceOut(many=True)
    created_at = serializers.DateTimeField()
    edited = serializers.BooleanField()
    superseded = serializers.BooleanField()


class OwnMessageOut(MessageOut):
    """What was said, as the customer sees it. `client_key` is the one of their own post."""

    client_key = serializers.UUIDField(allow_null=True)


class EventOut(Answer):
    """A line of the timeline that the customer may read."""

    kind = serializers.ChoiceField(choices=["event"])
    id = serializers.UUIDField()
    seq = serializers.IntegerField()
    event = serializers.ChoiceField(choices=Event.Kind.choices)
    line = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()


class MemberEventOut(EventOut):
    """A line of the timeline, with who did what."""

    public = serializers.BooleanField()
    by = AuthorOut()
    detail = serializers.DictField()


class NoteOut(Answer):
    """A private remark among members."""

    kind = serializers.ChoiceField(choices=["note"])
    id = serializers.UUIDField()
    seq = serializers.IntegerField()
    author = AuthorOut()
    text = serializers.CharField()
    html = serializers.CharField()
    created_at = serializers.DateTimeField()


class StateOut(Answer):
    """Where a conversation stands."""

    status = serializers.ChoiceField(choices=Status.choices)
    handler = serializers.ChoiceField(choices=Handler.choices)
    assignee_name = serializers.CharField(allow_blank=True)
    agent_typing = serializers.BooleanField()
    can_write = serializers.BooleanField()


def lines_out(name: str, *kinds: type[Answer]) -> type:
    """A page of lines in `seq` order, and the state."""
    line = PolymorphicProxySerializer(
        component_name=f"{name}Line", serializers=list(kinds), resource_type_field_name=None
    )
    fields = {
        "results": serializers.ListField(child=line),
        "state": StateOut(),
        "__doc__": "Lines in the order of their numbers.",
    }
    return type(name, (serializers.Serializer,), fields)


class OwnConversationOut(Answer):
    """A conversation, as its customer sees it."""

    id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=Status.choices)
    handler = serializers.ChoiceField(choices=Handler.choices)
    last_message_at = serializers.DateTimeField(allow_null=True)
    last_message_by = serializers.CharField(allow_blank=True)
    last_message_preview = serializers.CharField(allow_blank=True)
    can_write = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class NamedOut(Answer):
    """A person, by id and name."""

    id = serializers.UUIDField()
    name = serializers.CharField(allow_blank=True)


class SummaryOut(Answer):
    """A row of the inbox."""

    id = serializers.UUIDField()
    title = serializers.CharField(allow_blank=True)
    status = serializers.ChoiceField(choices=Status.choices)
    handler = serializers.ChoiceField(choices=Handler.choices)
    assignee = NamedOut(allow_null=True)
    stage = serializers.CharField(allow_null=True)
    labels = serializers.ListField(child=serializers.CharField())
    customer = NamedOut()
    unread_count = serializers.IntegerField()
    message_count = serializers.IntegerField()
    last_seq = serializers.IntegerField()
    last_message_at = serializers.DateTimeField(allow_null=True)
    last_message_by = serializers.CharField(allow_blank=True)
    last_message_preview = serializers.CharField(allow_blank=True)
    waiting_since = serializers.DateTimeField(allow_null=True)
    snoozed_until = serializers.DateTimeField(allow_null=True)
    approval_pending = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class UsageOut(Answer):
    """What the agent has used in a conversation."""

    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    cost = serializers.CharField()


class ConversationOut(SummaryOut):
    """A conversation, as members see it."""

    mode = serializers.CharField(allow_blank=True)
    title_by = serializers.CharField(allow_blank=True)
    stage_by = serializers.CharField(allow_blank=True)
    stage_reason = serializers.CharField(allow_blank=True)
    dossier = serializers.DictField(
        help_text="`facts`: what the agent noted, each with the `seq` of the message it stands in."
    )
    triage = serializers.DictField(
        help_text="How the customer writes: `language`, `mood`, `urgency`, `wants_person`."
    )
    summary = serializers.CharField(allow_blank=True)
    locale = serializers.CharField(allow_blank=True)
    resolved_at = serializers.DateTimeField(allow_null=True)
    can_write = serializers.BooleanField()
    usage = UsageOut()


class CustomerOut(Answer):
    """A customer; `verified` when the tenant's own server has vouched for the person."""

    id = serializers.UUIDField()
    name = serializers.CharField(allow_blank=True)
    email = serializers.CharField(allow_blank=True)
    email_verified = serializers.BooleanField()
    verified = serializers.BooleanField()
    locale = serializers.CharField(allow_blank=True)
    attributes = serializers.DictField()
    last_seen_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
