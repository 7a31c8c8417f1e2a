"""Files for the privacy desk: a kind of retention, the wall of holds, no words in statistics."""

from django.db import migrations, models

_COLUMNS = [
    ("conversations_attachment", "name"),
    ("conversations_attachment", "sha256"),
    ("conversations_attachmentbody", "content"),
    ("conversations_attachmentbody", "preview"),
]


def _statement(table: str, column: str, target: int) -> str:
    return f'ALTER TABLE "{table}" ALTER COLUMN "{column}" SET STATISTICS {target}'


# Bytes go with their file's row, whose own wall has been asked by then, or alone: then the file
# says whose they are.
_WALLS = """
CREATE FUNCTION legal_hold_wall_of_bodies() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp
AS $$
BEGIN
  PERFORM FROM conversations_legalhold h WHERE h.ends_at IS NULL OR h.ends_at > now() LIMIT 1;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  PERFORM FROM (
    SELECT DISTINCT a.tenant_id, a.conversation_id FROM gone
    JOIN conversations_attachment a ON a.tenant_id = gone.tenant_id AND a.id = gone.attachment_id
  ) g WHERE under_legal_hold(g.tenant_id, g.conversation_id);
  IF FOUND THEN
    RAISE EXCEPTION 'rows of % are under legal hold', TG_TABLE_NAME
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER legal_hold AFTER DELETE ON conversations_attachment
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION legal_hold_wall('talk');
CREATE TRIGGER legal_hold AFTER DELETE ON conversations_attachmentbody
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION legal_hold_wall_of_bodies();
"""
_NO_WALLS = """
DROP TRIGGER legal_hold ON conversations_attachment;
DROP TRIGGER legal_hold ON conversations_attachmentbody;
DROP FUNCTION legal_hold_wall_of_bodies();
"""


class Migration(migrations.Migration):
    dependencies = [("conversations", "0022_files")]

    operations = [
        migrations.AlterField(
            model_name="retentionpolicy",
            name="kind",
            field=models.CharField(
                choices=[
                    ("messages", "Messages, with the whole conversation"),
                    ("customers", "Customers, with sessions and identities"),
                    ("files", "Files, with their small pictures"),
                    ("notes", "Notes"),
                    ("model_calls", "Model calls and tool journal"),
                    ("drafts", "Drafts"),
                    (
                        "logs",
                        "Logs: ended sessions, past exports and merges, invitations, error texts",
                    ),
                ],
                default="messages",
                max_length=20,
            ),
        ),
        *(
            migrations.RunSQL(_statement(*column, 0), _statement(*column, -1))
            for column in _COLUMNS
        ),
        migrations.RunSQL(_WALLS, _NO_WALLS),
    ]
