-- Privacy: what a source's rules make of what is found in its documents.

-- `privacy_key` is that of the rules that a document's revision stands for; `privacy_behind`: some stand for others.
ALTER TABLE sources
    ADD COLUMN privacy jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN privacy_behind boolean NOT NULL DEFAULT false;

ALTER TABLE documents
    ADD COLUMN privacy_key text NOT NULL DEFAULT '',
    ADD COLUMN privacy_counts jsonb NOT NULL DEFAULT '{}', -- how much of each kind was found, never what
    ADD COLUMN altered boolean NOT NULL DEFAULT false, -- the stored text lacks something of the original
    ADD COLUMN quarantined boolean NOT NULL DEFAULT false, -- hidden until an administrator releases these bytes
    ADD COLUMN released_sha256 text;
CREATE INDEX documents_in_quarantine ON documents (tenant_id, source_id, id) WHERE quarantined;

-- Erasure.

-- Every content that a document ever had, so that erasure finds bytes that it has no more.
CREATE TABLE document_bytes (
    tenant_id uuid NOT NULL,
    document_id uuid NOT NULL,
    content_sha256 text NOT NULL,
    PRIMARY KEY (tenant_id, document_id, content_sha256)
);
INSERT INTO document_bytes (tenant_id, document_id, content_sha256)
SELECT tenant_id, id, content_sha256 FROM documents WHERE content_sha256 <> '';

-- What was erased does not come back with the next pass: the same bytes under the same id are refused.
CREATE TABLE erased_documents (
    tenant_id uuid NOT NULL,
    document_id uuid NOT NULL,
    content_sha256 text NOT NULL,
    erased_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, document_id, content_sha256)
);
CREATE INDEX erased_documents_by_bytes ON erased_documents (tenant_id, content_sha256);

-- `stores` is how much was found in each store, by name; `certificate` the signed statement, once all is gone.
CREATE TABLE erasures (
    tenant_id uuid NOT NULL REFERENCES tenants,
    id uuid NOT NULL,
    subject_kind text NOT NULL CHECK (subject_kind IN ('document', 'person')),
    subject_id uuid NOT NULL,
    requested_by text NOT NULL,
    requested_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed')),
    stores jsonb NOT NULL DEFAULT '{}',
    certificate jsonb,
    error text,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX one_erasure_of_a_subject ON erasures (tenant_id, subject_kind, subject_id) WHERE state = 'running';

-- An erasure waits for the answers that are just being given.
CREATE INDEX answers_running ON answers (tenant_id, created_at) WHERE state = 'running';
