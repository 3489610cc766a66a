"""The database and its migrations."""

from engine.store.faults import StoreDamaged, StoreError
from engine.store.store import FILE_NAME, Store, open_store

__all__ = ["FILE_NAME", "Store", "StoreDamaged", "StoreError", "open_store"]
