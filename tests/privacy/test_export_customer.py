"""A copy of one customer's data: all of it, of nobody else, for whom it is meant, for a while."""

from base64 import b64encode
from datetime import timedelta
from hashlib import sha256
from uuid import uuid4

import pytest
from cryptography.exceptions import InvalidTag
from django.db.models.functions import Now

from agents.models import Approval, ToolCall, Turn
from conversations.models import (
    Attachment,
    Conversation,
    Customer,
    CustomerIdentity,
    Event,
    ExportPart,
    ExportRequest,
    Message,
    MessageEdit,
    Rating,
)
from conversations.services import edits, exports
from conversations.services.messages import add_note, post_reply
from conversations.tasks import end_export
from tenants.due import Work
from tenants.models import AuditEntry
from tests.privacy.export_kit import check_manifest, make, rows_of, token, zip_of
from tests.support.cast import Company
from tests.support.console import start
from tests.support.files import PICTURE, attach, staged
from tests.support.widget import Widget, signed


class Subject:
    """A customer with a canary in every field that an export holds, and in others."""

    def __init__(self, company: Company, **profile) -> None:
        self.company = company
        self.own: dict[str, str] = {}
        self.others: dict[str, str] = {}
        with company.scope():
            self.customer = Customer.objects.create(
                name=self._own("name"),
                email=f"{self._own('email')}@example.org",
                attributes={"vip": self._own("attribute")},
                **profile,
            )
            CustomerIdentity.objects.create(
                customer=self.customer, subject=self._own("subject"), verified_at=Now()
            )
            self.talk = start(self.customer, self._own("message"))
            self._fill(self.talk)

    def _own(self, kind: str) -> str:
        self.own[kind] = token(kind)
        return self.own[kind]

    def _other(self, kind: str) -> str:
        self.others[kind] = token(kind)
        return self.others[kind]

    def _fill(self, talk: Conversation) -> None:
        bob = self.company.people.get("bob") or self.company.people["mallory"]
        bob.user.name = self._other("member's name")
        reply = post_reply(talk, by=bob.member, client_key=uuid4(), text=self._own("reply")).message
        Message.objects.filter(pk=reply.pk).update(author_name=bob.user.name)
        Event.objects.create(
            conversation=talk, seq=900, kind="taken_over", public=True, by_kind="member",
            by_id=bob.member.id, by_name=bob.user.name, line=f"{bob.user.name} {self._own('line')}",
        )  # fmt: skip
        MessageEdit.objects.create(
            conversation=talk, seq=reply.seq, text=self._own("edit"), by=bob.member
        )
        add_note(talk, by=bob.member, text=self._other("note"))
        Rating.objects.create(conversation=talk, score=4, comment=self._own("rating"))
        Conversation.objects.filter(pk=talk.pk).update(
            title=self._own("title"),
            summary=self._own("summary"),
            dossier={"need": self._own("dossier")},
        )
        turn = Turn.objects.create(
            conversation=talk, reason="customer", state="succeeded", deadline_at=Now(),
            finished_at=Now(), error_detail=self._other("error"),
        )  # fmt: skip
        ToolCall.objects.create(
            turn=turn, step=1, name="look_up_order", arguments={"order": self._own("argument")},
            arguments_digest=b"x" * 32, result=self._own("result"), state="finished",
        )  # fmt: skip
        Approval.objects.create(
            conversation=talk, turn=turn, call_id="c1", tool="refund_order",
            arguments={"order": self._own("approval")}, arguments_digest=b"x" * 32,
            why=self._own("why"), expires_at=Now(), state="void", comment=self._other("comment"),
        )  # fmt: skip


def asked(subject: Subject, **options) -> ExportRequest:
    company = subject.company
    with company.scope():
        by = exports.Asker.member(next(iter(company.people.values())).member)
        return exports.ask(subject.customer, by=by, **options)


@pytest.fixture
def subjects(cast):
    """Ada at Acme, somebody else there, and Ada's twin with the same address at Globex."""
    ada = Subject(cast.acme)
    bea = Subject(cast.acme)
    twin = Subject(cast.globex)
    with cast.globex.scope():
        Customer.objects.filter(pk=twin.customer.pk).update(email=ada.customer.email)
    twin.own.pop("email")
    return ada, bea, twin


def test_every_canary_is_there_once_and_none_of_anybody_else(subjects):
    ada, bea, twin = subjects
    archive = zip_of(make(asked(ada)))

    manifest = check_manifest(archive)
    lines = b"".join(archive.read(n) for n in archive.namelist() if n.endswith(".jsonl")).decode()
    assert {kind: lines.count(value) for kind, value in ada.own.items()} == dict.fromkeys(
        ada.own, 1
    )
    everything = b"".join(archive.read(name) for name in archive.namelist()).decode()
    foreign = [*ada.others.values(), *bea.own.values(), *twin.own.values(), *bea.others.values()]
    assert [value for value in foreign if value in everything] == []
    assert "notes" in manifest["left_out"]
    page = archive.read("index.html").decode()
    assert ada.own["message"] in page
    assert "<script" not in page


def test_the_teams_notes_go_along_only_when_somebody_chose_so(subjects):
    ada, _, _ = subjects
    rows = rows_of(zip_of(make(asked(ada, notes=True))))
    assert [row["text"] for row in rows["notes"]] == [ada.others["note"]]
    assert rows["notes"][0]["name"] == "Team member 1"


def test_the_page_is_right_from_right_to_left_and_markup_is_only_text(cast):
    with cast.acme.scope():
        layla = Customer.objects.create(name="ليلى", locale="ar")
        start(layla, "<script>alert(1)</script> مرحبا")
        export = exports.ask(layla, by=exports.Asker.customer(layla))
    page = zip_of(make(export)).read("index.html").decode()
    assert '<html lang="ar" dir="rtl">' in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; مرحبا" in page


def test_what_lies_in_the_database_is_sealed_and_moves_nowhere(subjects):
    ada, bea, _ = subjects
    one, other = make(asked(ada)), make(asked(bea))
    with ada.company.scope():
        sealed = b"".join(bytes(part.sealed) for part in ExportPart.objects.all())
        assert ada.own["message"].encode() not in sealed
        part = ExportPart.objects.filter(export=one, number=0).get()
        ExportPart.objects.filter(export=other, number=part.number).update(sealed=part.sealed)
    with pytest.raises(InvalidTag):
        zip_of(other)


def test_what_has_expired_is_in_no_copy(subjects):
    ada, _, _ = subjects
    with ada.company.scope():
        Conversation.stored.update(expires_at=Now() - timedelta(seconds=1))
    archive = zip_of(make(asked(ada, notes=True)))
    everything = b"".join(archive.read(name) for name in archive.namelist()).decode()
    of_the_person = {"name", "email", "attribute", "subject"}
    assert {kind for kind, value in ada.own.items() if value in everything} == of_the_person


def test_the_work_rung_twice_makes_one_and_asking_twice_finds_it(subjects):
    ada, _, _ = subjects
    export = asked(ada)
    assert asked(ada).id == export.id
    make(export, rounds=3)
    check_manifest(zip_of(export))
    with ada.company.scope():
        assert AuditEntry.objects.filter(action="export.ready").count() == 1


def test_after_its_time_nothing_of_it_is_left(subjects):
    ada, _, _ = subjects
    export = make(asked(ada))
    with ada.company.scope():
        ExportRequest.objects.update(expires_at=Now() - timedelta(seconds=1))
        with pytest.raises(exports.ExportEnded):
            exports.fetch_at_once(export, by=ada.company.bob.member)
    end_export(Work(export.tenant.id, exports.EXPORT_END, export.id))
    with ada.company.scope():
        export.refresh_from_db()
        assert (export.state, export.key_encrypted) == ("ended", None)
        assert not ExportPart.objects.exists()


def test_what_was_erased_meanwhile_is_never_ready(subjects):
    ada, _, _ = subjects
    export = asked(ada)
    with ada.company.scope():
        exports.begin(export.id, count=lambda _: 0)
        exports.end_for_erasure(ada.customer.id)
    make_again = make(export)
    assert make_again.state == "ended"
    with ada.company.scope():
        assert not ExportPart.objects.exists()


PIXELS = b"\x89PNG large picture"


class TestFiles:
    """What was sent goes along as files; what others sent, and what was taken out, does not."""

    @pytest.fixture
    def files(self, subjects):
        """One of Ada's, one of the team's, one of somebody else, one that was taken out."""
        ada, bea, _ = subjects
        bob = ada.company.bob.member
        with ada.company.scope():
            own = attach(ada.talk, 1, name="../Ada's <b>.png", content=PIXELS, preview=PICTURE)
            by = {"customer_id": None}
            team = attach(ada.talk, 1, name="offer.pdf", content=b"%PDF offer", member=bob, **by)
            other = attach(
                ada.talk, 1, name="bea.txt", content=b"Bea's words", customer=bea.customer
            )
            out = attach(ada.talk, 1, name="card.txt", content=b"4000 0012")
            edits.redact_file(out, by=bob)
            ended = attach(ada.talk, 1, name="ended.txt", content=b"old words")
            Attachment.stored.filter(pk=ended.pk).update(expires_at=Now() - timedelta(seconds=1))
            unsent = staged("unsent.txt", b"not sent", customer=ada.customer)
            attach(bea.talk, 1, name="of-bea.txt", content=b"Bea's own")
        return own, team, other, out, ended, unsent

    def test_they_lie_in_the_zip_and_are_listed_with_their_hash(self, subjects, files):
        archive = zip_of(make(asked(subjects[0])))
        check_manifest(archive)
        own, team, other, _out, _ended, unsent = files
        listed = {row["id"]: row for row in rows_of(archive)["attachments"]}

        given = {row["id"]: archive.read(row["path"]) for row in listed.values() if row["path"]}
        assert given == {
            str(own.id): PIXELS, str(team.id): b"%PDF offer", str(unsent.id): b"not sent",
        }  # fmt: skip
        assert [name for name in archive.namelist() if name.startswith("files/")] == [
            f"files/{own.id}.png", f"files/{team.id}.pdf", f"files/{unsent.id}.txt",
        ]  # fmt: skip
        assert listed[str(own.id)]["sha256"] == sha256(PIXELS).hexdigest()
        assert listed[str(team.id)]["by"] == "Team member 1"
        assert [listed[str(file.id)]["removed"] for file in files] == [
            False, False, False, True, True, False,
        ]  # fmt: skip
        assert listed[str(other.id)]["name"] is None
        everything = b"".join(archive.read(name) for name in archive.namelist())
        for word in (b"bea.txt", b"Bea's words", b"Bea's own", b"card.txt", b"old words"):
            assert word not in everything

    def test_the_page_shows_pictures_and_leads_to_the_files(self, subjects, files):
        page = zip_of(make(asked(subjects[0]))).read("index.html").decode()

        own, team, *_ = files
        assert f'href="files/{own.id}.png"' in page
        assert b64encode(PICTURE).decode() in page
        assert "img-src data:" in page
        assert f'href="files/{team.id}.pdf" download="offer.pdf"' in page
        assert "Ada&#x27;s &lt;b&gt;.png" in page
        assert page.count("(a file that was removed)") == 2

    def test_no_name_of_a_file_stands_open_in_the_database(self, subjects, files):
        make(asked(subjects[0]))
        with subjects[0].company.scope():
            names = " ".join(ExportPart.objects.values_list("name", flat=True))
        assert "offer" not in names
        assert "Ada" not in names

    def test_a_large_one_is_sealed_piece_by_piece(self, subjects):
        ada = subjects[0]
        content = bytes(range(256)) * 4096 * 5 + b"end"
        with ada.company.scope():
            file = attach(ada.talk, 1, name="large.pdf", content=content)
        archive = zip_of(make(asked(ada)))
        assert archive.read(f"files/{file.id}.pdf") == content
        with ada.company.scope():
            parts = ExportPart.objects.filter(name__startswith="files/")
            assert len(parts) >= 5
            assert max(part.size for part in parts) <= 2 << 20


class TestCustomer:
    """From the widget."""

    @pytest.fixture
    def ada(self, cast):
        widget = Widget(cast.acme)
        widget.start(identity=signed(cast.acme, name="Ada", email="ada@example.org"))
        widget.talk("Where is my order?")
        return widget

    def test_a_proven_customer_gets_the_file_once(self, cast, ada):
        asked = ada.post("privacy-requests", {"kind": "export"})
        assert (asked.status_code, asked.json()["state"]) == (202, "received")
        (waiting,) = ada.get("exports").json()["results"]
        assert (waiting["state"], waiting["can_be_fetched"]) == ("queued", False)
        address = f"exports/{waiting['id']}/file"
        assert ada.post(address, {}).json()["code"] == "export_not_ready"

        with cast.acme.scope():
            export = ExportRequest.objects.get()
        make(export)
        assert ada.get("exports").json()["results"][0]["can_be_fetched"]
        assert ada.post(address, {}).status_code == 200
        again = ada.post(address, {})
        assert (again.status_code, again.json()["code"]) == (410, "export_fetched")

    def test_nobody_else_gets_it(self, cast, ada):
        export_id = ada.post("privacy-requests", {"kind": "export"}).json()["id"]
        eve = Widget(cast.acme)
        eve.start()
        assert eve.post("privacy-requests", {"kind": "export"}).status_code == 403
        assert eve.post(f"exports/{export_id}/file", {}).status_code == 404
        assert eve.get("exports").json() == {"results": []}


class TestProgram:
    """Over the member API."""

    def test_a_program_asks_confirms_and_fetches(self, cast, subjects):
        petra, ada = cast.acme.petra.client(), subjects[0]
        body = {"customer": str(ada.customer.id)}
        answer = petra.post("/api/v1/privacy/exports", body, content_type="application/json")
        assert answer.status_code == 202
        address = f"/api/v1/privacy/exports/{answer.json()['id']}"
        with cast.acme.scope():
            make(ExportRequest.objects.get())
        assert petra.get(address).json()["percent"] == 100
        refused = petra.post(f"{address}/file", {}, content_type="application/json")
        assert refused.status_code == 400
        file = petra.post(f"{address}/file", {"confirm": "EXPORT"}, content_type="application/json")
        assert file["Content-Type"] == "application/zip"
        assert petra.delete(address).json()["state"] == "ended"
        gone = petra.post(f"{address}/file", {"confirm": "EXPORT"}, content_type="application/json")
        assert gone.status_code == 410

    def test_of_whom_must_be_said(self, cast):
        petra = cast.acme.petra.client()
        for body in ({}, {"kind": "tenant", "customer": str(uuid4())}):
            answer = petra.post("/api/v1/privacy/exports", body, content_type="application/json")
            assert "customer" in answer.json()["errors"]
