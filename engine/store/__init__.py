"""The database and its migrations."""
