"""Legal holds as a wall: no deletion of what is held, whoever asks and by whichever cascade.

A policy of row security would not do: cascades of foreign keys pass it by.
"""

from django.db import migrations

_FORWARD = """
CREATE FUNCTION under_legal_hold(tenant uuid, talk uuid) RETURNS boolean
  LANGUAGE sql STABLE SET search_path = public, pg_temp
AS $$
  SELECT EXISTS (
    SELECT FROM conversations_legalhold h
    WHERE h.tenant_id = tenant AND (h.ends_at IS NULL OR h.ends_at > now()) AND (
      h.scope = 'conversation' AND h.subject_id = talk
      OR h.scope = 'customer' AND h.subject_id = (
        SELECT c.customer_id FROM conversations_conversation c
        WHERE c.tenant_id = tenant AND c.id = talk)
      OR h.scope = 'label' AND EXISTS (
        SELECT FROM conversations_conversationlabel l
        WHERE l.tenant_id = tenant AND l.conversation_id = talk AND l.label_id = h.subject_id)))
$$;

CREATE FUNCTION legal_hold_on(tenant uuid, kind text, subject uuid) RETURNS boolean
  LANGUAGE sql STABLE SET search_path = public, pg_temp
AS $$
  SELECT EXISTS (
    SELECT FROM conversations_legalhold h
    WHERE h.tenant_id = tenant AND h.scope = kind AND h.subject_id = subject
      AND (h.ends_at IS NULL OR h.ends_at > now()))
$$;

-- The argument says by which column the row is bound: 'talk' (conversation_id), 'turn', 'self',
-- 'label' or 'link'. Few tenants have a hold at all: the first test is the one that large
-- deletions pay for every row.
CREATE FUNCTION legal_hold_guard() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp
AS $$
DECLARE held boolean;
BEGIN
  PERFORM FROM conversations_legalhold h
    WHERE h.tenant_id = OLD.tenant_id AND (h.ends_at IS NULL OR h.ends_at > now()) LIMIT 1;
  IF NOT FOUND THEN
    RETURN OLD;
  END IF;
  held := CASE TG_ARGV[0]
    WHEN 'talk' THEN under_legal_hold(OLD.tenant_id, (to_jsonb(OLD) ->> 'conversation_id')::uuid)
    WHEN 'turn' THEN under_legal_hold(OLD.tenant_id, (
      SELECT t.conversation_id FROM agents_turn t WHERE t.tenant_id = OLD.tenant_id
        AND t.id = (to_jsonb(OLD) ->> 'turn_id')::uuid))
    WHEN 'link' THEN legal_hold_on(OLD.tenant_id, 'label', (to_jsonb(OLD) ->> 'label_id')::uuid)
    WHEN 'label' THEN legal_hold_on(OLD.tenant_id, 'label', OLD.id)
    WHEN 'customer' THEN legal_hold_on(OLD.tenant_id, 'customer', OLD.id)
    ELSE under_legal_hold(OLD.tenant_id, OLD.id)
  END;
  IF held THEN
    RAISE EXCEPTION '% % is under legal hold', TG_TABLE_NAME, OLD.id
      USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN OLD;
END $$;
"""

_TABLES = {
    "conversation": "self",
    "message": "talk",
    "messageedit": "talk",
    "note": "talk",
    "event": "talk",
    "rating": "talk",
    "conversationlabel": "link",
    "label": "label",
    "customer": "customer",
}
_TRIGGERS = "".join(
    f"CREATE TRIGGER legal_hold BEFORE DELETE ON conversations_{table}"
    f" FOR EACH ROW EXECUTE FUNCTION legal_hold_guard('{bound}');"
    for table, bound in _TABLES.items()
)
_REVERSE = (
    "".join(f"DROP TRIGGER legal_hold ON conversations_{table};" for table in _TABLES)
    + "DROP FUNCTION legal_hold_guard(); DROP FUNCTION under_legal_hold(uuid, uuid);"
    " DROP FUNCTION legal_hold_on(uuid, text, uuid);"
)


class Migration(migrations.Migration):
    dependencies = [("conversations", "0008_retention")]

    operations = [migrations.RunSQL(_FORWARD + _TRIGGERS, _REVERSE)]
