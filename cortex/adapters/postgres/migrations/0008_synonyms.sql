-- Groups of words and phrases that a tenant calls the same.
ALTER TABLE tenant_settings ADD COLUMN synonyms jsonb NOT NULL DEFAULT '[]';
