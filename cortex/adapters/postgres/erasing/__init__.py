"""What Postgres holds of a document or a person, store by store (ports/erasure.py), and the ledger of erasures."""
