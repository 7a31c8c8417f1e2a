"""Every table says what it holds of people and who erases it, in words for people."""

import re
from uuid import uuid4

from django.apps import apps

from conversations.models import Customer
from conversations.privacy.scanner import folders
from conversations.retained import retained
from conversations.selectors.export_subject import Masks, Subject
from conversations.selectors.own_data import files
from tenants.personal_data import NOTHING, inventory, named, plain, stores
from tenants.processing import Medium, places


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


def test_every_table_and_store_has_a_name_in_people_s_words():
    untitled = [entry.model._meta.label for entry in inventory() if not entry.title]
    assert untitled == [], "Say `title` in the inventory.py of its app."
    codes = [
        *(store.name for store in stores()),
        *(table.store for table in retained()),
        *("tables", "pg_stats", "large objects", "redis", "redis of the broker"),
        *("redis of live events", "lines of conversations", *folders()),
    ]
    copied = files(Subject(Customer(tenant_id=uuid4()), Masks("Lumi"), notes=True))
    codes = list(dict.fromkeys(codes))
    codes += [code for code in (*copied, "index", "manifest", "settings") if code not in codes]
    nameless = [code for code in codes if not _has_words(code)]
    assert nameless == [], "Say register_title in the stores.py of its app."
    titles = [named(code).title for code in codes]
    assert len(titles) == len(set(titles)), "Two stores are called the same."


def test_a_table_is_called_the_same_by_each_of_its_names():
    for entry in inventory():
        meta = entry.model._meta
        assert named(meta.db_table) == named(meta.label) == (entry.title, meta.db_table)


def test_nobody_needs_to_know_the_code_to_read_who_erases_it():
    told = [text for one in inventory() for text in (one.holds, one.erased_by) if text]
    told += [text for one in places(*Medium) for text in (one.holds, one.erased_by)]
    assert [text for text in told if re.search(r"\w\.\w|_|, by key", text)] == []


def _has_words(code: str) -> bool:
    """Words of its own: not the code with a capital letter."""
    store = next((one for one in stores() if one.name == code), None)
    return named(code).title != plain(code) or bool(store and store.table)
