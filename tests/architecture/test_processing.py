"""Whatever holds something of people says why, who erases it and how long: tables, keys, files."""

from collections.abc import Iterator
from html import unescape

import pytest
import redis
from django.apps import apps
from django.conf import settings
from django.db import models
from django.test import Client

from tenants.personal_data import NOTHING, inventory, named, stores
from tenants.processing import (
    Medium,
    activity_of,
    place_of,
    places,
    record_of_processing,
)
from tests.support.console import Browser, text_of
from tests.support.widget import Widget, signed


def test_every_table_with_personal_data_belongs_to_an_activity():
    silent = [
        entry.model._meta.label
        for entry in inventory()
        if entry.holds != NOTHING and activity_of(entry.model) is None
    ]
    assert silent == [], "Say in the activities.py of its app why it is kept."


def test_every_place_says_what_it_holds_who_erases_it_and_how_long():
    told = [(place.holds, place.erased_by, place.kept) for place in places(*Medium)]
    assert all(all(words) for words in told)


def test_every_field_of_files_has_its_place():
    unnamed = [
        str(field)
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, models.FileField)
        and place_of(Medium.FILE, f"{field.upload_to}/x") is None
    ]
    assert unnamed == [], "Register a Place of Medium.FILE for where they lie."


def test_the_record_has_every_table_that_holds_something_once():
    named = [line.place for _, lines in record_of_processing() for line in lines]
    assert len(named) == len(set(named))
    holding = sum(entry.holds != NOTHING for entry in inventory())
    assert len(named) == holding + len(places(*Medium))


@pytest.fixture
def heard() -> Iterator[redis.client.PubSub]:
    with redis.Redis.from_url(settings.LIVE_REDIS_URL, decode_responses=True) as client:
        client.flushdb()
        ear = client.pubsub()
        ear.psubscribe("*")
        yield ear
        ear.close()


@pytest.mark.django_db(transaction=True)
def test_every_key_and_channel_that_the_desk_uses_has_its_place(cast, heard):
    ada = Widget(cast.acme)
    ada.start(identity=signed(cast.acme))
    ada.post("conversations", {"client_key": "0f8fad5b-d9cb-469f-a165-70867728950e", "text": "Hi"})
    Client().post("/login/", {"username": "nobody@example.com", "password": "wrong"})

    with redis.Redis.from_url(settings.REDIS_URL, decode_responses=True) as client:
        keys = {str(key) for key in client.scan_iter()}
    channels = set()
    while message := heard.get_message(timeout=0.2):
        if message["type"] == "pmessage":
            channels.add(message["channel"])

    assert any(key.startswith("rate:") for key in keys)
    assert any(channel.startswith("live:") for channel in channels)
    assert {key for key in keys if place_of(Medium.KEY, key) is None} == set()
    assert {name for name in channels if place_of(Medium.CHANNEL, name) is None} == set()


@pytest.mark.django_db
def test_the_record_shows_every_store_that_an_erasure_empties(cast):
    page = text_of(Browser(cast.acme, cast.acme.petra).get("conversations:privacy-record"))

    assert "Answering customers" in page
    assert stores()
    page = unescape(page)
    assert all(named(store.name).title in page for store in stores())
