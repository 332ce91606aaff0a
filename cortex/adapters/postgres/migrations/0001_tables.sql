-- Ids are immutable UUIDs; every table but `tenants` starts with tenant_id, which row-level security compares.

CREATE TABLE tenants (
    id uuid PRIMARY KEY,
    name text NOT NULL UNIQUE,
    title text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- People and groups -------------------------------------------------------------------------------------------------

CREATE TABLE persons (
    tenant_id uuid NOT NULL REFERENCES tenants,
    id uuid NOT NULL,
    name text NOT NULL,
    role text NOT NULL DEFAULT 'member' CHECK (role IN ('member', 'owner', 'admin', 'auditor')),
    guest boolean NOT NULL DEFAULT false,
    known boolean NOT NULL DEFAULT false, -- false: named by an ACL only, until somebody makes the person
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE person_emails (
    tenant_id uuid NOT NULL,
    email text NOT NULL,
    person_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, email),
    FOREIGN KEY (tenant_id, person_id) REFERENCES persons
);

CREATE TABLE groups (
    tenant_id uuid NOT NULL REFERENCES tenants,
    id uuid NOT NULL,
    source_id uuid, -- NULL: a group of the directory
    external_id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    version bigint,
    members_sha256 text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE group_members (
    tenant_id uuid NOT NULL,
    group_id uuid NOT NULL,
    member_kind text NOT NULL CHECK (member_kind IN ('person', 'group')),
    member_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, group_id, member_kind, member_id)
);
CREATE INDEX group_members_by_member ON group_members (tenant_id, member_kind, member_id);

-- Sources -----------------------------------------------------------------------------------------------------------

CREATE TABLE sources (
    tenant_id uuid NOT NULL REFERENCES tenants,
    id uuid NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    config jsonb NOT NULL DEFAULT '{}',
    state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'removing')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, name)
);

-- AES-256-GCM under a data key, which is itself wrapped by the platform's key `key_id`.
CREATE TABLE source_secrets (
    tenant_id uuid NOT NULL,
    source_id uuid NOT NULL,
    name text NOT NULL,
    key_id text NOT NULL,
    wrapped_key bytea NOT NULL,
    nonce bytea NOT NULL,
    ciphertext bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, source_id, name),
    FOREIGN KEY (tenant_id, source_id) REFERENCES sources ON DELETE CASCADE
);

CREATE TABLE source_runs (
    tenant_id uuid NOT NULL,
    id text NOT NULL,
    source_id uuid NOT NULL,
    kind text NOT NULL,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed')),
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    cursor text,
    seen bigint NOT NULL DEFAULT 0,
    changed bigint NOT NULL DEFAULT 0,
    deleted bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0,
    error text,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, source_id) REFERENCES sources ON DELETE CASCADE
);
CREATE INDEX source_runs_by_source ON source_runs (tenant_id, source_id, started_at DESC);

-- One row an item that could not be read, parsed or indexed; it goes when the item succeeds.
CREATE TABLE source_failures (
    tenant_id uuid NOT NULL,
    source_id uuid NOT NULL,
    external_id text COLLATE "C" NOT NULL,
    stage text NOT NULL,
    place text NOT NULL,
    message text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, source_id, external_id, stage),
    FOREIGN KEY (tenant_id, source_id) REFERENCES sources ON DELETE CASCADE
);

-- Containers and documents ------------------------------------------------------------------------------------------

CREATE TABLE containers (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    source_id uuid NOT NULL,
    external_id text COLLATE "C" NOT NULL,
    parent_id uuid,
    acl jsonb, -- as sent, by name; NULL: nothing of its own
    acl_resolved jsonb NOT NULL, -- the same over ids
    acl_sha256 text NOT NULL,
    acl_revision bigint NOT NULL DEFAULT 1,
    version bigint,
    tombstoned_at timestamptz,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX containers_by_parent ON containers (tenant_id, parent_id);

CREATE TABLE documents (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    source_id uuid NOT NULL,
    external_id text COLLATE "C" NOT NULL,
    container_id uuid,
    name text NOT NULL,
    given_title text, -- the source's own title; NULL: the parser decides
    title text NOT NULL,
    url text NOT NULL,
    author text,
    mime text NOT NULL,
    created_at timestamptz,
    updated_at timestamptz,
    ingested_at timestamptz NOT NULL,
    raw_key text NOT NULL,
    content_sha256 text NOT NULL, -- of the bytes
    revision_sha256 text NOT NULL, -- of what `revision` stands for
    metadata_sha256 text NOT NULL,
    acl_sha256 text NOT NULL,
    acl jsonb,
    acl_resolved jsonb NOT NULL,
    fingerprint text,
    version bigint,
    pipeline_version text NOT NULL,
    revision bigint NOT NULL,
    metadata_revision bigint NOT NULL,
    acl_revision bigint NOT NULL,
    indexed_revision bigint NOT NULL DEFAULT 0,
    stage text NOT NULL DEFAULT 'queued' CHECK (stage IN ('queued', 'parsed', 'chunked', 'indexed', 'failed')),
    tombstoned_at timestamptz,
    tombstone_reason text,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, source_id, external_id)
);
CREATE INDEX documents_by_container ON documents (tenant_id, container_id);
CREATE INDEX documents_by_raw ON documents (tenant_id, content_sha256);

-- Who refers to whom through `viewers:`; drives repairs of the index when a container changes.
CREATE TABLE acl_references (
    tenant_id uuid NOT NULL,
    referrer_kind text NOT NULL CHECK (referrer_kind IN ('document', 'container')),
    referrer_id uuid NOT NULL,
    container_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, container_id, referrer_kind, referrer_id)
);
CREATE INDEX acl_references_by_referrer ON acl_references (tenant_id, referrer_id);

-- Containers whose change has yet to reach the points below, in bounded batches after `after_document_id`.
CREATE TABLE acl_repairs (
    tenant_id uuid NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    container_id uuid NOT NULL,
    after_document_id uuid,
    PRIMARY KEY (tenant_id, id)
);

-- Permission tuples: the mirror, and what has yet to be applied ----------------------------------------------------

CREATE TABLE relation_tuples (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL, -- the document, container, group or tenant whose write made the tuple
    resource_type text NOT NULL,
    resource_id text NOT NULL,
    relation text NOT NULL,
    subject_type text NOT NULL,
    subject_id text NOT NULL,
    subject_relation text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, owner_id, resource_type, resource_id, relation, subject_type, subject_id, subject_relation)
);

CREATE TABLE permission_outbox (
    tenant_id uuid NOT NULL,
    sequence bigint NOT NULL,
    operation text NOT NULL CHECK (operation IN ('touch', 'delete')),
    resource_type text NOT NULL,
    resource_id text NOT NULL,
    relation text NOT NULL,
    subject_type text NOT NULL,
    subject_id text NOT NULL,
    subject_relation text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, sequence)
);

-- Sequences are given out under this row's lock, so that they commit in order.
CREATE TABLE permission_sequences (
    tenant_id uuid PRIMARY KEY REFERENCES tenants,
    last bigint NOT NULL DEFAULT 0
);

-- How far the outbox has been applied, and the engine's token for that state.
CREATE TABLE permission_marks (
    tenant_id uuid PRIMARY KEY REFERENCES tenants,
    applied bigint NOT NULL DEFAULT 0,
    token text
);

-- Content ----------------------------------------------------------------------------------------------------------

-- All blocks of a revision, in order; a block's id is its position. Anchors count code points of a block's text.
CREATE TABLE blocks (
    tenant_id uuid NOT NULL,
    document_id uuid NOT NULL,
    revision bigint NOT NULL,
    blocks jsonb NOT NULL,
    PRIMARY KEY (tenant_id, document_id, revision)
);

CREATE TABLE chunks (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    document_id uuid NOT NULL,
    revision bigint NOT NULL,
    ordinal integer NOT NULL,
    text text NOT NULL,
    heading_path text[] NOT NULL,
    anchors jsonb NOT NULL,
    language text NOT NULL,
    tokens integer NOT NULL,
    embedded_sha256 text NOT NULL,
    model text, -- name@revision of the embedder, once embedded
    pipeline_version text NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX chunks_by_document ON chunks (tenant_id, document_id, revision);
CREATE INDEX chunks_by_embedded ON chunks (tenant_id, embedded_sha256);

CREATE TABLE chunk_vectors (
    tenant_id uuid NOT NULL,
    model text NOT NULL,
    embedded_sha256 text NOT NULL,
    dense bytea NOT NULL, -- float16, little-endian
    token_bits bytea NOT NULL, -- the signs of the token vectors, one bit a dimension
    token_ids bytea NOT NULL, -- uint16, little-endian
    tokens integer NOT NULL,
    orphaned_at timestamptz, -- since when no chunk refers to it; a renamed document takes it up again within the grace
    PRIMARY KEY (tenant_id, model, embedded_sha256)
);
ALTER TABLE chunk_vectors ALTER COLUMN token_bits SET STORAGE EXTERNAL;

CREATE TABLE event_outbox (
    tenant_id uuid NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    event_id text NOT NULL,
    subject text NOT NULL,
    payload bytea NOT NULL,
    traceparent text NOT NULL DEFAULT '',
    PRIMARY KEY (id)
);

-- Answers ----------------------------------------------------------------------------------------------------------

CREATE TABLE answers (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    conversation_id text NOT NULL,
    person_id uuid NOT NULL,
    question text NOT NULL,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'stopped', 'failed')),
    created_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    record jsonb,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX answers_by_conversation ON answers (tenant_id, person_id, conversation_id, created_at);

CREATE TABLE answer_events (
    tenant_id uuid NOT NULL,
    answer_id uuid NOT NULL,
    sequence integer NOT NULL,
    type text NOT NULL,
    data jsonb NOT NULL,
    PRIMARY KEY (tenant_id, answer_id, sequence),
    FOREIGN KEY (tenant_id, answer_id) REFERENCES answers ON DELETE CASCADE
);

-- Every answer that quotes a document, so that erasure finds it.
CREATE TABLE answer_citations (
    tenant_id uuid NOT NULL,
    answer_id uuid NOT NULL,
    document_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, document_id, answer_id),
    FOREIGN KEY (tenant_id, answer_id) REFERENCES answers ON DELETE CASCADE
);

-- Audit ------------------------------------------------------------------------------------------------------------

CREATE TABLE audit (
    tenant_id uuid NOT NULL,
    sequence bigint NOT NULL,
    at timestamptz NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    object text NOT NULL,
    details jsonb NOT NULL,
    previous_hash bytea NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (tenant_id, sequence)
);
