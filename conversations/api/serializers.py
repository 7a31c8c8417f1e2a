"""What members send. Serializers check; services write."""

from rest_framework import serializers

from conversations.models import Handler, Status
from conversations.schema import FilesField
from conversations.selectors.inbox import ACTIVE, ORDERS
from tenants.gates.fields import SEQ_LIMIT, TextField
from tenants.gates.paging import PageQuery
from tenants.models import AgentMode


class InboxQuery(PageQuery):
    """Which conversations, and in which order. `active` is open or snoozed."""

    status = serializers.ChoiceField(required=False, choices=[*Status.values, ACTIVE])
    handler = serializers.ChoiceField(required=False, choices=Handler.values)
    assignee = serializers.CharField(
        required=False, max_length=40, help_text="A member's id, `me` or `none`."
    )
    stage = serializers.CharField(required=False, max_length=60)
    label = serializers.CharField(required=False, max_length=60)  # type: ignore[assignment]
    q = serializers.CharField(required=False, max_length=200)
    sort = serializers.ChoiceField(default="last_message", choices=list(ORDERS))


class CustomersQuery(PageQuery):
    """Which customers."""

    q = serializers.CharField(required=False, max_length=200)


class ChangeConversation(serializers.Serializer[None]):
    """What a member may set. What a member wrote is never overwritten by the agent."""

    title = TextField(required=False)
    stage = TextField(
        required=False, allow_null=True, max_length=60, help_text="A stage's name or id, or null."
    )
    assignee = TextField(
        required=False, allow_null=True, max_length=40, help_text="A member's id, `me`, or null."
    )
    mode = serializers.ChoiceField(
        required=False,
        allow_blank=True,
        choices=AgentMode.choices,
        help_text="What the agent does here; empty as the settings say.",
    )
    labels = serializers.ListField(required=False, child=TextField(max_length=60), max_length=50)


class Reply(serializers.Serializer[None]):
    """An answer. `seen_seq` is the last line that its writer has seen.

    `text` may be empty when files speak for themselves.
    """

    client_key = serializers.UUIDField()
    text = TextField()
    seen_seq = serializers.IntegerField(required=False, min_value=0, max_value=SEQ_LIMIT)
    attachments = FilesField()


class WriteNote(serializers.Serializer[None]):
    """A private remark; `client_key` makes a repeated post the same note."""

    text = TextField()
    client_key = serializers.UUIDField(required=False)


class Snooze(serializers.Serializer[None]):
    """Out of sight until then."""

    until = serializers.DateTimeField()


class Edit(serializers.Serializer[None]):
    """New words."""

    text = TextField()


class Redact(serializers.Serializer[None]):
    """Which characters to black out: from `start` up to, not including, `end`."""

    start = serializers.IntegerField(min_value=0, max_value=SEQ_LIMIT)
    end = serializers.IntegerField(min_value=1, max_value=SEQ_LIMIT)
