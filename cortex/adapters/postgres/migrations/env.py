"""Alembic's entry point: runs on the connection that `migrate.upgrade` hands over, in one transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
