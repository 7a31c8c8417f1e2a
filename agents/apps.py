from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "agents"

    def ready(self) -> None:
        from agents import receivers  # noqa: F401, PLC0415 - connects the receivers
