from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class TenantsConfig(AppConfig):
    name = "tenants"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from tenants import receivers  # noqa: F401, PLC0415 - connects the receivers

        # Every app's inventory.py registers its tables, its stores.py how they are emptied, and its
        # portability.py how they travel.
        autodiscover_modules("inventory", "stores", "portability")
