"""The tabs Retention and Holds: no policy is saved unseen."""

from datetime import timedelta

import pytest
from django.utils import timezone

from conversations.models import Label, LegalHold, RetentionPolicy
from tests.privacy.policies import aged, policy, whole_round
from tests.support.console import text_of

_LIST, _HOLDS = "conversations:privacy-retention", "conversations:privacy-holds"
_NEW = "conversations:add-policy"
_POLICY = {
    "name": "Old ones",
    "kind": "messages",
    "days": "30",
    "status": "",
    "label": "",
    "channel": "",
}


@pytest.fixture
def petra(browser_of):
    return browser_of("petra")


def test_a_policy_is_saved_only_after_its_preview(cast, petra):
    with cast.acme.scope():
        aged(cast.carol, timedelta(days=31), now=timezone.now(), title="About a bell")
    shown = petra.post(_NEW, **_POLICY)
    assert "About a bell" in text_of(shown)
    assert "Conversations: 1" in text_of(shown)
    with cast.acme.scope():
        assert not RetentionPolicy.objects.exists()
    previewed = shown.context["form"].data["previewed"]
    other = petra.post(_NEW, **_POLICY | {"days": "7", "previewed": previewed})
    assert other.status_code == 200
    with cast.acme.scope():
        assert not RetentionPolicy.objects.exists()
    saved = petra.post(_NEW, **_POLICY | {"previewed": previewed})
    assert saved.status_code == 302
    listed = text_of(petra.get(_LIST))
    assert "Old ones" in listed
    assert "30 days" in listed
    assert "names and addresses stay" in listed
    with cast.acme.scope():
        policy(cast.acme.olga.member, 90, kind="customers")
    assert "names and addresses stay" not in text_of(petra.get(_LIST))


def test_reports_are_listed_and_a_policy_is_replaced_and_ended(cast, petra):
    with cast.acme.scope():
        aged(cast.carol, timedelta(days=31), now=timezone.now())
        made = policy(cast.acme.olga.member, 30)
        whole_round()
    assert "Conversations: 1" in text_of(petra.get(_LIST))
    change = "conversations:change-policy"
    shown = petra.post(change, made.id, **_POLICY | {"days": "60"})
    seen = {"previewed": shown.context["form"].data["previewed"]}
    assert petra.post(change, made.id, **_POLICY | {"days": "60"} | seen).status_code == 302
    with cast.acme.scope():
        states = dict(RetentionPolicy.objects.values_list("days", "state"))
    assert states == {30: "ended", 60: "active"}


def test_a_policy_for_one_label(cast, petra):
    with cast.acme.scope():
        vip = Label.objects.create(name="VIP")
    shown = petra.post(_NEW, **_POLICY | {"label": "VIP"})
    seen = {"previewed": shown.context["form"].data["previewed"]}
    assert petra.post(_NEW, **_POLICY | {"label": "VIP"} | seen).status_code == 302
    with cast.acme.scope():
        assert RetentionPolicy.objects.get().label == vip
    assert petra.post(_NEW, **_POLICY | {"label": "nobody"}).status_code == 422


def test_a_hold_is_placed_and_released(cast, petra):
    with cast.acme.scope():
        Label.objects.create(name="VIP")
    body = {"scope": "label", "subject": "VIP", "reason": "Case 12"}
    assert petra.post("conversations:add-hold", **body).status_code == 302
    listed = text_of(petra.get(_HOLDS))
    assert "VIP" in listed
    assert "Case 12" in listed
    with cast.acme.scope():
        hold = LegalHold.objects.get()
    assert petra.post("conversations:release-hold", hold.id).status_code == 302
    assert "Released" in text_of(petra.get(_HOLDS))
    refused = petra.post("conversations:add-hold", **body | {"subject": "nobody"})
    assert refused.status_code == 422
    assert "There is no such one" in text_of(refused)


def test_support_agents_see_neither(browser_of):
    for page in (_LIST, _HOLDS, _NEW):
        assert browser_of("bob").get(page).status_code == 403
