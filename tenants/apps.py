from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class TenantsConfig(AppConfig):
    name = "tenants"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from tenants import receivers  # noqa: F401, PLC0415 - connects the receivers

        # Of every app: its tables, how they are emptied, why they are kept, and how they travel.
        autodiscover_modules("inventory", "stores", "activities", "portability")
