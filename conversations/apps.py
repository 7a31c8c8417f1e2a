from django.apps import AppConfig


class ConversationsConfig(AppConfig):
    name = "conversations"

    def ready(self) -> None:
        from conversations import receivers  # noqa: F401, PLC0415 - connects the receivers
