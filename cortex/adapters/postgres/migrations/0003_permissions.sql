-- Groups by generations, sharing with everyone, ages of permissions, limits, reconciliation.

-- A group's members are those of its generation. Members of a large one arrive in an open generation, which then becomes
-- the group's. Numbers are never used again, also when a group goes and comes back.
CREATE SEQUENCE group_generations;
GRANT USAGE ON SEQUENCE group_generations TO cortex_service;

ALTER TABLE groups
    ADD COLUMN generation bigint NOT NULL DEFAULT 0,
    ADD COLUMN label bigint, -- the source's own number of that generation, where it sent pages
    ADD COLUMN open_generation bigint,
    ADD COLUMN open_label bigint,
    ADD COLUMN open_members bigint NOT NULL DEFAULT 0,
    ADD COLUMN everyone boolean NOT NULL DEFAULT false; -- holds nearly everybody

ALTER TABLE group_members ADD COLUMN generation bigint NOT NULL DEFAULT 0;
ALTER TABLE group_members DROP CONSTRAINT group_members_pkey;
ALTER TABLE group_members ADD PRIMARY KEY (tenant_id, group_id, generation, member_kind, member_id);
DROP INDEX group_members_by_member;
CREATE INDEX group_members_by_member ON group_members (tenant_id, member_kind, member_id, group_id, generation);

-- Generations that are no group's any more, taken away in bounded batches.
CREATE TABLE group_leftovers (
    tenant_id uuid NOT NULL,
    group_id uuid NOT NULL,
    generation bigint NOT NULL,
    PRIMARY KEY (tenant_id, group_id, generation)
);

-- A tenant without a row has the defaults.
CREATE TABLE tenant_settings (
    tenant_id uuid PRIMARY KEY REFERENCES tenants,
    sharing text NOT NULL DEFAULT 'show' CHECK (sharing IN ('show', 'hide', 'ask')),
    acl_age_s_max bigint NOT NULL DEFAULT 259200 CHECK (acl_age_s_max > 0),
    reconcile_every_s integer NOT NULL DEFAULT 86400 CHECK (reconcile_every_s >= 60),
    requests_per_minute integer NOT NULL DEFAULT 12000 CHECK (requests_per_minute > 0),
    requests_at_once integer NOT NULL DEFAULT 2000 CHECK (requests_at_once > 0),
    questions_per_day integer CHECK (questions_per_day >= 0) -- NULL: as many as one likes
);

-- Which sharing an administrator has agreed to: 'tenant', 'link', or 'none' where a group holds nearly everybody. It
-- lapses when the source shares the thing in another way.
ALTER TABLE documents ADD COLUMN sharing_approved text;
ALTER TABLE containers ADD COLUMN sharing_approved text;

-- Several changes of one container are one repair of what lies below it.
DELETE FROM acl_repairs a USING acl_repairs b
WHERE a.tenant_id = b.tenant_id AND a.container_id = b.container_id AND a.id > b.id;
UPDATE acl_repairs SET after_document_id = NULL;
CREATE UNIQUE INDEX acl_repairs_by_container ON acl_repairs (tenant_id, container_id);

-- Permissions of a source that is read by a connector are as old as its last pass without an error, and those of an item
-- that has failed since then as old as its first failure.
ALTER TABLE sources ADD COLUMN acl_as_of timestamptz NOT NULL DEFAULT now();
ALTER TABLE source_failures ADD COLUMN since timestamptz NOT NULL DEFAULT now();

CREATE TABLE reconcile_runs (
    tenant_id uuid NOT NULL REFERENCES tenants,
    id text NOT NULL,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed')),
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    checked bigint NOT NULL DEFAULT 0,
    drift jsonb NOT NULL DEFAULT '{}', -- how many of each kind were found and mended
    error text,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX reconcile_runs_by_start ON reconcile_runs (tenant_id, started_at DESC);

-- What the engine holds is made from the mirror at its start: the forms that the schema has now.
INSERT INTO relation_tuples (tenant_id, owner_id, resource_type, resource_id, relation, subject_type, subject_id)
SELECT tenant_id, id, 'group', tenant_id || '/' || id, 'current', 'generation', tenant_id || '/' || id || '/0'
FROM groups;
UPDATE relation_tuples SET resource_type = 'generation', resource_id = resource_id || '/0'
WHERE resource_type = 'group' AND relation = 'member';
INSERT INTO relation_tuples (tenant_id, owner_id, resource_type, resource_id, relation, subject_type, subject_id)
SELECT id, id, 'tenant', id || '/' || id, 'sharing', 'tenant', id || '/' || id FROM tenants;
UPDATE relation_tuples SET subject_relation = 'everyone' WHERE subject_type = 'tenant' AND relation IN ('allow', 'link');
UPDATE relation_tuples SET subject_relation = 'granted' WHERE subject_type = 'group' AND relation = 'allow';
