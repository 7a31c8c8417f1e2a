"""Conversations with a row in every table, and what is left of them."""

from typing import cast

from django.apps import apps

from agents.models import ModelCall
from conversations.models import Conversation, LegalHold, RetentionPolicy
from tenants.models import AuditKey, AuditLink, DueWork
from tenants.scoping import current_tenant_id
from tests.support.rows import Rows, scoped_models

# They belong to no conversation; a random hold would hold, a random key open nothing.
_NOT_OF_A_TALK = {AuditKey, AuditLink, LegalHold, RetentionPolicy}


def rows_of(talk_id) -> dict[str, int]:
    """Rows that name the conversation, in every table there is."""
    found = {}
    for model in apps.get_models():
        names = {field.attname for field in model._meta.concrete_fields}
        column = "id" if model is Conversation else "conversation_id"
        if column in names and model._meta.app_label in {"conversations", "agents"}:
            found[model._meta.label] = model._base_manager.filter(**{column: talk_id}).count()
    return found


def full_talk() -> Conversation:
    """A conversation with a row in every table that can have one."""
    rows = Rows()
    for model in scoped_models():
        if model not in _NOT_OF_A_TALK:
            rows.one(model)
    talk = cast("Conversation", rows.one(Conversation))
    Conversation.stored.filter(pk=talk.pk).update(last_seq=10)
    ModelCall.objects.create(
        conversation_id=talk.id, turn_id=talk.id, api="x", model="m", outcome="ok", input_tokens=7
    )
    DueWork.objects.create(
        tenant_id=current_tenant_id(), kind="title", ref_id=talk.id, due_at=talk.created_at
    )
    return talk
