-- Everything that precedes or spans tenants, in one place. Each function runs as the NOLOGIN role `cortex_spanning`,
-- fixes its search_path, and may be executed only by the role named below it.

GRANT SELECT ON tenants, relation_tuples, permission_sequences, permission_marks, acl_repairs TO cortex_spanning;
GRANT SELECT, UPDATE, DELETE ON event_outbox TO cortex_spanning;

CREATE OR REPLACE FUNCTION cortex_replay_tuples()
RETURNS TABLE (resource_type text, resource_id text, relation text, subject_type text, subject_id text, subject_relation text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
    SELECT DISTINCT t.resource_type, t.resource_id, t.relation, t.subject_type, t.subject_id, t.subject_relation
    FROM relation_tuples t
$$;

CREATE OR REPLACE FUNCTION cortex_tenants()
RETURNS TABLE (id uuid, name text, title text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
    SELECT t.id, t.name, t.title FROM tenants t ORDER BY t.name
$$;

-- Tenants whose permission outbox or index repairs are behind.
CREATE OR REPLACE FUNCTION cortex_tenants_behind()
RETURNS TABLE (tenant_id uuid, permissions boolean, repairs boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
    SELECT s.tenant_id, s.last > m.applied, EXISTS (SELECT FROM acl_repairs r WHERE r.tenant_id = s.tenant_id)
    FROM permission_sequences s JOIN permission_marks m USING (tenant_id)
    WHERE s.last > m.applied OR EXISTS (SELECT FROM acl_repairs r WHERE r.tenant_id = s.tenant_id)
$$;

-- The oldest events not yet published, locked until the caller's transaction ends; a crash gives them back.
CREATE OR REPLACE FUNCTION cortex_relay_take(most integer)
RETURNS TABLE (id bigint, event_id text, subject text, payload bytea, traceparent text)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
    SELECT o.id, o.event_id, o.subject, o.payload, o.traceparent FROM event_outbox o
    ORDER BY o.id LIMIT most FOR UPDATE SKIP LOCKED
$$;

CREATE OR REPLACE FUNCTION cortex_relay_done(published bigint[])
RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
    DELETE FROM event_outbox o WHERE o.id = ANY (published)
$$;

DO $$
DECLARE
    signature text;
BEGIN
    FOREACH signature IN ARRAY ARRAY[
        'cortex_replay_tuples()', 'cortex_tenants()', 'cortex_tenants_behind()', 'cortex_relay_take(integer)',
        'cortex_relay_done(bigint[])'
    ] LOOP
        EXECUTE format('ALTER FUNCTION %s OWNER TO cortex_spanning', signature);
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    END LOOP;
END $$;

GRANT EXECUTE ON FUNCTION cortex_replay_tuples() TO cortex_replay;
GRANT EXECUTE ON FUNCTION cortex_tenants(), cortex_tenants_behind(), cortex_relay_take(integer),
    cortex_relay_done(bigint[]) TO cortex_service;
