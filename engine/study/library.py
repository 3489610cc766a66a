"""All decks that can be used, and the faults of those that can't."""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.study.card import Card, Deck, Fault, Library
from engine.study.collector import collector_paused
from engine.study.deck_bytes import read_bytes
from engine.study.deck_cache import DeckCache
from engine.study.parsed_deck import Mention, ParsedDeck


def own_decks_folder(data: Path) -> Path:
    """Where the learner's own decks lie, within the data folder. It need not exist."""
    return data / "decks"


def load_library(
    folders: Sequence[Path],
    *,
    lab_names: Collection[str] | None,
    cache: Path | None,
    own: Path | None = None,
) -> Library:
    """Every deck of `folders` (`*.yaml`, `*.yml`), folder by folder in order of name.

    A file may stand for a folder; a folder that does not exist holds no decks. Never raises for a deck that
    is broken or can't be read: its faults are in the library, and every other deck works. An id that two
    decks use is a fault of the later one. `lab_names`: the labs that decks may link; None: not checked.
    `cache`: a folder for parsed decks; None: every deck is read anew. `own`: the learner's folder among
    `folders`: a sound deck in it with the id of a deck elsewhere is read in that one's place.
    """
    with collector_paused():
        return _load(folders, lab_names, DeckCache(cache) if cache is not None else None, own)


@dataclass(slots=True)
class _Read:
    """A deck file that was read. `file`: its path as messages write it."""

    path: Path
    file: str
    parsed: ParsedDeck


def _load(
    folders: Sequence[Path], lab_names: Collection[str] | None, kept: DeckCache | None, own: Path | None
) -> Library:
    decks: list[Deck] = []
    faults: list[Fault] = []
    replaced: list[tuple[str, str]] = []
    owners: dict[tuple[str, str], tuple[str, int]] = {}
    read: list[_Read] = []
    for path in _deck_files(folders, faults):
        file = _shown(path)
        read.append(_Read(path, file, _parsed(path, file, kept)))
    for original, copies in _with_copies(read, own):
        # the learner's copy first: where it has faults, they are told and the original is used
        for each in (*copies, original):
            found = sorted(
                [
                    *each.parsed.faults,
                    *_clashes(each.parsed, each.file, owners),
                    *_unknown_labs(each.parsed, each.file, lab_names),
                ],
                key=lambda fault: fault.line,
            )
            faults.extend(found)
            if each.parsed.deck is None or found:
                for key in [key for key, where in owners.items() if copies and where[0] == each.file]:
                    del owners[key]
                continue
            decks.append(each.parsed.deck)
            if each is not original:
                replaced.append((original.file, each.file))
            break
    by_id: dict[str, Card] = {card.id: card for deck in decks for card in deck.cards}
    return Library(decks=tuple(decks), faults=tuple(faults), by_id=by_id, replaced=tuple(replaced))


def _with_copies(read: Sequence[_Read], own: Path | None) -> Iterator[tuple[_Read, tuple[_Read, ...]]]:
    """The files in their order, each with the learner's copy of it; no copy stands by itself."""
    copies: dict[str, _Read] = {}
    for each in read:
        if own is not None and each.path.parent == own and each.parsed.deck_id is not None:
            copies.setdefault(each.parsed.deck_id.name, each)
    originals: dict[str, _Read] = {}
    for each in read:
        name = each.parsed.deck_id.name if each.parsed.deck_id is not None else ""
        if each.path.parent != own and name in copies:
            originals.setdefault(name, each)
    for each in read:
        name = each.parsed.deck_id.name if each.parsed.deck_id is not None else ""
        if originals.get(name) is each:
            yield each, (copies[name],)
        elif name not in originals or copies[name] is not each:
            yield each, ()


def _deck_files(folders: Sequence[Path], faults: list[Fault]) -> Iterator[Path]:
    """The deck files, each once, also where a link or a second folder leads to it again."""
    seen: set[str] = set()
    for folder in folders:
        try:
            paths = _listed(folder)
        except OSError as error:
            message = f"can't be opened as a folder ({error.strerror}): check its rights"
            faults.append(Fault(_shown(folder), 1, "file", message))
            continue
        for path in paths:
            real = os.path.realpath(path)
            if real not in seen:
                seen.add(real)
                yield path


def _listed(folder: Path) -> list[Path]:
    """The deck files in `folder`; itself where it is a file. Raises OSError where it can't be opened."""
    try:
        names = sorted(os.listdir(folder))
    except NotADirectoryError:
        return [folder]
    except OSError as error:
        if os.path.islink(folder):
            return [folder]  # a link that leads nowhere: reading it says so
        if isinstance(error, FileNotFoundError):
            return []
        raise
    return [
        folder / name
        for name in names
        if name.lower().endswith((".yaml", ".yml")) and not name.startswith(".")
    ]


def _shown(path: Path) -> str:
    """The path as messages write it, on one line and in UTF-8 whatever its name holds."""
    text = os.fsencode(path).decode("utf-8", "replace")
    return text if text.isprintable() else "".join(sign if sign.isprintable() else "\ufffd" for sign in text)


def _parsed(path: Path, file: str, kept: DeckCache | None) -> ParsedDeck:
    raw = read_bytes(path)
    if isinstance(raw, str):
        return ParsedDeck(None, (Fault(file, 1, "file", raw),))
    parsed = kept.get(file, raw) if kept is not None else None
    if parsed is None:
        # PyYAML and pydantic take longer to import than a warm start takes in all
        from engine.study.deck_parse import parse_deck

        parsed = parse_deck(raw, file)
        if kept is not None:
            kept.put(file, raw, parsed)
    return parsed


def _clashes(
    parsed: ParsedDeck, file: str, owners: dict[tuple[str, str], tuple[str, int]]
) -> Iterator[Fault]:
    """Ids that an earlier deck has; the others are entered as this deck's."""
    entered: dict[tuple[str, str], tuple[str, int]] = {}
    named: list[tuple[str, Mention]] = [("card", mention) for mention in parsed.card_ids]
    if parsed.deck_id is not None:
        named.insert(0, ("deck", parsed.deck_id))
    for sort, mention in named:
        owner = owners.get((sort, mention.name))
        if owner is None:
            entered[sort, mention.name] = (file, mention.line)
        else:
            where = f"{owner[0]}:{owner[1]}"
            yield Fault(
                file,
                mention.line,
                mention.field,
                f'"{mention.name}" is already the id of the {sort} at {where}: give this one another id',
            )
    owners.update(entered)


def _unknown_labs(parsed: ParsedDeck, file: str, lab_names: Collection[str] | None) -> Iterator[Fault]:
    if lab_names is None:
        return
    for mention in parsed.labs:
        if mention.name in lab_names:
            continue
        close = difflib.get_close_matches(mention.name, list(lab_names), n=1)
        known = f"the labs are {', '.join(sorted(lab_names))}" if lab_names else "there are no labs here"
        hint = f"did you mean {close[0]}?" if close else known
        yield Fault(file, mention.line, mention.field, f'there is no lab "{mention.name}": {hint}')
