"""One valid row of any table, made from what its model says; for tests that walk all tables."""

from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

from django.apps import apps
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models.fields import NOT_PROVIDED
from django.utils import timezone

from conversations.models import Customer
from tenants.scoping import TenantScopedModel, current_tenant_id

Row = TenantScopedModel

# Where a field's type does not say enough: a value, or how to make one, by model and field.
_WANTED: dict[str, dict[str, Any]] = {
    # Of two: nobody is merged with themselves.
    "conversations.CustomerMerge": {"target": Customer.objects.create},
    "tenants.AuditEntry": {"tenant_id": current_tenant_id, "actor_id": uuid4},
    # Sent: it has a conversation, so it has a place in it.
    "conversations.Attachment": {"seq": 1},
    # Their names are what the model calls, and plain by constraint.
    "agents.HttpTool": {"name": "look_up"},
    "agents.McpServer": {"name": "shop"},
    "agents.Specialist": {"name": "orders"},
}


def scoped_models() -> list[type[Row]]:
    """Every table of tenants' rows, whichever app it belongs to."""
    return [model for model in apps.get_models() if issubclass(model, TenantScopedModel)]


class Rows:
    """Makes at most one row a model inside the open scope, and its parents before it."""

    def __init__(self) -> None:
        self.made: dict[type[models.Model], models.Model] = {}

    def one(self, model: type[models.Model]) -> Any:
        """The row of this model, made when first asked for."""
        if model not in self.made:
            self.made[model] = model._base_manager.create(**self._values(model))
        return self.made[model]

    def _values(self, model: type[models.Model]) -> dict[str, Any]:
        values = {
            field.name: self._value(field)
            for field in model._meta.concrete_fields
            if _is_needed(field) or _is_scoped_key(field)
        }
        wanted = _WANTED.get(model._meta.label, {})
        return values | {name: v() if callable(v) else v for name, v in wanted.items()}

    def _value(self, field: "models.Field[Any, Any]") -> Any:
        if isinstance(field, models.ForeignKey):
            parent = field.related_model
            return None if parent is field.model else self.one(parent)
        if field.choices:
            return next(iter(field.flatchoices))[0]
        for kind, make in _BY_TYPE.items():
            if isinstance(field, kind):
                return _shortened(make(), field)
        raise LookupError(f"Say in tests/support/rows.py what {field} may hold.")


def _shortened(value: Any, field: "models.Field[Any, Any]") -> Any:
    return value[: field.max_length] if isinstance(value, str) else value


def _is_needed(field: "models.Field[Any, Any]") -> bool:
    given = field.default is not NOT_PROVIDED or field.db_default is not NOT_PROVIDED
    return not (field.null or given or field.primary_key)


def _is_scoped_key(field: "models.Field[Any, Any]") -> bool:
    """Optional links too: they are ways from one tenant to another."""
    return isinstance(field, models.ForeignKey) and issubclass(
        field.related_model,
        TenantScopedModel,
    )


_BY_TYPE: "dict[type[models.Field[Any, Any]], Any]" = {
    models.EmailField: lambda: f"{uuid4().hex}@example.com",
    models.CharField: lambda: uuid4().hex[:12],
    models.TextField: lambda: f"text {uuid4().hex}",
    models.BinaryField: lambda: uuid4().bytes,
    models.UUIDField: uuid4,
    models.JSONField: dict,
    SearchVectorField: lambda: "word",
    models.BooleanField: bool,
    models.IntegerField: lambda: 1,
    models.DecimalField: lambda: Decimal(1),
    models.FloatField: lambda: 1.0,
    models.DateTimeField: lambda: timezone.now() + timedelta(hours=1),
    models.DateField: lambda: timezone.now().date(),
}
