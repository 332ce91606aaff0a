-- Services log in as a role that is neither superuser nor owner and cannot bypass row-level security. A forced policy on
-- every table compares tenant_id with a setting of the transaction; an empty or absent setting matches nothing.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'cortex_spanning') THEN
        CREATE ROLE cortex_spanning NOLOGIN BYPASSRLS;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'cortex_service') THEN
        CREATE ROLE cortex_service LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'cortex_replay') THEN
        CREATE ROLE cortex_replay LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
    END IF;
END $$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO cortex_service, cortex_replay, cortex_spanning;

DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenant ON %I USING (%I = nullif(current_setting(''cortex.tenant'', true), '''')::uuid)',
            name, CASE name WHEN 'tenants' THEN 'id' ELSE 'tenant_id' END
        );
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO cortex_service', name);
    END LOOP;
END $$;

-- The audit is append-only for everyone who serves.
REVOKE UPDATE, DELETE ON audit FROM cortex_service;
