"""Schema migrations (Alembic). `upgrade` is run by `engine.store.store` when one is due."""
