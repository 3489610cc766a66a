"""Brings a database to the newest schema. Importing this imports Alembic (0.8 s): only when one is due."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def newest_revision() -> str | None:
    """The revision that the migration scripts lead to."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Runs every migration that is due, inside the transaction of `connection`."""
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
