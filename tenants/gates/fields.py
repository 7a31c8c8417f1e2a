"""Fields of request bodies that take exactly what they say."""

from typing import Any

from rest_framework import serializers


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
