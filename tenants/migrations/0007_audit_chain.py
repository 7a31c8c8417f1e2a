"""The database chains the entries as they commit; those of before are chained here."""

from django.db import migrations

# What is hashed. Its text is the database's spelling of JSON, which no setting changes.
_PAYLOAD = """
CREATE FUNCTION audit_payload(entry tenants_auditentry) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT jsonb_build_array(
    entry.id, entry.tenant_id,
    to_char(entry.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    entry.actor_kind, entry.actor_id, entry.actor_code,
    entry.action, entry.target_kind, entry.target_id, entry.detail)::text
$$;
"""

# Deferred to the commit: the lock is the transaction's last and lives as long as the commit does,
# so that entries in the midst of long work keep nobody waiting. The setting is put back to the
# entry's tenant because a scope inside somebody's larger transaction has ended by then.
_CHAIN = """
CREATE FUNCTION audit_chain() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  scope text := current_setting('app.tenant_id', true);
  place bigint;
  before bytea;
BEGIN
  PERFORM set_config('app.tenant_id', NEW.tenant_id::text, true);
  PERFORM pg_advisory_xact_lock(hashtextextended('audit chain ' || NEW.tenant_id::text, 0));
  SELECT seq, hash INTO place, before FROM tenants_auditlink
    WHERE tenant_id = NEW.tenant_id ORDER BY seq DESC LIMIT 1;
  place := COALESCE(place, 0) + 1;
  INSERT INTO tenants_auditlink (id, tenant_id, seq, hash) VALUES (NEW.id, NEW.tenant_id, place,
    sha256(COALESCE(before, '') || convert_to(place || ' ' || audit_payload(NEW), 'UTF8')));
  PERFORM set_config('app.tenant_id', COALESCE(scope, ''), true);
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER audit_chain AFTER INSERT ON tenants_auditentry
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.tenant_id IS NOT NULL) EXECUTE FUNCTION audit_chain();
"""

_BEFORE = """
DO $$
DECLARE
  entry tenants_auditentry;
  whose uuid;
  place bigint;
  before bytea;
BEGIN
  FOR entry IN SELECT * FROM tenants_auditentry WHERE tenant_id IS NOT NULL
               ORDER BY tenant_id, created_at, id LOOP
    IF whose IS DISTINCT FROM entry.tenant_id THEN
      whose := entry.tenant_id; place := 0; before := '';
    END IF;
    place := place + 1;
    before := sha256(before || convert_to(place || ' ' || audit_payload(entry), 'UTF8'));
    INSERT INTO tenants_auditlink (id, tenant_id, seq, hash)
      VALUES (entry.id, entry.tenant_id, place, before);
  END LOOP;
END $$;
"""

_REVERSE = """
DROP TRIGGER audit_chain ON tenants_auditentry;
DROP FUNCTION audit_chain();
DROP FUNCTION audit_payload(tenants_auditentry);
DELETE FROM tenants_auditlink;
"""


class Migration(migrations.Migration):
    dependencies = [("tenants", "0006_audit_links")]

    operations = [
        migrations.RunSQL(_PAYLOAD + _BEFORE + _CHAIN, _REVERSE),
    ]
