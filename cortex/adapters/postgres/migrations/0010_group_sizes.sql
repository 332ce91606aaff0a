-- How many members a group has, kept by what changes them: counting a million for a page of a list takes a second.
ALTER TABLE groups ADD COLUMN members bigint NOT NULL DEFAULT 0;
UPDATE groups g SET members = counted.n, open_members = counted.open FROM (
    SELECT h.tenant_id, h.id, count(*) FILTER (WHERE m.generation = h.generation) AS n,
        count(*) FILTER (WHERE m.generation = h.open_generation) AS open
    FROM groups h JOIN group_members m ON m.tenant_id = h.tenant_id AND m.group_id = h.id
    GROUP BY h.tenant_id, h.id
) AS counted WHERE g.tenant_id = counted.tenant_id AND g.id = counted.id;

-- Once a statement, whatever it changed. An old generation is nobody's, and not counted.
CREATE FUNCTION cortex_count_members() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    sign CONSTANT integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
    UPDATE groups g SET
        members = g.members + CASE WHEN c.generation = g.generation THEN sign * c.n ELSE 0 END,
        open_members = g.open_members + CASE WHEN c.generation = g.open_generation THEN sign * c.n ELSE 0 END
    FROM (SELECT tenant_id, group_id, generation, count(*) AS n FROM changed GROUP BY 1, 2, 3) AS c
    WHERE g.tenant_id = c.tenant_id AND g.id = c.group_id AND c.generation IN (g.generation, g.open_generation);
    RETURN NULL;
END $$;
CREATE TRIGGER group_members_more AFTER INSERT ON group_members
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION cortex_count_members();
CREATE TRIGGER group_members_fewer AFTER DELETE ON group_members
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION cortex_count_members();

-- A page of people, and of those with one role: not through everybody whom some group has named and nobody knows.
CREATE INDEX persons_known ON persons (tenant_id, id) WHERE known AND deleted_at IS NULL;
CREATE INDEX persons_known_by_role ON persons (tenant_id, role, id) WHERE known AND deleted_at IS NULL;
