-- Who people are to an identity provider, how they are signed in, and keys of programs. Secrets are kept as hashes alone.

ALTER TABLE persons
    ADD COLUMN service boolean NOT NULL DEFAULT false, -- a program with an API key; no identity provider may become it
    ADD COLUMN user_name text, -- as provisioned; NULL: the address
    ADD COLUMN external_id text COLLATE "C", -- the provisioning client's own
    ADD COLUMN attributes jsonb NOT NULL DEFAULT '{}', -- whatever else a provisioning client keeps here
    ADD COLUMN version bigint NOT NULL DEFAULT 1,
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN deleted_at timestamptz; -- the id stays, since ACLs of sources may name it; nobody becomes it again
CREATE UNIQUE INDEX persons_by_user_name ON persons (tenant_id, lower(user_name)) WHERE deleted_at IS NULL;
CREATE INDEX persons_by_external_id ON persons (tenant_id, external_id);
CREATE INDEX person_emails_by_person ON person_emails (tenant_id, person_id);

ALTER TABLE groups
    ADD COLUMN provisioned_id text COLLATE "C", -- the provisioning client's own
    ADD COLUMN revision bigint NOT NULL DEFAULT 1,
    ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();

CREATE TABLE person_identities (
    tenant_id uuid NOT NULL,
    issuer text NOT NULL,
    subject text COLLATE "C" NOT NULL,
    person_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, issuer, subject),
    FOREIGN KEY (tenant_id, person_id) REFERENCES persons
);
CREATE INDEX person_identities_by_person ON person_identities (tenant_id, person_id);

-- A sign-in on its way to the identity provider and back. Taken once.
CREATE TABLE sign_ins (
    tenant_id uuid NOT NULL REFERENCES tenants,
    state_sha256 bytea NOT NULL,
    nonce text NOT NULL,
    verifier text NOT NULL,
    return_to text NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, state_sha256)
);
CREATE INDEX sign_ins_by_expiry ON sign_ins (tenant_id, expires_at);

CREATE TABLE sessions (
    tenant_id uuid NOT NULL,
    secret_sha256 bytea NOT NULL,
    person_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    seen_at timestamptz NOT NULL, -- to the minute
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, secret_sha256),
    FOREIGN KEY (tenant_id, person_id) REFERENCES persons
);
CREATE INDEX sessions_by_person ON sessions (tenant_id, person_id);
CREATE INDEX sessions_by_secret ON sessions (secret_sha256);

CREATE TABLE api_keys (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    person_id uuid NOT NULL, -- who the key's requests come from
    name text NOT NULL,
    secret_sha256 bytea NOT NULL,
    scopes text[] NOT NULL,
    role text NOT NULL CHECK (role IN ('member', 'owner', 'admin', 'auditor')),
    created_by text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    used_at timestamptz, -- to the minute
    revoked_at timestamptz,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, person_id) REFERENCES persons
);
CREATE UNIQUE INDEX api_keys_by_id ON api_keys (id);
CREATE INDEX api_keys_by_person ON api_keys (tenant_id, person_id);
