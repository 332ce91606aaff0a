"""Postgres through SQLAlchemy's asyncio engine and psycopg 3. SQL is written as SQL; the schema is in `migrations/`."""
