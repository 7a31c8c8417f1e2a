-- Turnstone: roles, database, extensions. Run it once, and again after each upgrade, as a superuser of
-- the cluster (PostgreSQL 15 or newer). Every statement may be repeated.
--
--   psql -X -v ON_ERROR_STOP=1 \
--        -v owner_password=… -v app_password=… -v backup_password=… \
--        -f devstack/bootstrap.sql postgres
--
-- Passwords are optional: leave them out where another kind of authentication serves. `-v database=…`
-- names another database than "desk". Then point OWNER_DATABASE_URL at desk_owner and DATABASE_URL at
-- desk_app, and let `manage.py migrate` make the tables.
--
--   desk_owner   owns the tables and runs migrations, nothing else
--   desk_app     web, workers and commands; bound by row-level security, may create nothing
--   desk_search  cannot log in; owns the search functions
--   desk_backup  reads past row-level security, writes nothing: dumps and the erasure scanner

\if :{?database} \else
  \set database desk
\endif
SET client_min_messages = warning;

-- 1. Roles ---------------------------------------------------------------------------------------------

SELECT format('CREATE ROLE %I %s', role, attributes)
FROM (VALUES
  ('desk_owner',  'LOGIN'),
  ('desk_app',    'LOGIN NOINHERIT'),
  ('desk_search', 'NOLOGIN'),
  ('desk_backup', 'LOGIN BYPASSRLS')
) AS wanted (role, attributes)
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role)
\gexec

\if :{?owner_password}
  ALTER ROLE desk_owner PASSWORD :'owner_password';
\endif
\if :{?app_password}
  ALTER ROLE desk_app PASSWORD :'app_password';
\endif
\if :{?backup_password}
  ALTER ROLE desk_backup PASSWORD :'backup_password';
\endif

-- The owner gives its search functions away to desk_search, and may replace and drop them later.
GRANT desk_search TO desk_owner;
GRANT pg_read_all_data TO desk_backup;
ALTER ROLE desk_backup SET default_transaction_read_only = on;
-- No transaction waits for a model or a browser: one that idles holds locks that an erasure needs.
ALTER ROLE desk_app SET idle_in_transaction_session_timeout = '15s';

-- A role that an earlier hand made too strong would make every wall void, so it is refused here.
DO $$
DECLARE strong text;
BEGIN
  SELECT string_agg(rolname, ', ') INTO strong FROM pg_roles
  WHERE (rolname IN ('desk_owner', 'desk_app', 'desk_search') AND (rolsuper OR rolbypassrls OR rolcreaterole))
     OR (rolname = 'desk_app' AND rolcreatedb)
     OR (rolname = 'desk_backup' AND (rolsuper OR rolcreaterole OR rolcreatedb));
  IF strong IS NOT NULL THEN
    RAISE EXCEPTION 'too many powers: %', strong
      USING HINT = 'ALTER ROLE … NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB';
  END IF;
  SELECT string_agg(roleid::regrole::text, ', ') INTO strong
  FROM pg_auth_members WHERE member = 'desk_app'::regrole;
  IF strong IS NOT NULL THEN
    RAISE EXCEPTION 'desk_app must be a member of nothing, it is one of: %', strong;
  END IF;
END $$;

-- 2. Database ------------------------------------------------------------------------------------------

SELECT format('CREATE DATABASE %I OWNER desk_owner TEMPLATE template0 ENCODING ''UTF8''', :'database')
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database')
\gexec

REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"database" TO desk_app, desk_backup;

\connect :"database"
SET client_min_messages = warning;

-- 3. Schema, extensions, search ------------------------------------------------------------------------

REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO desk_app, desk_backup;
GRANT USAGE, CREATE ON SCHEMA public TO desk_search;  -- a function's owner needs CREATE where it lives

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE EXTENSION IF NOT EXISTS unaccent WITH SCHEMA public;
CREATE EXTENSION IF NOT EXISTS btree_gin WITH SCHEMA public;

-- Words without accents, in any language. The function unaccent() is not immutable, so no index may use
-- it; a configuration with its dictionary may stand in one.
SELECT 'CREATE TEXT SEARCH CONFIGURATION public.desk_simple (COPY = pg_catalog.simple)'
WHERE NOT EXISTS (SELECT FROM pg_ts_config WHERE cfgname = 'desk_simple')
\gexec
ALTER TEXT SEARCH CONFIGURATION public.desk_simple
  ALTER MAPPING FOR asciiword, asciihword, hword_asciipart, word, hword, hword_part, numword, numhword,
    hword_numpart WITH public.unaccent, simple;

-- 4. What desk_app may do with the tables that desk_owner will make ------------------------------------

ALTER DEFAULT PRIVILEGES FOR ROLE desk_owner IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO desk_app;
ALTER DEFAULT PRIVILEGES FOR ROLE desk_owner IN SCHEMA public
  GRANT USAGE ON SEQUENCES TO desk_app;
