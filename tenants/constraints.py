"""Constraints that Django lacks, as `Meta.constraints`, so that migrations carry them."""

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import DEFAULT_DB_ALIAS
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import BaseConstraint, Model

# Inside a scalar sub-select the planner evaluates it once a statement, not once a row. Without
# `missing_ok` a forgotten scope is an error and never an empty result.
CURRENT_TENANT = "(SELECT current_setting('app.tenant_id')::uuid)"


class _SqlConstraint(BaseConstraint):
    """Queues its SQL behind the tables of the same migration: parents may come after children."""

    @abstractmethod
    def _create(self, table: str) -> str: ...

    def constraint_sql(self, model: type[Model] | None, schema_editor: Any) -> str:
        self._queue(model, schema_editor)
        return ""

    def create_sql(self, model: type[Model] | None, schema_editor: Any) -> str:
        self._queue(model, schema_editor)
        return ""

    def _queue(self, model: type[Model] | None, editor: BaseDatabaseSchemaEditor) -> None:
        assert model is not None  # noqa: S101 - only the type stubs allow None
        editor.deferred_sql.append(self._create(model._meta.db_table))

    def validate(
        self,
        model: type[Model],
        instance: Model,
        exclude: Iterable[str] | None = None,
        using: str = DEFAULT_DB_ALIAS,
    ) -> None:
        """The database decides; nothing can be known earlier here."""


class RowSecurity(_SqlConstraint):
    """Forced row-level security: `desk_app` sees and writes the open scope's tenant only.

    The owner's policy is open, because `ADD FOREIGN KEY` by a filtered owner would validate
    against the rows it can see and so against none.
    """

    def __init__(self, *, name: str, allow_null: bool = False) -> None:
        super().__init__(name=name)
        self.allow_null = allow_null

    def _create(self, table: str) -> str:
        mine = f"tenant_id = {CURRENT_TENANT}"
        check = f"tenant_id IS NULL OR {mine}" if self.allow_null else mine
        return (
            f'ALTER TABLE "{table}" ENABLE ROW LEVEL SECURITY;'
            f'ALTER TABLE "{table}" FORCE ROW LEVEL SECURITY;'
            f'CREATE POLICY "{self.name}" ON "{table}" TO desk_app'
            f" USING ({mine}) WITH CHECK ({check});"
            f'CREATE POLICY "{self.name}_owner" ON "{table}" TO desk_owner'
            " USING (true) WITH CHECK (true)"
        )

    def remove_sql(self, model: type[Model] | None, schema_editor: Any) -> str:
        assert model is not None  # noqa: S101 - only the type stubs allow None
        table = model._meta.db_table
        return (
            f'DROP POLICY "{self.name}" ON "{table}";DROP POLICY "{self.name}_owner" ON "{table}";'
            f'ALTER TABLE "{table}" NO FORCE ROW LEVEL SECURITY;'
            f'ALTER TABLE "{table}" DISABLE ROW LEVEL SECURITY'
        )

    def deconstruct(self) -> Any:
        path, args, kwargs = super().deconstruct()
        if self.allow_null:
            kwargs["allow_null"] = True
        return path, args, kwargs

    def __eq__(self, other: object) -> bool:
        if isinstance(other, RowSecurity):
            return (self.name, self.allow_null) == (other.name, other.allow_null)
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self.name, self.allow_null))


class TenantForeignKey(_SqlConstraint):
    """`(tenant_id, x_id)` references the parent's `(tenant_id, id)`: no link leaves its tenant.

    The ORM's ForeignKey beside it is declared with `db_constraint=False`. Deferred like Django's
    own keys; `on_delete` is the database's: "CASCADE", "SET NULL" (of the child's column only) or
    "NO ACTION".
    """

    def __init__(self, *, name: str, field: str, to: str, on_delete: str = "CASCADE") -> None:
        super().__init__(name=name)
        self.field, self.to, self.on_delete = field, to, on_delete

    def _create(self, table: str) -> str:
        column = f"{self.field}_id"
        action = f"SET NULL ({column})" if self.on_delete == "SET NULL" else self.on_delete
        return (
            f'ALTER TABLE "{table}" ADD CONSTRAINT "{self.name}"'
            f' FOREIGN KEY (tenant_id, {column}) REFERENCES "{self.to}" (tenant_id, id)'
            f" ON DELETE {action} DEFERRABLE INITIALLY DEFERRED"
        )

    def remove_sql(self, model: type[Model] | None, schema_editor: Any) -> str:
        assert model is not None  # noqa: S101 - only the type stubs allow None
        return f'ALTER TABLE "{model._meta.db_table}" DROP CONSTRAINT "{self.name}"'

    def validate(
        self,
        model: type[Model],
        instance: Model,
        exclude: Iterable[str] | None = None,
        using: str = DEFAULT_DB_ALIAS,
    ) -> None:
        """Refuses early what the database would refuse at commit."""
        parent = getattr(instance, self.field, None)
        if parent is not None and parent.tenant_id != instance.tenant_id:  # type: ignore[attr-defined]
            raise ValidationError({self.field: "This belongs to another tenant."})

    def deconstruct(self) -> Any:
        path, args, kwargs = super().deconstruct()
        kwargs |= {"field": self.field, "to": self.to, "on_delete": self.on_delete}
        return path, args, kwargs

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TenantForeignKey):
            mine = (self.name, self.field, self.to, self.on_delete)
            return mine == (other.name, other.field, other.to, other.on_delete)
        return NotImplemented

    def __hash__(self) -> int:
        return hash((self.name, self.field, self.to, self.on_delete))
