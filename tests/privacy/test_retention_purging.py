"""Purging in batches: all of it goes, usage stays as counts, and the neighbours keep every row."""

from agents.models import ModelCall
from conversations.services.purging import counts_for, purge_conversations
from tenants.models import DueWork
from tests.privacy.rows import full_talk, rows_of


def test_purging_takes_every_row_and_leaves_usage_and_neighbours(cast, talk):
    with cast.acme.scope():
        gone, kept = full_talk(), talk
        before = rows_of(kept.id)
        assert min(rows_of(gone.id).values()) > 0
        done = purge_conversations([gone.id], budget=3)
        assert (done.rows, done.finished) == (3, False)
        while not done.finished:
            done = purge_conversations([gone.id], budget=3)
        assert set(rows_of(gone.id).values()) == {0}
        assert not DueWork.objects.filter(ref_id=gone.id).exists()
        assert ModelCall.objects.filter(input_tokens=7, conversation_id=None).count() == 1
        assert rows_of(kept.id) == before
        assert purge_conversations([gone.id]).rows == 0


def test_the_preview_counts_what_a_purge_takes(cast):
    with cast.acme.scope():
        gone = full_talk()
        counted = counts_for(conversation_ids=[gone.id])
        done = purge_conversations([gone.id])
        assert done.finished
        assert {name: n for name, n in counted.items() if n} == done.counts
