"""What members send about the agent. Serializers check; services write."""

from rest_framework import serializers

from agents.models import Approval
from agents.selectors.usage import LEVELS
from agents.services.approvals import COMMENT_LIMIT
from agents.services.budgets import MOST_TOKENS
from tenants.gates.fields import SEQ_LIMIT, TextField
from tenants.gates.paging import PageQuery

ARTICLE_LIMIT = 200_000


class TurnsQuery(serializers.Serializer[None]):
    """How many of the newest turns."""

    limit = serializers.IntegerField(default=50, min_value=1, max_value=200)


class UsageQuery(serializers.Serializer[None]):
    """Both days included; without them the last thirty days."""

    by = serializers.ChoiceField(default="day", choices=LEVELS)

    def get_fields(self) -> dict[str, serializers.Field]:  # type: ignore[type-arg]
        """`from` is a word of the language and no name of an attribute."""
        fields = super().get_fields()
        fields["from"] = serializers.DateField(required=False)
        fields["to"] = serializers.DateField(required=False)
        return fields


class SearchQuery(serializers.Serializer[None]):
    """A question as a customer would ask it; `previous` is the line before it."""

    q = serializers.CharField(max_length=2000)
    previous = serializers.CharField(required=False, max_length=2000)
    limit = serializers.IntegerField(default=10, min_value=1, max_value=50)


class ArticlesQuery(PageQuery):
    """Which page of the articles."""


class WriteArticle(serializers.Serializer[None]):
    """A page of the knowledge in Markdown; an empty `language` is guessed."""

    title = TextField(max_length=300)
    body = TextField(max_length=ARTICLE_LIMIT)
    source = serializers.CharField(  # type: ignore[assignment]
        required=False, allow_blank=True, max_length=500, default=""
    )
    language = serializers.CharField(required=False, allow_blank=True, max_length=12, default="")


def _tokens() -> serializers.IntegerField:
    return serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=0, max_value=MOST_TOKENS
    )


def _money() -> serializers.DecimalField:
    return serializers.DecimalField(
        required=False, allow_null=True, default=None, min_value=0, max_digits=12, decimal_places=2
    )


class SetBudget(serializers.Serializer[None]):
    """All limits at once; null or left out: not limited. Money counts in `currency` alone."""

    currency = serializers.RegexField(
        r"^[A-Z]{3}\Z", error_messages={"invalid": "Give three capital letters, like USD."}
    )
    turn_tokens, turn_cost = _tokens(), _money()
    conversation_tokens, conversation_cost = _tokens(), _money()
    day_tokens, day_cost = _tokens(), _money()
    month_tokens, month_cost = _tokens(), _money()


class ApprovalsQuery(serializers.Serializer[None]):
    """Which approvals."""

    state = serializers.ChoiceField(default=Approval.State.PENDING, choices=Approval.State.choices)
    limit = serializers.IntegerField(default=50, min_value=1, max_value=200)


class DecideApproval(serializers.Serializer[None]):
    """Why, for the team and for the agent; the customer does not see it."""

    comment = TextField(required=False, max_length=COMMENT_LIMIT, default="")


class SendDraft(serializers.Serializer[None]):
    """A draft as a message of the member, in its own words or in `text`.

    `read_seq` is the last line that the member has read; a stale draft does not go without it.
    """

    client_key = serializers.UUIDField()
    text = TextField(required=False)
    read_seq = serializers.IntegerField(required=False, min_value=0, max_value=SEQ_LIMIT)
