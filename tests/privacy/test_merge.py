"""Two customers become one, and two again: what moves, what ends, what forbids it, who is first."""

from datetime import timedelta
from threading import Thread
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models.functions import Now

from conversations.access import customer_for_member
from conversations.models import (
    Attachment,
    Conversation,
    Customer,
    CustomerIdentity,
    CustomerMerge,
    Message,
    WidgetToken,
)
from conversations.selectors.customers import customers
from conversations.services import erasure_requests, exports, holds, merging
from conversations.services.privacy_guards import ErasurePending, UnderHold
from tenants.errors import Conflict, NotFound
from tenants.models import AuditEntry
from tests.support.console import start
from tests.support.files import attach, staged
from tests.support.widget import Widget, signed


@pytest.fixture
def acme(cast):
    with cast.acme.scope():
        yield cast.acme


def person(name="", **fields) -> Customer:
    return Customer.objects.create(name=name, **fields)


def proven(customer: Customer, subject: str) -> CustomerIdentity:
    return CustomerIdentity.objects.create(customer=customer, subject=subject, verified_at=Now())


def owner_of(talk: Conversation) -> Customer:
    talk.refresh_from_db()
    said = Message.objects.filter(conversation=talk).values_list("customer", flat=True)
    assert set(said) == {talk.customer_id}
    return talk.customer


def test_all_that_was_the_others_is_the_kept_ones_and_goes_back(acme):
    ada = person("Ada", attributes={"plan": "basic"})
    other = person("A. Lovelace", email="ada@example.org", attributes={"plan": "gold", "vip": 1})
    first, second = start(ada), start(other)
    proof = proven(other, "ada-1")

    row = merging.merge(ada, other, by=acme.bob.member)

    assert owner_of(second) == ada == owner_of(first)
    proof.refresh_from_db()
    assert proof.customer == ada
    ada.refresh_from_db()
    assert (ada.name, ada.email, ada.attributes) == (
        "Ada", "ada@example.org", {"plan": "basic", "vip": 1},
    )  # fmt: skip
    assert [row.name for row in customers()] == ["Ada", "Carol"]
    with pytest.raises(NotFound):
        customer_for_member(acme.bob.member, other.id)

    later = start(ada, "Written after the merge")
    merging.undo(row, by=acme.bob.member)

    assert owner_of(first) == ada == owner_of(later)
    assert owner_of(second) == other
    proof.refresh_from_db()
    ada.refresh_from_db()
    assert proof.customer == other
    assert (ada.email, ada.attributes) == ("", {"plan": "basic"})
    with pytest.raises(merging.CannotUndo):
        merging.undo(row, by=acme.bob.member)
    said = [e.action for e in AuditEntry.objects.filter(action__startswith="customer.")]
    assert sorted(said) == ["customer.merge_undone", "customer.merged"]
    texts = str(list(AuditEntry.objects.values_list("detail", flat=True)))
    assert "ada@example.org" not in texts


def test_files_go_with_their_talks_and_back(acme):
    ada, other = person("Ada"), person("A. Lovelace")
    kept, moved = start(ada), start(other)
    files = [attach(kept), attach(moved, name="theirs.txt")]
    of_team = attach(moved, name="reply.txt", customer_id=None, member=acme.bob.member)
    unsent = staged(customer=other)

    row = merging.merge(ada, other, by=acme.bob.member)

    assert {bringer_of(file) for file in [*files, unsent]} == {ada.id}
    assert bringer_of(of_team) is None
    merging.undo(row, by=acme.bob.member)
    assert [bringer_of(file) for file in files] == [ada.id, other.id]
    start(ada, "Stays")
    merging.split(ada, conversations=[kept.id], by=acme.bob.member)
    kept.refresh_from_db()
    assert bringer_of(files[0]) == kept.customer_id != ada.id
    Customer.objects.filter(pk=ada.pk).delete()
    assert Attachment.objects.filter(pk=files[0].pk).exists()


def bringer_of(file: Attachment):
    return Attachment.objects.get(pk=file.pk).customer_id


def test_what_was_changed_since_is_kept_by_the_undo(acme):
    ada, other = person("Ada"), person(email="old@example.org", attributes={"vip": 1})
    row = merging.merge(ada, other, by=acme.bob.member)
    Customer.objects.filter(pk=ada.pk).update(email="new@example.org", attributes={"vip": 2})
    merging.undo(row, by=acme.bob.member)
    ada.refresh_from_db()
    assert (ada.email, ada.attributes) == ("new@example.org", {"vip": 2})


def test_fourteen_days_and_no_longer(acme):
    row = merging.merge(person("Ada"), person("Bea"), by=acme.bob.member)
    assert timedelta(days=13) < row.undo_until - row.created_at <= timedelta(days=14, minutes=1)
    CustomerMerge.objects.update(undo_until=Now() - timedelta(seconds=1))
    with pytest.raises(merging.CannotUndo):
        merging.undo(row, by=acme.bob.member)


def test_one_by_one_into_a_third_and_back(acme):
    one, two, three = person("One"), person("Two"), person("Three")
    talk = start(one)
    first = merging.merge(two, one, by=acme.bob.member)
    second = merging.merge(three, two, by=acme.bob.member)
    assert owner_of(talk) == three
    with pytest.raises(merging.CannotUndo):
        merging.undo(first, by=acme.bob.member)
    merging.undo(second, by=acme.bob.member)
    assert owner_of(talk) == two
    merging.undo(first, by=acme.bob.member)
    assert owner_of(talk) == one


def test_two_people_with_a_sign_in_each_are_merged_only_by_somebody_who_is_sure(acme):
    ada, bea = person("Ada"), person("Bea")
    proven(ada, "ada-1"), proven(bea, "bea-1")
    with pytest.raises(merging.BothProven):
        merging.merge(ada, bea, by=acme.bob.member)
    merging.merge(ada, bea, by=acme.bob.member, although_both_proven=True)


def test_one_key_used_by_both_stands_once(acme):
    ada, other, key = person("Ada"), person("Bea"), uuid4()
    for customer in (ada, other):
        talk = start(customer)
        Message.objects.filter(conversation=talk).update(client_key=key)
    merging.merge(ada, other, by=acme.bob.member)
    assert Message.objects.filter(customer=ada, client_key=key).count() == 1


class TestSessions:
    """An unproven session is whoever holds it."""

    def test_a_proven_customers_talks_open_to_no_unproven_session(self, cast):
        visitor, ada = Widget(cast.acme), Widget(cast.acme)
        visitor.start()
        visitor.talk("I am a visitor")
        ada.start(identity=signed(cast.acme, "ada-1", name="Ada"))
        ada.talk("I am Ada")
        with cast.acme.scope():
            kept = Customer.objects.get(name="Ada")
            other = Customer.objects.get(pk=WidgetToken.objects.get(verified=False).customer_id)
            merging.merge(kept, other, by=cast.acme.bob.member)
        assert visitor.get("conversations").status_code == 401
        assert len(ada.get("conversations").json()["results"]) == 2

    def test_nor_the_other_way_round(self, cast):
        visitor, ada = Widget(cast.acme), Widget(cast.acme)
        visitor.start()
        visitor.talk("I am a visitor")
        ada.start(identity=signed(cast.acme, "ada-1", name="Ada"))
        with cast.acme.scope():
            kept = Customer.objects.get(pk=WidgetToken.objects.get(verified=False).customer_id)
            other = Customer.objects.get(name="Ada")
            row = merging.merge(kept, other, by=cast.acme.bob.member)
        assert visitor.get("conversations").status_code == 401
        assert len(ada.get("conversations").json()["results"]) == 1
        with cast.acme.scope():
            merging.undo(row, by=cast.acme.bob.member)
        assert ada.get("conversations").status_code == 401
        ada.start(identity=signed(cast.acme, "ada-1", name="Ada"), resume=False)
        assert ada.get("conversations").json()["results"] == []


class TestWalls:
    """What forbids it."""

    def test_tenants_never_meet(self, cast):
        with cast.globex.scope():
            stranger = Customer.objects.create(name="Mal")
        bob = cast.acme.bob.client()
        address = f"/api/v1/customers/{cast.carol.id}/merge"
        answer = bob.post(address, {"customer": str(stranger.id)}, content_type="application/json")
        assert answer.status_code == 404
        with cast.acme.scope(), pytest.raises(NotFound):
            merging.merge(cast.carol, stranger, by=cast.acme.bob.member)

    def test_what_is_held_stays_where_it_is(self, acme):
        ada, bea = person("Ada"), person("Bea")
        talk = start(bea)
        row = merging.merge(ada, person("Third"), by=acme.bob.member)
        for subject in (talk, ada):
            holds.place(subject, reason="a lawsuit", by=acme.petra.member)
            with pytest.raises(UnderHold):
                merging.merge(ada, bea, by=acme.bob.member)
        with pytest.raises(UnderHold):
            merging.undo(row, by=acme.bob.member)

    def test_who_is_going_meets_nobody(self, acme):
        ada, bea = person("Ada"), person("Bea", email="bea@example.org")
        start(bea)
        erasure_requests.ask_by_member(
            bea, by=acme.petra.member, reason="asked by letter", confirm="ERASE"
        )
        with pytest.raises((ErasurePending, NotFound)):
            merging.merge(ada, bea, by=acme.bob.member)

    def test_a_copy_of_one_half_ends(self, acme):
        ada, bea = person("Ada"), person("Bea")
        export = exports.ask(bea, by=exports.Asker.member(acme.petra.member))
        merging.merge(ada, bea, by=acme.bob.member)
        export.refresh_from_db()
        assert export.state == "ended"


class TestSplit:
    """One customer that was two."""

    def test_some_talks_go_to_a_new_customer_and_back(self, acme):
        ada = person("Ada", email="ada@example.org")
        stays, goes = start(ada), start(ada, "I am somebody else")
        row = merging.split(ada, conversations=[goes.id], by=acme.bob.member)
        assert (owner_of(stays), owner_of(goes)) == (ada, row.target)
        assert (row.target.name, row.target.email) == ("", "")
        merging.undo(row, by=acme.bob.member)
        assert owner_of(goes) == ada

    def test_all_or_none_or_foreign_ones_are_no_split(self, acme):
        ada, bea = person("Ada"), person("Bea")
        own, foreign = start(ada), start(bea)
        for chosen in ([], [own.id], [foreign.id]):
            with pytest.raises(merging.NothingToSplit):
                merging.split(ada, conversations=chosen, by=acme.bob.member)


@pytest.mark.django_db(transaction=True)
def test_crossed_merges_at_once_leave_one_of_the_two(cast):
    """Each into the other, from two connections: one is first, and the other finds nobody there."""
    with cast.acme.scope():
        ada, bea = person("Ada"), person("Bea")
        start(ada), start(bea)
    ended = []

    def run(kept: Customer, other: Customer) -> None:
        try:
            with cast.acme.scope():
                merging.merge(kept, other, by=cast.acme.bob.member)
            ended.append("merged")
        except (Conflict, NotFound) as error:
            ended.append(type(error).__name__)
        finally:
            connection.close()

    threads = [Thread(target=run, args=pair) for pair in ((ada, bea), (bea, ada))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(ended) == ["NotFound", "merged"]
    with cast.acme.scope():
        (kept,) = [row for row in Customer.objects.exclude(name="Carol") if not row.merged_into_id]
        assert Conversation.objects.filter(customer=kept).count() == 2
