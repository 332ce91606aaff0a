-- Conversations: what a person asked, in order, under a title. A share shows what was asked until `shared_at`.

CREATE TABLE conversations (
    tenant_id uuid NOT NULL REFERENCES tenants,
    id uuid NOT NULL,
    person_id uuid NOT NULL,
    title text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(), -- when something was asked last
    share_token text,
    shared_at timestamptz,
    PRIMARY KEY (tenant_id, id),
    CHECK ((share_token IS NULL) = (shared_at IS NULL))
);
CREATE INDEX conversations_by_person ON conversations (tenant_id, person_id, updated_at DESC, id DESC);
CREATE UNIQUE INDEX conversations_by_share ON conversations (tenant_id, share_token) WHERE share_token IS NOT NULL;

-- Until now a client could call conversations what it liked, two people the same, and no table knew of them.
CREATE TEMPORARY TABLE conversations_before ON COMMIT DROP AS
SELECT tenant_id, person_id, conversation_id, min(created_at) AS created_at, max(created_at) AS updated_at,
    left((array_agg(question ORDER BY created_at, id))[1], 120) AS title,
    CASE
        WHEN conversation_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
            AND row_number() OVER (PARTITION BY tenant_id, conversation_id ORDER BY min(created_at), person_id) = 1
        THEN conversation_id
        ELSE gen_random_uuid()::text
    END AS id
FROM answers GROUP BY tenant_id, person_id, conversation_id;
INSERT INTO conversations (tenant_id, id, person_id, title, created_at, updated_at)
SELECT tenant_id, id::uuid, person_id, title, created_at, updated_at FROM conversations_before;
UPDATE answers a SET conversation_id = b.id FROM conversations_before b
WHERE a.tenant_id = b.tenant_id AND a.person_id = b.person_id AND a.conversation_id = b.conversation_id;
ALTER TABLE answers
    ALTER COLUMN conversation_id TYPE uuid USING conversation_id::uuid,
    ADD FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations ON DELETE CASCADE;

CREATE TABLE answer_feedback (
    tenant_id uuid NOT NULL,
    answer_id uuid NOT NULL,
    person_id uuid NOT NULL,
    rating text NOT NULL CHECK (rating IN ('up', 'down')),
    comment text,
    given_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, answer_id, person_id),
    FOREIGN KEY (tenant_id, answer_id) REFERENCES answers ON DELETE CASCADE
);

-- Suggestions: titles and authors from the beginning of each of their words on, so that one range of the index finds
-- whatever has a word that begins so. Kept by a trigger, since titles are written in more than one place.

CREATE TABLE suggestions (
    tenant_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('title', 'author')),
    start text COLLATE "C" NOT NULL,
    document_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, kind, start, document_id),
    FOREIGN KEY (tenant_id, document_id) REFERENCES documents ON DELETE CASCADE
);
CREATE INDEX suggestions_by_document ON suggestions (tenant_id, document_id);

-- The database's own locale may know no letters but those of ASCII; one of these two knows them all.
DO $do$
DECLARE
    letters text := (
        SELECT collname FROM pg_collation WHERE collname IN ('pg_c_utf8', 'und-x-icu') ORDER BY collname LIMIT 1
    );
BEGIN
    IF letters IS NULL THEN
        RAISE 'Cortex needs Postgres 17, or one that is built with ICU';
    END IF;
    EXECUTE format($sql$
        CREATE FUNCTION cortex_folded(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
        $$ SELECT lower(value COLLATE %1$I) $$
    $sql$, letters);
    EXECUTE format($sql$
        CREATE FUNCTION cortex_suggestion_starts(name text) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
            SELECT DISTINCT left(cortex_folded(substr(name, at)), 60) FROM (
                SELECT at FROM generate_series(1, least(length(name), 200)) AS at
                WHERE substr(name, at, 1) COLLATE %1$I ~ '[[:alnum:]]' AND (
                    at = 1
                    OR substr(name, at - 1, 1) COLLATE %1$I !~ '[[:alnum:]]'
                    OR substr(name, at, 1) COLLATE %1$I ~ '[\u3040-\u30ff\u3400-\u9fff]'
                )
                ORDER BY at LIMIT 24
            ) AS beginnings
        $$
    $sql$, letters);
END $do$;

CREATE FUNCTION cortex_keep_suggestions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM suggestions WHERE tenant_id = NEW.tenant_id AND document_id = NEW.id;
    INSERT INTO suggestions (tenant_id, kind, start, document_id)
    SELECT NEW.tenant_id, 'title', start, NEW.id FROM cortex_suggestion_starts(NEW.title) AS start
    UNION ALL
    SELECT NEW.tenant_id, 'author', start, NEW.id FROM cortex_suggestion_starts(coalesce(NEW.author, '')) AS start;
    RETURN NULL;
END $$;

CREATE TRIGGER documents_suggested AFTER INSERT ON documents
    FOR EACH ROW WHEN (NEW.title <> '' OR NEW.author IS NOT NULL) EXECUTE FUNCTION cortex_keep_suggestions();
CREATE TRIGGER documents_suggested_anew AFTER UPDATE OF title, author ON documents
    FOR EACH ROW WHEN (OLD.title IS DISTINCT FROM NEW.title OR OLD.author IS DISTINCT FROM NEW.author)
    EXECUTE FUNCTION cortex_keep_suggestions();

INSERT INTO suggestions (tenant_id, kind, start, document_id)
SELECT d.tenant_id, 'title', start, d.id FROM documents d, cortex_suggestion_starts(d.title) AS start
UNION ALL
SELECT d.tenant_id, 'author', start, d.id FROM documents d, cortex_suggestion_starts(coalesce(d.author, '')) AS start;
