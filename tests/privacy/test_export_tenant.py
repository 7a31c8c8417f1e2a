"""A copy of a whole tenant: complete, without secrets, and the same again in an empty one."""

from functools import partial
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import models
from django.db.models.functions import Now

from agents.models import ModelEndpoint, Turn
from agents.selectors.knowledge import search_knowledge
from agents.services.articles import create_article
from conversations.models import (
    REMOVED_NAME,
    Attachment,
    AttachmentBody,
    Conversation,
    Customer,
    ExportRequest,
    Message,
)
from conversations.selectors.files import files_of
from conversations.services import edits, exports, merging, tenant_exporting
from conversations.services.tenant_importing import import_tenant
from conversations.tasks import make_export
from tenants import crypto
from tenants.due import Work
from tenants.models import DueWork, Member, User
from tenants.portable import Ids, portables, staying
from tenants.scoping import TenantScopedModel, tenant_scope
from tests.privacy.export_kit import check_manifest, make, rows_of, zip_of
from tests.support.cast import found
from tests.support.console import start
from tests.support.files import PICTURE, attach, staged
from tests.support.rows import Rows, scoped_models


def test_every_table_travels_or_says_why_it_stays():
    said = {one.name for one in portables()} | set(staying())
    assert {model._meta.label for model in scoped_models()} == said, "Say it in portability.py."


def test_no_secret_field_travels():
    """Whatever is sealed or hashed for this installation, by the name of its column."""
    suspicious = ("secret", "token", "encrypted", "sealed", "password", "_hash", "key")
    fields = {
        f"{one.name}.{field.name}"
        for one in portables()
        for field in one.model._meta.concrete_fields
        if any(word in field.name for word in suspicious) and field.name not in one.without
    }
    harmless = {
        "conversations.Message.client_key",
        "conversations.Note.client_key",
        "conversations.Certificate.public_key",
        "agents.AgentProfile.token_budget",
        "agents.AgentProfile.tokenizer",
        "conversations.ErasureRequest.token_expires_at",
    }
    counts = {name for name in fields if name.endswith("_tokens")}
    assert fields - harmless - counts == set()


@pytest.fixture
def full(cast):
    """Acme with at least one row in every table, and talks of several customers."""
    with cast.acme.scope():
        Rows().one(ModelEndpoint)
        ModelEndpoint.objects.update(key_encrypted=crypto.encrypt("sk-secret", field="x"))
        for number in range(7):
            customer = Customer.objects.create(name=f"Customer {number}")
            start(customer, f"Question {number}")
        Turn.objects.update(state="cancelled", finished_at=Now())
        first, second = Customer.objects.exclude(name="Carol").order_by("id")[:2]
        merging.merge(second, first, by=cast.acme.bob.member)
        create_article(title="Returns", body="# Returns\n\nWithin fourteen days.", source="r")
        DueWork.objects.all().delete()
    return cast.acme


def asked(company) -> ExportRequest:
    with company.scope():
        return exports.ask_for_tenant(by=exports.Asker.member(company.olga.member))


def imported(archive: ZipFile, tmp_path: Path, slug: str = "elsewhere"):
    path = tmp_path / "export.zip"
    path.write_bytes(archive.fp.getvalue())  # type: ignore[union-attr]
    company = found(slug)
    call_command("import_tenant", path, tenant=slug, verbosity=0)
    return company


def contents(company, *, ids: Ids | None = None):
    """All that arrives, by table, as plain values; with `ids` as it should be elsewhere."""
    shown = {}
    with company.scope():
        for one in portables():
            if one.arrives and one.name not in _CHANGED:
                rows = [_plain(one, row, ids) for row in one.model.objects.all()]
                shown[one.name] = sorted(rows, key=str)
    return shown


# People may be known here already; policies wait anew, see test_export_policies.py.
_CHANGED = {"tenants.Member", "conversations.RetentionPolicy"}


def _plain(one, row: TenantScopedModel, ids: Ids | None):
    values = {}
    for field in one.model._meta.concrete_fields:
        if field.name in {"tenant", *one.without}:
            continue
        value = getattr(row, field.attname)
        if ids and value and isinstance(field, models.UUIDField | models.ForeignKey):
            value = value if field.name in one.not_ids else ids.new(value)
        if ids and isinstance(value, list):
            value = [ids.new(item) if not isinstance(item, str) else item for item in value]
        values[field.attname] = str(value)
    return values


def test_the_round_trip_gives_the_same_data(full, tmp_path):
    archive = zip_of(make(asked(full)))
    manifest = check_manifest(archive)
    assert b"sk-secret" not in b"".join(archive.read(name) for name in archive.namelist())

    there = imported(archive, tmp_path)

    ids = Ids(there.tenant.id)
    assert contents(there) == contents(full, ids=ids)
    with full.scope():
        emails = set(Member.objects.values_list("user__email", "role", "active"))
    with there.scope():
        assert set(Member.objects.values_list("user__email", "role", "active")) == emails
        assert search_knowledge("returns fourteen days").results[0].title == "Returns"
        asker = Message.objects.get(text="Question 3").customer_id or ""
        assert Customer.objects.filter(pk=asker, name="Customer 3").exists()
    assert manifest["stays"]["tenants.ApiKey"]


@pytest.fixture
def files(full):
    """Sent ones in two talks, of either side, one taken out; and one that was never sent."""
    with full.scope():
        first, second = Conversation.objects.order_by("id")[:2]
        made = [
            attach(first, 1, name="one.png", content=b"\x89PNG" * 200_000, preview=PICTURE),
            attach(first, 1, name="two.txt", content=b"Two"),
            attach(second, 1, name="of team.pdf", content=b"%PDF", customer_id=None,
                   member=full.bob.member),
            attach(second, 1, name="card.txt", content=b"4000 0012"),
        ]  # fmt: skip
        edits.redact_file(made[-1], by=full.bob.member)
        staged("unsent.txt", b"not sent", customer_id=first.customer_id)
    return made


def bodies(company) -> dict[str, tuple[bytes, bytes]]:
    """Of all files that were sent, by their names."""
    with company.scope():
        found = AttachmentBody.objects.filter(attachment__conversation__isnull=False)
        return {
            body.attachment.name: (bytes(body.content), bytes(body.preview or b""))
            for body in found.select_related("attachment")
        }


def test_files_travel_as_files_and_are_the_same_elsewhere(full, files, tmp_path, monkeypatch):
    monkeypatch.setattr(tenant_exporting, "_BYTES_A_STEP", 1)
    archive = zip_of(make(asked(full)))
    manifest = check_manifest(archive)
    one = files[0]
    assert archive.read(f"files/{one.id}.png") == b"\x89PNG" * 200_000
    assert archive.read(f"previews/{one.id}.webp") == PICTURE
    everything = b"".join(archive.read(name) for name in archive.namelist())
    assert b"4000 0012" not in everything
    assert b"not sent" not in everything
    assert "conversations.AttachmentBody" in manifest["stays"]

    there = imported(archive, tmp_path)

    assert bodies(there) == bodies(full) != {}
    with full.scope():
        Attachment.objects.filter(conversation__isnull=True).delete()
    assert contents(there) == contents(full, ids=Ids(there.tenant.id))
    with there.scope():
        shown = files_of(Conversation.objects.order_by("id")[0].id, [1])[1]
        assert [file.name for file in shown] == ["one.png", "two.txt"]


def test_what_was_taken_out_while_the_copy_was_made_arrives_so(full, files, tmp_path):
    export = asked(full)
    with full.scope():
        exports.begin(export.id, count=lambda _: 0)
        while export.cursor.get("section") != "files":
            tenant_exporting.step(export.id)
            export.refresh_from_db()
        edits.redact_file(files[1], by=full.bob.member)

    there = imported(zip_of(make(export)), tmp_path)

    with there.scope():
        names = set(Attachment.objects.values_list("name", flat=True))
    assert names == {"one.png", "of team.pdf", REMOVED_NAME}


def test_killed_between_any_two_steps_it_goes_on_and_nothing_is_there_twice(full, monkeypatch):
    monkeypatch.setattr(tenant_exporting, "TALKS_A_STEP", 2)
    monkeypatch.setattr(tenant_exporting, "ROWS_A_STEP", 3)
    export = asked(full)
    whole = tenant_exporting.step
    lives = 0

    def mortal(export_id):
        nonlocal lives
        lives += 1
        if lives % 3 == 0:
            raise SystemExit
        return whole(export_id)

    monkeypatch.setattr(tenant_exporting, "step", mortal)
    for _ in range(60):
        try:
            make_export(Work(full.tenant.id, exports.EXPORT, export.id))
            break
        except SystemExit:
            continue
    with full.scope():
        export.refresh_from_db()
    assert (export.state, export.percent) == ("ready", 100)
    archive = zip_of(export)
    check_manifest(archive)
    tables = rows_of(archive)
    texts = [row["text"] for name, rows in tables.items() if "/conversations.Message/" in name
             for row in rows]  # fmt: skip
    assert sorted(texts) == [f"Question {number}" for number in range(7)]


def test_an_import_that_broke_off_goes_on(full, tmp_path):
    archive = zip_of(make(asked(full)))
    path = tmp_path / "export.zip"
    path.write_bytes(archive.fp.getvalue())  # type: ignore[union-attr]
    there = found("elsewhere")
    scope = partial(tenant_scope, there.tenant.id)

    def break_off(table: str, _rows: int) -> None:
        if table == "conversations.Conversation":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_tenant(path, scope=scope, progress=break_off)
    import_tenant(path, scope=scope, progress=lambda *_: None)
    assert contents(there) == contents(full, ids=Ids(there.tenant.id))


def test_only_an_empty_tenant_and_a_whole_file(full, tmp_path, cast):
    archive = zip_of(make(asked(full)))
    imported(archive, tmp_path)
    path = tmp_path / "export.zip"
    with pytest.raises(CommandError, match="has data already"):
        call_command("import_tenant", path, tenant="elsewhere")
    data = bytearray(path.read_bytes())
    with ZipFile(path) as whole, ZipFile(tmp_path / "changed.zip", "w") as changed:
        for name in whole.namelist():
            text = whole.read(name).replace(b"Question 3", b"Question 4")
            changed.writestr(name, text)
    found("third")
    with pytest.raises(CommandError, match="damaged"):
        call_command("import_tenant", tmp_path / "changed.zip", tenant="third")
    (tmp_path / "cut.zip").write_bytes(data[:-100])
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_tenant", tmp_path / "cut.zip", tenant="third")


def test_an_erasure_ends_a_copy_of_everything(full):
    export = asked(full)
    with full.scope():
        exports.begin(export.id, count=lambda _: 0)
        exports.end_for_erasure(Customer.objects.get(name="Carol").id)
    assert make(export).state == "ended"


def test_nobody_elses_rows(full, cast):
    with cast.globex.scope():
        start(Customer.objects.create(name="Foreign"), "canary-of-globex")
    archive = zip_of(make(asked(full)))
    everything = b"".join(archive.read(name) for name in archive.namelist())
    assert b"canary-of-globex" not in everything
    assert str(cast.globex.tenant.id).encode() not in everything
    assert User.objects.get(email__startswith="mallory").email.encode() not in everything
    with full.scope():
        ids = [str(pk) for pk in Conversation.objects.values_list("pk", flat=True)]
    assert all(pk.encode() in everything for pk in ids)
