-- Engines of the llm_gateway: which there are, what they may read, what they wrote before.

-- The key is sealed as secrets of sources are; without one all four columns are NULL.
CREATE TABLE engines (
    tenant_id uuid NOT NULL REFERENCES tenants,
    name text NOT NULL,
    spec jsonb NOT NULL,
    key_id text,
    wrapped_key bytea,
    nonce bytea,
    ciphertext bytea,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, name),
    CHECK (num_nulls(key_id, wrapped_key, nonce, ciphertext) IN (0, 4))
);

ALTER TABLE tenant_settings
    ADD COLUMN engine_route text[], -- NULL: the platform's own
    ADD COLUMN tokens_per_day bigint CHECK (tokens_per_day >= 0); -- NULL: no bound

-- Days are in UTC.
CREATE TABLE spent_tokens (
    tenant_id uuid NOT NULL REFERENCES tenants,
    day date NOT NULL,
    engine text NOT NULL,
    answers bigint NOT NULL DEFAULT 0,
    prompt_tokens bigint NOT NULL DEFAULT 0,
    completion_tokens bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, day, engine)
);

-- `key` is a hash of the engine, the prompt and every passage with its revision.
CREATE TABLE cached_answers (
    tenant_id uuid NOT NULL REFERENCES tenants,
    key bytea NOT NULL,
    person_id uuid NOT NULL,
    answer jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, key)
);
CREATE INDEX cached_answers_by_age ON cached_answers (tenant_id, created_at);
CREATE INDEX cached_answers_by_person ON cached_answers (tenant_id, person_id);

-- Every document that the model was given, cited or not.
CREATE TABLE cached_answer_documents (
    tenant_id uuid NOT NULL,
    key bytea NOT NULL,
    document_id uuid NOT NULL,
    PRIMARY KEY (tenant_id, key, document_id),
    FOREIGN KEY (tenant_id, key) REFERENCES cached_answers ON DELETE CASCADE
);
CREATE INDEX cached_answer_documents_by_document ON cached_answer_documents (tenant_id, document_id);
