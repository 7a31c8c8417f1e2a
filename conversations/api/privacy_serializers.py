"""What programs send to the privacy desk, and what it answers: policies and holds."""

from typing import Any

from rest_framework import serializers

from conversations.models import Channel, Kind, LegalHold, RetentionPolicy, Status
from conversations.schema import Answer
from conversations.services.holds import REASON_LIMIT
from conversations.services.retention import DAYS_LIMIT, NAME_LIMIT
from tenants.gates.fields import TextField
from tenants.gates.schema import paged

_LABEL_HELP = "A label's name or id, or null for all conversations."


class MakePolicy(serializers.Serializer[None]):
    """What is to end, and after how many days. An empty condition is none."""

    name = TextField(max_length=NAME_LIMIT)
    days = serializers.IntegerField(min_value=1, max_value=DAYS_LIMIT)
    kind = serializers.ChoiceField(default=Kind.MESSAGES, choices=Kind.choices)
    status = serializers.ChoiceField(required=False, allow_blank=True, choices=Status.choices)
    channel = serializers.ChoiceField(required=False, allow_blank=True, choices=Channel.choices)
    label = TextField(  # type: ignore[assignment]
        required=False, allow_null=True, max_length=60, help_text=_LABEL_HELP
    )
    replaces = serializers.UUIDField(
        required=False, allow_null=True, help_text="The policy in force that this one takes over."
    )


class PlaceHold(serializers.Serializer[None]):
    """What is to be kept, and why."""

    customer = TextField(required=False, max_length=254, help_text="An id or an address.")
    conversation = serializers.UUIDField(required=False)
    label = TextField(  # type: ignore[assignment]
        required=False, max_length=60, help_text="A name or an id."
    )
    reason = TextField(max_length=REASON_LIMIT)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """One of the three; a hold on all of them is three holds."""
        named = [scope for scope in LegalHold.Scope.values if scope in attrs]
        if len(named) != 1:
            words = "Name exactly one: customer, conversation or label."
            raise serializers.ValidationError({"customer": [words]})
        return {"scope": named[0], "subject": attrs[named[0]], "reason": attrs["reason"]}


class PolicyOut(Answer):
    """A retention policy. `effective_days` is never more than the platform's maximum."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=Kind.choices)
    status = serializers.ChoiceField(choices=Status.choices, allow_blank=True)
    channel = serializers.ChoiceField(choices=Channel.choices, allow_blank=True)
    label = serializers.CharField(allow_null=True)  # type: ignore[assignment]
    days = serializers.IntegerField()
    effective_days = serializers.IntegerField()
    state = serializers.ChoiceField(choices=RetentionPolicy.State.choices)
    rows = serializers.IntegerField(help_text="What it would have taken when it was made.")
    needs_second = serializers.BooleanField()
    approved_at = serializers.DateTimeField(allow_null=True)
    replaces = serializers.UUIDField(allow_null=True)
    starts_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()


class SampleOut(Answer):
    """A conversation that would go."""

    id = serializers.UUIDField()
    title = serializers.CharField(allow_blank=True)
    last_message_at = serializers.DateTimeField(allow_null=True)


class IdleCustomerOut(Answer):
    """A customer who would go."""

    id = serializers.UUIDField()
    name = serializers.CharField(allow_blank=True)
    last_seen_at = serializers.DateTimeField(allow_null=True)


class PreviewOut(Answer):
    """What a policy would take now; what is under hold is counted apart and stays."""

    counts = serializers.DictField(child=serializers.IntegerField())
    rows = serializers.IntegerField()
    held = serializers.IntegerField()
    samples = SampleOut(many=True)
    customers = IdleCustomerOut(many=True)


class HoldOut(Answer):
    """A legal hold. It keeps until `ends_at`, seven days after its release."""

    id = serializers.UUIDField()
    scope = serializers.ChoiceField(choices=LegalHold.Scope.choices)
    subject = serializers.UUIDField()
    reason = serializers.CharField()
    placed_by = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    released_at = serializers.DateTimeField(allow_null=True)
    ends_at = serializers.DateTimeField(allow_null=True)


class RunOut(Answer):
    """What one policy took in one round. Without a policy it is the platform's maximum.

    Held back it has deleted nothing yet: `due` pieces are hidden until somebody confirms.
    """

    id = serializers.UUIDField()
    policy = serializers.UUIDField(allow_null=True)
    name = serializers.CharField()
    days = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField())
    rows = serializers.IntegerField()
    due = serializers.IntegerField()
    held_back_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


RunsOut = paged(RunOut, "RetentionRuns")
PoliciesOut = paged(PolicyOut, "RetentionPolicies")
HoldsOut = paged(HoldOut, "LegalHolds")
