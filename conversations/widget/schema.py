"""Answers that only the widget API gives."""

from rest_framework import serializers

from conversations.models import ErasureState
from conversations.schema import (
    Answer,
    EventOut,
    OwnConversationOut,
    OwnMessageOut,
    StateOut,
    lines_out,
)
from tenants.gates.schema import paged


class SessionCustomerOut(Answer):
    """Who writes here."""

    id = serializers.UUIDField()
    verified = serializers.BooleanField()


class SessionTenantOut(Answer):
    """What the widget shows of the tenant."""

    name = serializers.CharField()
    locale = serializers.CharField()
    colour = serializers.CharField()
    greeting = serializers.CharField(allow_blank=True)
    agent_name = serializers.CharField()
    hours = serializers.CharField(allow_blank=True)


class SessionOut(Answer):
    """An open session. The token goes into the Authorization header and nowhere else."""

    token = serializers.CharField()
    customer = SessionCustomerOut()
    tenant = SessionTenantOut()
    expires_at = serializers.DateTimeField()


class StartedOut(Answer):
    """A new conversation and its first message."""

    conversation = OwnConversationOut()
    message = OwnMessageOut()


class AskedOut(Answer):
    """The state after the customer's wish."""

    state = StateOut()


class RatingOut(Answer):
    """The verdict that counts now."""

    score = serializers.IntegerField()
    comment = serializers.CharField(allow_blank=True)


class PrivacyRequestOut(Answer):
    """A request that is on the record."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=["export", "erasure"])
    state = serializers.ChoiceField(choices=["received", *ErasureState.values])


PublicLinesOut = lines_out("PublicLines", OwnMessageOut, EventOut)
OwnConversationsOut = paged(OwnConversationOut, "OwnConversations")
