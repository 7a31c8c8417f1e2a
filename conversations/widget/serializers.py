"""What customers send. Serializers check; services write."""

from rest_framework import serializers

from conversations.schema import FilesField
from tenants.gates.fields import TextField


class StartSession(serializers.Serializer[None]):
    """The widget's public key, and the website's proof of who the customer is, if it has one."""

    key = TextField(max_length=100)
    identity = TextField(required=False)


class Post(serializers.Serializer[None]):
    """A message; `client_key` makes a repeated post the same message.

    `text` may be empty when files speak for themselves.
    """

    client_key = serializers.UUIDField()
    text = TextField()
    attachments = FilesField()


class Rate(serializers.Serializer[None]):
    """A verdict on the conversation."""

    score = serializers.IntegerField(min_value=1, max_value=5)
    comment = TextField(required=False, default="")


class AskPrivacy(serializers.Serializer[None]):
    """What a customer wants to happen with their data."""

    kind = serializers.ChoiceField(choices=["export", "erasure"])
