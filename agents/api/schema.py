"""The answers of the agent's part of the member API, for the OpenAPI schema."""

from rest_framework import serializers

from agents.models import Approval, ModelCall, ToolCall, Turn, TurnState
from tenants.gates.schema import paged

Answer = serializers.Serializer[None]


class TurnErrorOut(Answer):
    """Why the last attempt failed; for members only."""

    code = serializers.CharField()
    provider_status = serializers.IntegerField(allow_null=True)
    detail = serializers.CharField(allow_blank=True)


class ModelCallOut(Answer):
    """One request to a model."""

    purpose = serializers.ChoiceField(choices=ModelCall.Purpose.choices)
    specialist = serializers.CharField(allow_blank=True)
    api = serializers.CharField()
    model = serializers.CharField()
    attempt = serializers.IntegerField()
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    cached_tokens = serializers.IntegerField()
    reasoning_tokens = serializers.IntegerField()
    cost = serializers.CharField()
    currency = serializers.CharField()
    duration_ms = serializers.IntegerField()
    outcome = serializers.ChoiceField(choices=ModelCall.Outcome.choices)
    error_code = serializers.CharField(allow_blank=True)
    estimated = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class ToolCallOut(Answer):
    """One use of a tool."""

    step = serializers.IntegerField()
    name = serializers.CharField()
    arguments = serializers.DictField()
    result = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(choices=ToolCall.State.choices)
    duration_ms = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class TurnOut(Answer):
    """One round that the agent owed an answer for."""

    id = serializers.UUIDField()
    conversation = serializers.UUIDField()
    state = serializers.ChoiceField(choices=TurnState.choices)
    reason = serializers.ChoiceField(choices=Turn.Reason.choices)
    retry_of = serializers.UUIDField(allow_null=True)
    attempts = serializers.IntegerField()
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    cost = serializers.CharField()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    error = TurnErrorOut(allow_null=True)
    model_calls = ModelCallOut(many=True)
    tool_calls = ToolCallOut(many=True)


class DraftOut(Answer):
    """What the agent would say; `stale` when something was said since it looked."""

    id = serializers.UUIDField()
    turn = serializers.UUIDField()
    text = serializers.CharField()
    sources = serializers.ListField(child=serializers.DictField())
    saw_seq = serializers.IntegerField()
    stale = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class DraftNowOut(Answer):
    """The open draft of a conversation, if there is one."""

    draft = DraftOut(allow_null=True)
    newest_seq = serializers.IntegerField()
    writing = serializers.BooleanField()


class UsedOut(Answer):
    """The sum of some model calls in one currency."""

    key = serializers.CharField(allow_null=True)
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    currency = serializers.CharField()
    calls = serializers.IntegerField()
    failed_calls = serializers.IntegerField()
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    cost = serializers.CharField()


class UsageReportOut(Answer):
    """Usage by one level, and the totals; sums agree at every level."""

    results = UsedOut(many=True)
    totals = UsedOut(many=True)


class BudgetOut(Answer):
    """Null is no limit; `reached` is the code of the day's or month's limit that is used up."""

    currency = serializers.CharField()
    turn_tokens = serializers.IntegerField(allow_null=True)
    turn_cost = serializers.CharField(allow_null=True)
    conversation_tokens = serializers.IntegerField(allow_null=True)
    conversation_cost = serializers.CharField(allow_null=True)
    day_tokens = serializers.IntegerField(allow_null=True)
    day_cost = serializers.CharField(allow_null=True)
    month_tokens = serializers.IntegerField(allow_null=True)
    month_cost = serializers.CharField(allow_null=True)
    reached = serializers.CharField(allow_null=True)


class ArticleSummaryOut(Answer):
    """A page of the knowledge, without its text."""

    id = serializers.UUIDField()
    title = serializers.CharField()
    source = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    language = serializers.CharField()
    characters = serializers.IntegerField()
    updated_at = serializers.DateTimeField()


class ArticleOut(ArticleSummaryOut):
    """A page of the knowledge."""

    body = serializers.CharField()


class FoundArticleOut(Answer):
    """Where a passage stands."""

    id = serializers.UUIDField()
    title = serializers.CharField()
    source = serializers.CharField(allow_blank=True)  # type: ignore[assignment]


class FoundOut(Answer):
    """A passage that may answer."""

    article = FoundArticleOut()
    heading = serializers.CharField(allow_blank=True)
    excerpt = serializers.CharField()
    score = serializers.FloatField()


class SearchOut(Answer):
    """All ranked passages, best first; the agent answers only when they are `sufficient`."""

    results = FoundOut(many=True)
    sufficient = serializers.BooleanField()


class ApprovalOut(Answer):
    """A tool call that waits for a member's decision."""

    id = serializers.UUIDField()
    conversation = serializers.UUIDField()
    turn = serializers.UUIDField()
    tool = serializers.CharField()
    arguments = serializers.DictField()
    why = serializers.CharField(allow_blank=True)
    amount = serializers.CharField(allow_null=True)
    state = serializers.ChoiceField(choices=Approval.State.choices)
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    decided_by = serializers.CharField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    comment = serializers.CharField(allow_blank=True)


class TurnsOut(Answer):
    """The newest turns, newest first."""

    results = TurnOut(many=True)


class ApprovalsOut(Answer):
    """What waits, oldest first; what is over, newest first."""

    results = ApprovalOut(many=True)


ArticlesOut = paged(ArticleSummaryOut, "Articles")
