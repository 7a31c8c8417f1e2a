"""Fields of request bodies that take exactly what they say."""

from typing import Any

from rest_framework import serializers

SEQ_LIMIT = 2**63 - 1


class TextField(serializers.CharField):
    """Text as it was sent: no number becomes a word, and no space is lost.

    What may not be stored, and how much, is the service's to refuse, with codes of their own.
    """

    def __init__(self, **options: Any) -> None:
        options = {"allow_blank": True, "trim_whitespace": False} | options
        super().__init__(**options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class LinesQuery(serializers.Serializer[None]):
    """A page of lines: the oldest after a number, or the newest, before a number if given."""

    after_seq = serializers.IntegerField(required=False, min_value=0, max_value=SEQ_LIMIT)
    before_seq = serializers.IntegerField(required=False, min_value=0, max_value=SEQ_LIMIT)
    limit = serializers.IntegerField(default=50, min_value=1, max_value=200)


class Nothing(serializers.Serializer[None]):
    """An empty body."""
