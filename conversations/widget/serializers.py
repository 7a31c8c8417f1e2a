"""What customers send. Serializers check; services write."""

from rest_framework import serializers

from tenants.gates.fields import TextField

SEQ_LIMIT = 2**63 - 1


class StartSession(serializers.Serializer[None]):
    """The widget's public key, and the website's proof of who the customer is, if it has one."""

    key = TextField(max_length=100)
    identity = TextField(required=False)


class Post(serializers.Serializer[None]):
    """A message; `client_key` makes a repeated post the same message."""

    client_key = serializers.UUIDField()
    text = TextField()


class LinesQuery(serializers.Serializer[None]):
    """A page of lines: the oldest after a number, or the newest, before a number if given."""

    after_seq = serializers.IntegerField(required=False, min_value=0, max_value=SEQ_LIMIT)
    before_seq = serializers.IntegerField(required=False, min_value=0, max_value=SEQ_LIMIT)
    limit = serializers.IntegerField(default=50, min_value=1, max_value=200)


class Rate(serializers.Serializer[None]):
    """A verdict on the conversation."""

    score = serializers.IntegerField(min_value=1, max_value=5)
    comment = TextField(required=False, default="")


class AskPrivacy(serializers.Serializer[None]):
    """What a customer wants to happen with their data."""

    kind = serializers.ChoiceField(choices=["export", "erasure"])


class Nothing(serializers.Serializer[None]):
    """An empty body."""
