"""The table of allowed transitions, enforced where no code can forget it."""

from django.db import migrations

_FORWARD = """
CREATE FUNCTION turn_guard() RETURNS trigger
  LANGUAGE plpgsql SET search_path = public, pg_temp
AS $$
BEGIN
  IF NEW.fence < OLD.fence THEN
    RAISE EXCEPTION 'turn % may not lower its fence', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.state <> OLD.state AND (OLD.state, NEW.state) NOT IN (
    ('queued', 'running'), ('queued', 'cancelled'), ('queued', 'failed'),
    ('running', 'succeeded'), ('running', 'failed'), ('running', 'cancelled'),
    ('running', 'queued'), ('running', 'awaiting_approval'),
    ('awaiting_approval', 'queued'), ('awaiting_approval', 'succeeded'),
    ('awaiting_approval', 'cancelled'), ('awaiting_approval', 'failed'),
    ('succeeded', 'superseded')
  ) THEN
    RAISE EXCEPTION 'turn % may not go from % to %', OLD.id, OLD.state, NEW.state
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER turn_guard BEFORE UPDATE ON agents_turn
  FOR EACH ROW EXECUTE FUNCTION turn_guard();
"""

_REVERSE = "DROP TRIGGER turn_guard ON agents_turn; DROP FUNCTION turn_guard();"


class Migration(migrations.Migration):
    dependencies = [("agents", "0001_initial")]

    operations = [migrations.RunSQL(_FORWARD, _REVERSE)]
