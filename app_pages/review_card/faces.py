"""A card made ready for the browser: its Markdown as HTML, rendered once and kept on disk.

The kept faces lie in `<data>/cache/faces/<version>/`, one file a card, named by the card's text; `version`
changes with the code that renders, and folders of other versions are removed. So a start from warm needs
neither the Markdown parser nor Pygments nor the LaTeX converter.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
from functools import cache, partial
from pathlib import Path
from typing import Any

from engine.study import pictures
from engine.study.card import Card

HERE = Path(__file__).parent
MADE_BY = (Path(__file__), HERE.parent / "markup.py", Path(pictures.__file__))
KEPT_IN_MEMORY = 512

Face = dict[str, Any]


@cache
def version() -> str:
    """Names the code that renders."""
    return hashlib.blake2b(b"".join(file.read_bytes() for file in MADE_BY), digest_size=8).hexdigest()


def key_of(card: Card, deck_title: str) -> str:
    """Names what is shown of a card: equal exactly when every word of it is."""
    shown = (
        *(card.id, deck_title, card.kind, card.title, card.language, card.prompt, card.answer),
        *(card.source, card.priority, card.lessons, card.key_figures, card.follow_ups, card.pitfall),
        bool(card.labs or card.claims),
        *((claim.id, claim.label, claim.says.unit, claim.says.on) for claim in card.claims),
    )
    return hashlib.blake2b(repr(shown).encode(), digest_size=12).hexdigest()


def pictures_in(card: Card) -> tuple[Path, ...]:
    """The files that the card's texts name as pictures of its deck."""
    if not card.file:
        return ()
    folder = Path(card.file).parent / pictures.FOLDER
    return tuple(folder / name for name in pictures.names_of(card))


def stamp(files: tuple[Path, ...]) -> str:
    """Differs where one of the files came, went or changed; "" where there are none to look at."""
    if not files:
        return ""
    seen = []
    for file in files:
        try:
            found = file.stat()
            seen.append((file.name, found.st_size, found.st_mtime_ns))
        except OSError:
            seen.append((file.name, -1, -1))  # not there: the card says so in words
    return "-" + hashlib.blake2b(repr(seen).encode("utf-8", "replace"), digest_size=6).hexdigest()


class Faces:
    """The faces of one data folder. Safe to share between threads."""

    def __init__(self, data: Path) -> None:
        self.folder = data / "cache" / "faces" / version()
        self._faces: dict[str, Face] = {}
        self._keys: dict[str, tuple[Card, str, str, tuple[Path, ...]]] = {}
        self._lock = threading.Lock()

    def key(self, card: Card, deck_title: str) -> str:
        """The card's `key_of`, worked out once while its deck stays loaded, and how its pictures are now."""
        known = self._keys.get(card.id)
        if known is None or known[0] is not card or known[1] != deck_title:
            known = (card, deck_title, key_of(card, deck_title), pictures_in(card))
            self._keys[card.id] = known
        return known[2] + stamp(known[3])

    def of(self, card: Card, deck_title: str) -> Face:
        """The face of a card."""
        key = self.key(card, deck_title)
        with self._lock:
            known = self._faces.get(key)
        if known is not None:
            return known
        face = self._kept(key)
        if face is None:
            face = render(card, deck_title)
            self._keep(key, face)
        with self._lock:
            while len(self._faces) >= KEPT_IN_MEMORY:
                self._faces.pop(next(iter(self._faces)))
            self._faces[key] = face
        return face

    def _kept(self, key: str) -> Face | None:
        try:
            face = json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None  # not there, or cut off by a crash: it is rendered anew
        return face if isinstance(face, dict) else None

    def _keep(self, key: str, face: Face) -> None:
        if not self.folder.is_dir():
            shutil.rmtree(self.folder.parent, ignore_errors=True)
        partial = self.folder / f"{key}.{os.getpid()}-{threading.get_ident()}.partial"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            partial.write_text(json.dumps(face, ensure_ascii=False), encoding="utf-8")
            partial.replace(self.folder / f"{key}.json")
        except OSError:
            partial.unlink(missing_ok=True)  # a full disk costs speed, not the review


def render(card: Card, deck_title: str) -> Face:
    """The face: plain values for JSON, every Markdown text as HTML."""
    from app_pages import markup  # a start from warm does without
    from app_pages.markup import inline, plain
    from app_pages.numbers import unit_sign

    block = partial(markup.block, folder=markup.deck_folder(card.file))
    return {
        "id": card.id,
        "lang": card.language,
        "deck": deck_title,
        "kind": card.kind,
        "priority": card.priority == "high",
        "lessons": list(card.lessons),
        "title": inline(card.title),
        "plain_title": plain(card.title),
        "prompt": block(card.prompt),
        "points": [{"heading": inline(point.heading), "text": block(point.text)} for point in card.answer],
        "figures": [inline(figure) for figure in card.key_figures],
        "follow_ups": [
            {"prompt": block(follow.prompt), "answer": block(follow.answer)} for follow in card.follow_ups
        ],
        "pitfall": block(card.pitfall) if card.pitfall else "",
        "source": " · ".join(part for part in (card.source.document, card.source.section) if part),
        "evidence": bool(card.labs or card.claims),
        "claims": [
            {
                "id": claim.id,
                "label": plain(claim.label or claim.id),
                "unit": unit_sign(claim.says.unit),
                "on": _hardware(claim.says.on),
            }
            for claim in card.claims
        ],
    }


def _hardware(key: str | None) -> str | None:
    """The name of a GPU of the spec table."""
    from engine.measure.specs import spec  # a start from warm does without

    row = spec(key) if key else None
    return key if row is None else row.name
