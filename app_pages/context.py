"""What all pages share: the library, the store, the desk and the runs of this process; who is looking.

One set of objects a process and data folder, made on first use and guarded by a lock, because every
browser tab runs its script in a thread of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from app_pages.review_card.faces import Faces
from engine.claims import as_if
from engine.folders import DataFolderUnusable, data_folder, project_folder
from engine.lab_names import lab_names
from engine.store import FILE_NAME, Store, open_store
from engine.study import settings as study_settings
from engine.study.card import Language, Library
from engine.study.desk import Desk
from engine.study.library import load_library, own_decks_folder
from engine.study.settings import StudySettings

if TYPE_CHECKING:
    from engine.claims.evidence import Results
    from engine.claims.hardware_quantities import Hardware
    from engine.interview.interviews import Interviews
    from engine.measure.analyse.jobs import Analyses
    from engine.measure.catalogue import LabInfo
    from engine.measure.runs import Runs
    from engine.measure.speech import SpeechToText

LANGUAGES: tuple[Language, ...] = get_args(Language)

Signature = tuple[tuple[str, int, int], ...]


@dataclass(slots=True)
class House:
    """The objects of one data folder. `library` and `settings` are replaced when they change."""

    data: Path
    store: Store
    desk: Desk
    faces: Faces
    settings: StudySettings
    as_if: str | None = None
    """The GPU that predictions are for, by its key; None: this machine."""
    library: Library = field(default_factory=Library)
    decks_seen: Signature = ()
    runs: Runs | None = None
    interviews: Interviews | None = None
    speech: SpeechToText | None = None
    analyses: Analyses | None = None


_lock = threading.RLock()
_houses: dict[Path, House] = {}


def house() -> House:
    """The shared objects, opened where they are not open yet.

    Raises `StoreDamaged`, `StoreError`, `DataFolderUnusable`.
    """
    data = data_folder()
    with _lock:
        known = _houses.get(data)
        if known is None:
            store = open_store(data / FILE_NAME)
            known = House(
                data=data,
                store=store,
                desk=Desk(store),
                faces=Faces(data),
                settings=study_settings.load(store),
                as_if=as_if.load(store),
            )
            _houses[data] = known
        return known


def close(data: Path) -> None:
    """Forget the objects of a data folder, e.g. after its database was restored from a backup."""
    with _lock:
        closed = _houses.pop(data, None)
        if closed is not None:
            if closed.runs is not None:
                closed.runs.close()
            if closed.speech is not None:
                closed.speech.close()
            if closed.analyses is not None:
                closed.analyses.close()
            closed.store.close()


def store() -> Store:
    return house().store


def desk() -> Desk:
    """The desk, which knows the cards that the decks hold now."""
    library()
    return house().desk


def faces() -> Faces:
    """The cards of this data folder as HTML."""
    return house().faces


def runs() -> Runs:
    from engine.measure.runs import Runs  # the landing page does without

    here = house()
    with _lock:
        if here.runs is None:
            here.runs = Runs(here.store, here.data)
        return here.runs


def interviews() -> Interviews:
    from engine.interview.interviews import Interviews  # the landing page does without

    here = house()
    with _lock:
        if here.interviews is None:
            here.interviews = Interviews(here.store, here.data)
        return here.interviews


def speech() -> SpeechToText:
    from engine.measure.speech import SpeechToText  # only where a recording is turned into text

    here = house()
    with _lock:
        if here.speech is None:
            here.speech = SpeechToText()
        return here.speech


def analyses() -> Analyses:
    """The learner's own files that were analysed, are being, or wait."""
    from engine.measure.analyse.jobs import Analyses  # only where own files are shown

    here = house()
    with _lock:
        if here.analyses is None:
            here.analyses = Analyses(here.data / "files")
        return here.analyses


def labs() -> dict[str, LabInfo]:
    """The labs of this machine by name, asked of a process of their own once and then remembered."""
    from engine.measure.catalogue import catalogue  # the landing page does without

    return {lab.name: lab for lab in catalogue()}


def deck_folders() -> tuple[Path, Path]:
    """Where decks lie: the project's and the learner's own."""
    return project_folder() / "cards", own_decks_folder(house().data)


def library() -> Library:
    """The decks as their files say now; a changed, new or removed file is noticed at the next call."""
    here = house()
    folders = deck_folders()
    seen = _signature(folders)
    with _lock:
        if seen != here.decks_seen:
            here.library = load_library(
                folders, lab_names=_lab_names(), cache=here.data / "cache", own=folders[1]
            )
            here.desk.sync(here.library)
            here.decks_seen = seen
        return here.library


def claim_hardware() -> Hardware:
    """The GPU that predictions are for: the one picked ("as if on"), else this machine's."""
    from engine.claims.sources import chosen_hardware  # pint takes a quarter of a second to import

    return chosen_hardware(as_if_gpu(), house().data)


def as_if_gpu() -> str | None:
    """The key of the GPU that predictions are for "as if on"; None: this machine."""
    return house().as_if


def save_as_if(key: str | None) -> None:
    """Keeps the choice. Raises ClaimsError for a GPU that the spec table doesn't have."""
    here = house()
    with _lock:
        as_if.save(here.store, key)
        here.as_if = key


def claim_results() -> Results:
    """Every measurement there is: of this machine, from elsewhere, recorded."""
    from engine.claims.sources import all_results  # pint, as above

    return all_results(store(), runs().results)


def settings() -> StudySettings:
    return house().settings


def save_settings(changed: StudySettings | Mapping[str, object]) -> StudySettings:
    """Keep the learner's settings; a mapping changes the fields it names. Raises `SettingsRefused`."""
    here = house()
    with _lock:
        here.settings = study_settings.save(here.store, changed)
        return here.settings


def reload_settings() -> None:
    """Take the settings as the store holds them now, as after an import."""
    here = house()
    with _lock:
        here.settings = study_settings.load(here.store)


def language() -> Language:
    """The interface language: the learner's choice, else the browser's, else English."""
    try:
        known = _houses.get(data_folder())
    except DataFolderUnusable:  # the page says so, in the browser's language
        known = None
    if known is not None:
        for name in LANGUAGES:
            if known.settings.interface_language == name:
                return name
    return language_of(st.context.locale)


def language_of(locale: str | None) -> Language:
    """The interface language for a browser's locale such as `vi-VN`."""
    spoken = (locale or "").replace("_", "-").split("-")[0].lower()
    for name in LANGUAGES:
        if spoken == name:
            return name
    return "en"


def now() -> datetime:
    return datetime.now(UTC)


def zone() -> str:
    """The browser's time zone (an IANA name); UTC where it is unknown here."""
    return _known_zone(st.context.timezone or "UTC")


@lru_cache(maxsize=64)
def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return "UTC"
    return name


@lru_cache(maxsize=1)
def _lab_names() -> frozenset[str]:
    """The names of the labs, from their files: asking them costs a process."""
    return lab_names()


def _signature(folders: tuple[Path, ...]) -> Signature:
    files = [file for folder in folders for suffix in ("*.yaml", "*.yml") for file in folder.glob(suffix)]
    found = []
    for file in sorted(files):
        status = file.stat()
        found.append((str(file), status.st_mtime_ns, status.st_size))
    return tuple(found)
