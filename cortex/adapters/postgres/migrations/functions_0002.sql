-- Credentials name no tenant: which one a session or an API key is of. Everything else is read within that tenant.

GRANT SELECT ON sessions, api_keys TO cortex_spanning;

CREATE OR REPLACE FUNCTION cortex_session_tenant(secret bytea)
RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
    SELECT s.tenant_id FROM sessions s WHERE s.secret_sha256 = secret
$$;

CREATE OR REPLACE FUNCTION cortex_api_key_tenant(key uuid)
RETURNS uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
    SELECT k.tenant_id FROM api_keys k WHERE k.id = key
$$;

DO $$
DECLARE
    signature text;
BEGIN
    FOREACH signature IN ARRAY ARRAY['cortex_session_tenant(bytea)', 'cortex_api_key_tenant(uuid)'] LOOP
        EXECUTE format('ALTER FUNCTION %s OWNER TO cortex_spanning', signature);
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO cortex_service', signature);
    END LOOP;
END $$;
