"""The planner remembers values of columns, long after their rows: never those of people's words."""

import psycopg
import pytest
from django.db import models

from tenants.personal_data import inventory
from tests.privacy.erasing import superuser_url

pytestmark = pytest.mark.usefixtures("django_db_setup")
_WORDS = (models.CharField, models.TextField, models.JSONField, models.BinaryField)

# Codes, hashes and numbers: no person's words.
OF_NOBODY = {
    "agents_approval.arguments_digest",
    "agents_approval.tool",
    "agents_servicehistory.seal",
    "agents_toolcall.arguments_digest",
    "agents_toolcall.name",
    "agents_turn.error_code",
    "agents_turn.lease_owner",  # a host and a process
    "conversations_attachment.media_type",
    "conversations_conversation.insight_seqs",
    "conversations_conversation.locale",
    "conversations_customer.locale",
    "conversations_erasurerequest.token_hash",
    "conversations_event.by_kind",
    "conversations_exportpart.sha256",
    "conversations_exportrequest.link_hash",
    "conversations_exportrequest.manifest_sha256",
    "conversations_redactionnotice.receipt_digest",
    "conversations_widgettoken.token_hash",
    "tenants_apikey.prefix",
    "tenants_apikey.secret_hash",
    "tenants_auditentry.action",
    "tenants_auditentry.actor_code",
    "tenants_auditentry.detail",  # ids, codes and counts
    "tenants_auditentry.target_kind",
    "tenants_invitation.token_hash",
}
# Stands for a system of the tenant's, which the desk does not keep.
SHOP = "demo_shop_"


def test_no_column_of_words_keeps_statistics():
    with psycopg.connect(superuser_url()) as superuser:
        silent = {
            f"{table}.{column}"
            for table, column in superuser.execute(
                "SELECT attrelid::regclass::text, attname FROM pg_attribute"
                " WHERE attstattarget = 0 AND attnum > 0"
            ).fetchall()
        }
    loud = {
        f"{entry.model._meta.db_table}.{field.column}"
        for entry in inventory()
        if entry.holds
        for field in entry.model._meta.concrete_fields
        if isinstance(field, _WORDS) and not field.choices and not field.primary_key
    }
    found = {name for name in loud - silent - OF_NOBODY if not name.startswith(SHOP)}
    assert found == set(), "SET STATISTICS 0 in a migration, or say in OF_NOBODY what it holds."
