"""Opens the database, brings it to the newest schema, and hands out transactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from engine.store import backup, postgresql, sqlite
from engine.store import change_tables as _change_tables  # noqa: F401  # its tables are part of the schema
from engine.store import claim_tables as _claim_tables  # noqa: F401
from engine.store import interview_tables as _interview_tables  # noqa: F401
from engine.store import notebook_tables as _notebook_tables  # noqa: F401
from engine.store import schedule_tables as _schedule_tables  # noqa: F401
from engine.store.faults import StoreDamaged, StoreError
from engine.store.guards import guard_log
from engine.store.tables import metadata

REVISION = "0006"
"""The schema that `tables.py` describes (a test compares it with the newest migration)."""

FILE_NAME = "benchcards.db"

WRITE = "benchcards_write"
"""Execution option of a connection whose transaction takes the write lock when it begins."""


class Store:
    """The database. Safe to share between threads: each transaction has a connection of its own."""

    def __init__(self, engine: Engine, path: Path | None) -> None:
        self.engine = engine
        self.path = path
        """The database file, or None where the database is a server's."""
        self.backups = None if path is None else backup.DailyBackup(path)
        """Dated copies of the file; a server's database is backed up by those who run it."""

    @property
    def name(self) -> str:
        """The database as messages call it; a password in its URL stays out."""
        return str(self.path or self.engine.url.render_as_string(hide_password=True))

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A writing transaction: one at a time, committed (and on disk) at the end, rolled back on error.

        Raises StoreDamaged, or StoreError where the disk is full, read-only, or the file stays locked.
        """
        with self._words(), self.engine.connect() as connection:
            connection.execution_options(**{WRITE: True})
            with connection.begin():
                yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A reading transaction: everything read in it is of one moment; it waits for no writer."""
        with self._words(), self.engine.connect() as connection, connection.begin():
            yield connection

    def close(self) -> None:
        """Waits for a backup under way and closes every connection."""
        if self.backups is not None:
            self.backups.wait()
        self.engine.dispose()

    @contextmanager
    def _words(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            if self.path is not None and sqlite.is_damage(error.orig):
                raise StoreDamaged(self.path, backup.sound_backups(self.path), str(error.orig)) from error
            words = sqlite.words_for(error.orig)
            if self.path is None and isinstance(error, OperationalError):
                words = f"{error.orig}".strip() + " Check that its server runs and the URL is right"
            if words is None:
                raise
            raise StoreError(f"The database {self.name} cannot be used: {words}.") from error


def open_store(place: str | Path) -> Store:
    """Opens the database at a path or URL (`postgresql+psycopg://…`), makes or migrates it where needed.

    Raises StoreDamaged (with the backups there are) or StoreError; never leaves a half-made schema.
    """
    if isinstance(place, str) and "://" in place:
        engine, path = _engine_at(place)
    else:
        path = Path(place).expanduser().absolute()
        engine = _engine_of_file(path)
    store = Store(engine, path)
    try:
        _bring_up_to_date(store)
    except BaseException:
        store.close()
        raise
    return store


def _engine_at(address: str) -> tuple[Engine, Path | None]:
    try:
        url = make_url(address)
        if url.get_backend_name() == "sqlite":
            if not url.database or url.database == ":memory:":
                raise StoreError("The database needs a file: one in memory would be lost with the app.")
            path = Path(url.database).absolute()
            return _engine_of_file(path), path
        engine = create_engine(url)
    except ArgumentError as error:
        raise StoreError(f"The database URL cannot be read: {error}.") from error
    except ModuleNotFoundError as error:
        raise StoreError(f"The driver of this database URL is missing: install {error.name}.") from error
    if engine.dialect.name == "postgresql":
        postgresql.prepare(engine, WRITE)
    return engine, None


def _engine_of_file(path: Path) -> Engine:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"The folder {path.parent} for the database cannot be made: {error}.") from error
    engine = create_engine(make_url("sqlite://").set(database=str(path)), **sqlite.engine_options())
    sqlite.prepare(engine, WRITE)
    return engine


def _bring_up_to_date(store: Store) -> None:
    with store.read() as connection:
        found = _revision(connection)
    if found == REVISION:
        return
    if found is not None and store.path is not None and found < REVISION:
        backup.backup(store.path, f"before-{REVISION}")
    with store.begin() as connection:
        found = _revision(connection)  # another process may have been quicker
        if found == REVISION:
            return
        if found is None:
            _make(connection)
        elif found > REVISION:
            raise StoreError(
                f"The database {store.name} was written by a newer "
                f"Benchcards (schema {found}, this one knows {REVISION}). Update Benchcards to open it."
            )
        else:
            from engine.store.migrations.upgrade import upgrade  # imports Alembic

            upgrade(connection)


def _revision(connection: Connection) -> str | None:
    """The schema's revision, "" where the migrations have yet to begin, None for an empty database."""
    if connection.dialect.name == "sqlite":
        named = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'"
        there = connection.exec_driver_sql(named).first() is not None
    else:
        there = inspect(connection).has_table("alembic_version")
    if not there:
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none() or ""


def _make(connection: Connection) -> None:
    """The newest schema in an empty database, in one go: what all the migrations together would make."""
    metadata.create_all(connection, checkfirst=False)
    guard_log(connection)
    connection.exec_driver_sql(
        "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
        "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
    )
    connection.execute(text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": REVISION})
