"""People who were idle go by a policy of their own, and nobody goes who is still needed."""

from datetime import timedelta

import pytest
from django.utils import timezone

from conversations.models import (
    Conversation,
    Customer,
    CustomerIdentity,
    CustomerMerge,
    ErasureRequest,
    ExportPart,
    ExportRequest,
    Kind,
    RetentionRun,
    WidgetToken,
)
from conversations.selectors.retention import preview
from conversations.selectors.retention_law import Rule
from conversations.services import exports, holds, merging, retention
from conversations.services.erasure_requests import ask_by_member
from conversations.services.messages import post_reply
from conversations.services.retention import PolicySettings
from conversations.services.tombstones import bury
from tenants.errors import InvalidInput
from tenants.models import WidgetKey
from tenants.scoping import new_id
from tenants.services import audit
from tests.privacy.policies import aged, mark, policy, whole_round
from tests.support.widget import Widget, signed

DAY = timedelta(days=1)


@pytest.fixture
def petra(cast):
    return cast.acme.petra.member


def idle(days: int, **fields) -> Customer:
    """Somebody with a proof and a session who was last here so long ago."""
    one = Customer.objects.create(**{"name": "Ida Idle", "email": "ida@example.org", **fields})
    CustomerIdentity.objects.create(customer=one, subject=str(one.id), verified_at=timezone.now())
    key = WidgetKey.objects.get(active=True)
    WidgetToken.objects.create(
        customer=one, widget_key=key, token_hash=one.id.bytes, expires_at=timezone.now()
    )
    then = timezone.now() - days * DAY
    Customer.stored.filter(pk=one.pk).update(created_at=then, last_seen_at=then)
    return one


def people() -> set[object]:
    return set(Customer.stored.values_list("pk", flat=True))


def test_who_was_idle_goes_with_proof_and_session_and_nobody_else_does(cast, petra):
    with cast.acme.scope():
        old, young, fresh = idle(91), idle(89), idle(400)
        Customer.stored.filter(pk=fresh.pk).update(last_seen_at=timezone.now())
        before = people()
        rule = policy(petra, 90, kind=Kind.CUSTOMERS)
        whole_round()
        assert before - people() == {old.id}
        assert not CustomerIdentity.objects.filter(customer=old.id).exists()
        assert not WidgetToken.objects.filter(customer=old.id).exists()
        assert CustomerIdentity.objects.filter(customer=young.id).count() == 1
        assert WidgetToken.objects.filter(customer=young.id).count() == 1
        run = RetentionRun.objects.get()
        assert (run.policy_id, run.counts) == (
            rule.id, {"customers": 1, "identities": 1, "widget sessions": 1}
        )  # fmt: skip
        whole_round()
        assert RetentionRun.objects.count() == 1
        assert before - people() == {old.id}


def test_the_person_ends_with_the_last_talk_and_not_before_and_is_hidden_though_nothing_purges(
    cast, petra
):
    with cast.acme.scope():
        one, talker = idle(400), idle(400)
        gone = aged(one, 40 * DAY, now=timezone.now())
        aged(talker, 40 * DAY, now=timezone.now())
        kept = aged(talker, 20 * DAY, now=timezone.now())
        policy(petra, 90, kind=Kind.CUSTOMERS)
        whole_round()
        assert {one.id, talker.id} <= people()
        policy(petra, 30)
        mark()
        shown = set(Customer.objects.values_list("pk", flat=True))
        assert one.id not in shown
        assert talker.id in shown
        assert Conversation.stored.filter(pk=gone.pk).exists()
        whole_round()
        assert one.id not in people()
        assert talker.id in people()
        assert Customer.stored.get(pk=talker.pk).expires_at == (
            Conversation.stored.get(pk=kept.pk).expires_at
        )


def test_an_answer_to_an_old_talk_shows_the_person_at_once(cast, petra):
    with cast.acme.scope():
        one = idle(400)
        talk = aged(one, 29 * DAY, now=timezone.now())
        policy(petra, 30)
        policy(petra, 90, kind=Kind.CUSTOMERS)
        mark()
        post_reply(talk, by=cast.acme.bob.member, client_key=new_id(), text="Are you there?")
        Customer.stored.filter(pk=one.pk).update(expires_at=timezone.now() - DAY)
        assert Customer.objects.filter(pk=one.pk).exists()
        whole_round()
        assert one.id in people()
        end = Customer.stored.get(pk=one.pk).expires_at
        assert end is not None
        assert end > timezone.now()


def test_holds_requests_copies_and_merges_keep_people(cast, petra):
    olga = cast.acme.olga.member
    with cast.acme.scope():
        held, asked, copied, one, two, plain = (
            idle(400, email=f"p{n}@example.org") for n in range(6)
        )
        holds.place(held, reason="Case 12", by=petra)
        ErasureRequest.objects.create(
            source="mail", state="requested", subject_id=asked.id,
            subject=audit.pseudonym(asked.id), due_at=timezone.now() + DAY,
        )  # fmt: skip
        exports.ask(copied, by=exports.Asker.customer(copied))
        merging.merge(one, two, by=olga, although_both_proven=True)
        before = people()
        policy(petra, 90, kind=Kind.CUSTOMERS)
        whole_round()
        assert before - people() == {plain.id}
        CustomerMerge.objects.update(undo_until=timezone.now() - DAY)
        ErasureRequest.objects.update(state="refused", subject_id=None)
        ExportRequest.objects.update(state="ended")
        whole_round()
        assert before - people() == {plain.id, asked.id, copied.id, one.id, two.id}


def test_a_hold_on_somebody_who_is_hidden_brings_them_back(cast, petra):
    with cast.acme.scope():
        one = idle(400)
        policy(petra, 90, kind=Kind.CUSTOMERS)
        mark()
        assert not Customer.objects.filter(pk=one.pk).exists()
        holds.place(one, reason="Case 12", by=petra)
        assert Customer.objects.filter(pk=one.pk).exists()
        whole_round()
        assert one.id in people()


def test_a_copy_of_the_whole_tenant_outlasts_idle_people_and_not_the_erased(cast, petra):
    with cast.acme.scope():
        one = idle(400)
        copy = ExportRequest.objects.create(kind="tenant", state="ready", by_kind="member")
        ExportPart.objects.create(export=copy, number=0, name="x", size=1, sealed=b"x")
        policy(petra, 90, kind=Kind.CUSTOMERS)
        whole_round()
        assert one.id not in people()
        assert ExportPart.objects.count() == 1


def test_who_was_erased_and_is_back_is_erased_again_and_not_tidied_up(cast, petra):
    with cast.acme.scope():
        back, other = idle(400), idle(400, email="other@example.org")
        bury([back.id], request_id=new_id())
        policy(petra, 90, kind=Kind.CUSTOMERS)
        whole_round()
        assert back.id in people()
        assert other.id not in people()
        assert ErasureRequest.objects.get(subject_id=back.id).source == "restore"


def test_who_comes_back_in_time_stays_and_who_comes_too_late_is_somebody_new(cast, petra):
    late, early = Widget(cast.acme), Widget(cast.acme)
    gone, here = (one.start().json()["customer"]["id"] for one in (late, early))
    with cast.acme.scope():
        Customer.stored.filter(pk__in=[gone, here]).update(
            created_at=timezone.now() - 3 * DAY, last_seen_at=timezone.now() - DAY - DAY / 24
        )
        rule = policy(petra, 2, kind=Kind.CUSTOMERS)
        mark()
    assert early.get("conversations").status_code == 200
    with cast.acme.scope():
        assert Customer.stored.get(pk=here).expires_at is None
        ended = {"expires_at": timezone.now(), "expires_by": rule.id}
        Customer.stored.filter(pk=gone).update(**ended)
    assert late.get("conversations").status_code == 401
    assert late.start().json()["customer"]["id"] != gone


def test_the_preview_shows_people_to_whom_it_may_concern_and_counts_what_goes(cast, petra):
    with cast.acme.scope():
        old = idle(100)
        idle(80)
        held = idle(100)
        holds.place(held, reason="Case 12", by=petra)
        found = preview(Rule(90), Kind.CUSTOMERS, member=petra)
        assert [one.id for one in found.people] == [old.id]
        assert found.counts == {"customers": 1, "sessions and identities": 2}
        assert (found.rows, found.held, found.samples) == (3, 1, ())


def test_conditions_of_talks_mean_nothing_for_people(cast, petra):
    with cast.acme.scope(), pytest.raises(InvalidInput) as refused:
        retention.make_policy(
            PolicySettings("Idle", 90, kind=Kind.CUSTOMERS, status="resolved"), by=petra
        )
    assert list(refused.value.errors) == ["status"]


def test_asking_for_an_erasure_beats_the_mark(cast, petra):
    with cast.acme.scope():
        one = idle(400)
        policy(petra, 90, kind=Kind.CUSTOMERS)
        ask_by_member(one, by=petra, reason="By phone", confirm="ERASE")
        whole_round()
        assert one.id in people()


def test_a_proven_person_who_comes_too_late_is_somebody_new_and_nobody_reads_the_old_one(
    cast, petra
):
    def sign_in(subject: str) -> str:
        answer = Widget(cast.acme).start(identity=signed(cast.acme, subject, name=f"N {subject}"))
        return str(answer.json()["customer"]["id"])

    ended, here = sign_in("ended-1"), sign_in("here-1")
    with cast.acme.scope():
        rule = policy(petra, 90, kind=Kind.CUSTOMERS)
        then = {"expires_at": timezone.now(), "expires_by": rule.id}
        Customer.stored.filter(pk=ended).update(**then)
    bob = cast.acme.bob.client()
    listed = {row["id"] for row in bob.get("/api/v1/customers").json()["results"]}
    assert (ended in listed, here in listed) == (False, True)
    assert bob.get(f"/api/v1/customers/{ended}").status_code == 404
    assert bob.get(f"/api/v1/customers/{here}").status_code == 200
    again = sign_in("ended-1")
    assert again != ended
    assert sign_in("ended-1") == again
    assert sign_in("here-1") == here
