"""Every table belongs to a tenant, or somebody said why it does not."""

import pytest
from django.apps import apps
from django.db import models

from tenants.constraints import RowSecurity
from tenants.scoping import NoTenantScope, TenantScopedModel
from tests.support.catalogue import SHARED
from tests.support.isolation import has_composite_key
from tests.support.rows import scoped_models

# Links that the database does not tie to the tenant, and why that is no leak.
SOFT_LINKS = {
    "conversations.Message.customer": "deleting a customer must not walk the largest table",
    "conversations.Message.member": "deleting a member must not walk the largest table",
}


def test_every_table_is_a_tenants_or_on_the_shared_list():
    tables = {
        model._meta.db_table
        for model in apps.get_models(include_auto_created=True)
        if not issubclass(model, TenantScopedModel)
    }
    assert tables - set(SHARED) == set(), "Derive from TenantScopedModel, or say in SHARED why not."


@pytest.mark.parametrize("model", scoped_models(), ids=lambda model: model._meta.label)
class TestModel:
    def test_its_table_has_row_security(self, model):
        assert any(isinstance(one, RowSecurity) for one in model._meta.constraints)

    def test_reading_it_outside_a_scope_raises(self, model):
        with pytest.raises(NoTenantScope):
            model.objects.count()

    def test_its_managers_are_the_scoped_ones(self, model):
        assert model._meta.default_manager_name == "objects"
        assert model._meta.base_manager_name == "raw"


def test_every_link_between_tenants_rows_is_a_composite_key():
    soft = {
        f"{model._meta.label}.{field.name}"
        for model in scoped_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.ForeignKey)
        and issubclass(field.related_model, TenantScopedModel)
        and not has_composite_key(field)
    }
    assert soft == set(SOFT_LINKS), "Add a TenantForeignKey, or say in SOFT_LINKS why not."


def test_no_link_goes_many_to_many():
    hidden = [model._meta.label for model in scoped_models() if model._meta.local_many_to_many]
    assert hidden == [], "Its hidden table would have no tenant: write the table between yourself."
