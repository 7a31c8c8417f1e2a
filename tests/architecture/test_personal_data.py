"""Every table says what it holds of people and who erases it."""

from django.apps import apps

from tenants.personal_data import NOTHING, inventory


def test_every_table_is_in_the_inventory():
    said = {entry.model._meta.label for entry in inventory()}
    exist = {model._meta.label for model in apps.get_models()}
    assert exist - said == set(), "Register it in the inventory.py of its app."


def test_who_holds_personal_data_says_who_erases_it():
    silent = [
        entry.model._meta.label
        for entry in inventory()
        if entry.holds != NOTHING and not entry.erased_by
    ]
    assert silent == []
