"""Purging in batches: all of it goes, usage stays as counts, and the neighbours keep every row."""

from django.apps import apps

from agents.models import ModelCall
from conversations.models import Conversation
from conversations.services.purging import counts_for, purge_conversations
from tenants.models import DueWork
from tests.support.rows import Rows, scoped_models


def _rows_of(talk_id) -> dict[str, int]:
    """Rows that name the conversation, in every table there is."""
    found = {}
    for model in apps.get_models():
        names = {field.attname for field in model._meta.concrete_fields}
        column = "id" if model is Conversation else "conversation_id"
        if column in names and model._meta.app_label in {"conversations", "agents"}:
            found[model._meta.label] = model._base_manager.filter(**{column: talk_id}).count()
    return found


def _full_talk() -> Conversation:
    """A conversation with a row in every table that can have one."""
    rows = Rows()
    for model in scoped_models():
        rows.one(model)
    talk: Conversation = rows.one(Conversation)
    ModelCall.objects.create(
        conversation_id=talk.id, turn_id=talk.id, api="x", model="m", outcome="ok", input_tokens=7
    )
    DueWork.objects.create(
        tenant_id=talk.tenant_id, kind="title", ref_id=talk.id, due_at=talk.created_at
    )
    return talk


def test_purging_takes_every_row_and_leaves_usage_and_neighbours(cast, talk):
    with cast.acme.scope():
        gone, kept = _full_talk(), talk
        before = _rows_of(kept.id)
        assert min(_rows_of(gone.id).values()) > 0
        done = purge_conversations([gone.id], budget=3)
        assert (done.rows, done.finished) == (3, False)
        while not done.finished:
            done = purge_conversations([gone.id], budget=3)
        assert set(_rows_of(gone.id).values()) == {0}
        assert not DueWork.objects.filter(ref_id=gone.id).exists()
        assert ModelCall.objects.filter(input_tokens=7, conversation_id=None).count() == 1
        assert _rows_of(kept.id) == before
        assert purge_conversations([gone.id]).rows == 0


def test_the_preview_counts_what_a_purge_takes(cast):
    with cast.acme.scope():
        gone = _full_talk()
        counted = counts_for(conversation_ids=[gone.id])
        done = purge_conversations([gone.id])
        assert done.finished
        assert {name: n for name, n in counted.items() if n} == done.counts
