from django.apps import AppConfig


class DeskConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        from config import checks  # noqa: F401, PLC0415 - registers the checks
