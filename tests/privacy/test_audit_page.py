"""The page, the export and the API of the record: who did what, in words, filtered and whole."""

import csv
import io
import json
from datetime import timedelta

import pytest
from asgiref.sync import async_to_sync
from django.utils import timezone

from tenants.console import audit_export
from tenants.models import Actor, AuditEntry
from tenants.services import audit
from tests.support.console import Browser, text_of


@pytest.fixture
def petra(cast):
    return Browser(cast.acme, cast.acme.petra)


def page(browser, **query):
    return text_of(browser.get("tenants:audit", **query))


def test_entries_are_sentences_with_names(cast, petra):
    with cast.acme.scope():
        bob = cast.acme.bob.member
        audit.record("tenant.settings_changed", by=bob, detail={"fields": ["name", "hours"]})
        audit.record(
            "retention.ran", by=audit.job("retention_run"), detail={"counts": {"notes": 3}}
        )

    shown = page(petra)

    assert "changed the settings" in shown
    assert "fields: name, hours" in shown
    assert "<bdi>Bob</bdi>" in shown
    assert "Job: retention run" in shown
    assert "counts: notes 3" in shown


def test_a_customer_is_found_by_its_id_and_shown_by_pseudonym(cast, petra):
    with cast.acme.scope():
        audit.record("test.asked", by=audit.customer(cast.carol.id), target=cast.carol)
        audit.record("test.other", by=Actor.SYSTEM)

    shown = page(petra, about=str(cast.carol.id))

    assert "test · asked" in shown
    assert ">test · other<" not in shown.split("<tbody")[1]
    assert cast.carol.id.hex[-8:] not in shown.split("<tbody")[1]


def test_days_are_the_tenant_s_own(cast, petra):
    with cast.acme.scope():
        audit.record("test.now", by=Actor.SYSTEM)
    today = timezone.now().date()

    assert "<bdi>test · now" in page(petra, since=today, until=today)
    assert "No entry matches" in page(petra, until=today - timedelta(days=2))


def test_reading_the_record_is_on_the_record_once(cast, petra):
    page(petra)
    page(petra, kind="job")

    with cast.acme.scope():
        reading = AuditEntry.objects.get(action="page.read")
    assert (reading.actor_id, reading.target_kind) == (cast.acme.petra.member.id, "audit")


def test_an_admin_of_the_desk_has_no_business_there(cast):
    alice = Browser(cast.acme, cast.acme.alice)
    assert alice.get("tenants:audit").status_code == 403
    assert alice.get("tenants:export-audit").status_code == 403


def exported(browser, **query):
    answer = browser.get("tenants:export-audit", **query)
    assert answer.status_code == 200

    async def read():
        return b"".join([part async for part in answer.streaming_content])

    return async_to_sync(read)().decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("count", [0, 4, 9, 10])
def test_the_export_is_whole_whatever_its_length(cast, petra, monkeypatch, count):
    monkeypatch.setattr(audit_export, "BATCH", 5)
    with cast.acme.scope():
        for number in range(count):
            audit.record("test.done", by=Actor.SYSTEM, detail={"n": number})

    lines = [json.loads(line) for line in exported(petra, action="test.done").splitlines()]

    assert [line["detail"]["n"] for line in lines] == list(range(count))[::-1]
    assert all(len(line["hash"]) == 64 for line in lines)
    with cast.acme.scope():
        assert AuditEntry.objects.get(action="audit.exported").detail == {"format": "jsonl"}


@pytest.mark.django_db(transaction=True)
def test_a_spreadsheet_runs_nothing_from_the_export(cast, petra):
    with cast.acme.scope():
        audit.record("=cmd|calc", by=audit.job("@sum"), detail={"n": 1})

    rows = list(csv.DictReader(io.StringIO(exported(petra, format="csv"))))

    row = next(row for row in rows if "cmd" in row["action"])
    assert (row["action"], row["actor_code"]) == ("'=cmd|calc", "'@sum")
    assert row["detail"] == '{"n": 1}'


def test_programs_read_it_by_filters_and_pages(cast):
    with cast.acme.scope():
        for number in range(5):
            audit.record("test.done", by=cast.acme.bob.member, detail={"n": number})
        audit.record("test.done", by=Actor.SYSTEM)
    client = cast.acme.petra.client()
    query = {"action": "test.done", "actor": str(cast.acme.bob.member.id), "limit": 2}
    seen, cursor = [], None
    while True:
        answer = client.get("/api/v1/audit", query | ({"cursor": cursor} if cursor else {})).json()
        seen += [entry["detail"]["n"] for entry in answer["results"]]
        cursor = answer["next"]
        if not cursor:
            break
    assert seen == [4, 3, 2, 1, 0]


def test_programs_may_name_times(cast):
    client = cast.acme.petra.client()
    later = (timezone.now() + timedelta(hours=1)).isoformat()

    assert client.get("/api/v1/audit", {"from": later}).json()["results"] == []
    assert client.get("/api/v1/audit", {"to": later}).json()["results"] != []
    refused = client.get("/api/v1/audit", {"since": later})
    assert refused.status_code == 400
    assert "since" in refused.json()["errors"]
