"""The mistake notebook (错题本): one line on what was wrong, kept with its card, for good.

The log has five kinds of rows. `note` is a line; `again` says that the mistake of a note came back; `reword`
gives a note another text; `settle` and `reopen` say that it is dealt with, or isn't. What a note is now
follows from its rows in order of their instants (then nonces), so two machines' logs put together say the
same on both.

A card's own pitfall is an entry too, without a row until the learner makes that mistake: `again` about `TIP`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from sqlalchemy import Connection, RowMapping, func, insert, select

from engine.store.notebook_tables import mistakes
from engine.store.store import Store
from engine.store.tables import reviews
from engine.study import review_log
from engine.study.faults import StudyError
from engine.study.refused import LONGEST_NONCE
from engine.study.settings import load_in
from engine.study.study_day import to_ms
from engine.study.today import now_for_learner

Kind = Literal["note", "again", "reword", "settle", "reopen"]
KINDS: tuple[Kind, ...] = ("note", "again", "reword", "settle", "reopen")

TIP = "tip"
"""What `about` names where the mistake is the one that the card's pitfall warns of."""

LONGEST = 500
"""Characters of a line."""

_WITH_TEXT = ("note", "reword")


@dataclass(frozen=True, slots=True)
class Mistake:
    """A line of the notebook.

    nonce: the note's own, or `TIP`; then `text` is "" and the card's pitfall says what it is. times: how
    often it was made, as the learner said it. forgotten: how often the card was answered *again* on later
    days (0 where it wasn't asked for). first_day, last_day: study days (ISO dates). settled: dealt with; not
    shown with the answer.
    """

    nonce: str
    card_id: str
    text: str
    times: int
    first_day: str
    last_day: str
    first_ms: int
    settled: bool = False
    forgotten: int = 0


class NotebookRefused(StudyError):
    """A line that isn't kept; nothing was written.

    Codes: empty, too_long {longest}, bad_nonce, unknown (no such line on this card), malformed.
    """

    def __init__(self, code: str, args: Mapping[str, str | int] | None = None) -> None:
        self.code = code
        self.args_of_code = dict(args or {})
        super().__init__(_ENGLISH[code].format(**self.args_of_code))


_ENGLISH = {
    "empty": "There is nothing in the line. Write in a few words what was wrong.",
    "too_long": "The line has more than {longest} characters. Shorten it.",
    "bad_nonce": "The line came without its name. Reload the page and write it again.",
    "unknown": "That line isn't in the notebook of this card. Reload the page.",
    "malformed": "The line came in a form that isn't known. Reload the page and write it again.",
}


def write(
    store: Store,
    card_id: str,
    kind: Kind,
    *,
    nonce: str,
    now: datetime,
    zone: str,
    text: str = "",
    about: str = "",
) -> None:
    """Adds a row. The same nonce again changes nothing. Raises NotebookRefused, UnknownZone or StoreError.

    nonce: the caller's own name for it, up to 64 characters; a note is known by it from then on. about: the
    nonce of the note meant, or `TIP` (with `again`, `settle` and `reopen`).
    """
    line = " ".join(text.split())
    if kind not in KINDS or (kind == "note") == bool(about) or (about == TIP and kind == "reword"):
        raise NotebookRefused("malformed")
    if not 0 < len(nonce) <= LONGEST_NONCE or nonce == TIP:
        raise NotebookRefused("bad_nonce")
    if kind in _WITH_TEXT and not line:
        raise NotebookRefused("empty")
    if len(line) > LONGEST:
        raise NotebookRefused("too_long", {"longest": LONGEST})
    with store.begin() as connection:
        if connection.execute(select(mistakes.c.id).where(mistakes.c.nonce == nonce)).first() is not None:
            return
        if about not in ("", TIP):
            known = select(mistakes.c.id).where(
                mistakes.c.nonce == about, mistakes.c.card_id == card_id, mistakes.c.kind == "note"
            )
            if connection.execute(known).first() is None:
                raise NotebookRefused("unknown")
        rollover = load_in(connection).rollover_hour
        last = select(func.max(mistakes.c.at_ms)).where(mistakes.c.card_id == card_id)
        # a clock set back doesn't put it before what it follows on
        after_ms = connection.execute(last).scalar_one_or_none()
        row = {
            "nonce": nonce,
            "card_id": card_id,
            "kind": kind,
            "about": about,
            "text": line if kind in _WITH_TEXT else "",
            "at_ms": to_ms(now) if after_ms is None else max(to_ms(now), after_ms + 1),
            "study_day": now_for_learner(connection, to_ms(now), zone, rollover).day,
        }
        connection.execute(insert(mistakes), row)


def entries(store: Store, card_ids: Collection[str] | None = None) -> dict[str, tuple[Mistake, ...]]:
    """The lines of these cards (all cards: None) by card, the oldest first, settled ones too.

    Of all cards, each line says how often its card was forgotten since.
    """
    query = select(mistakes).order_by(mistakes.c.at_ms, mistakes.c.nonce)
    if card_ids is not None:
        query = query.where(mistakes.c.card_id.in_(card_ids))
    with store.read() as connection:
        found = folded(connection.execute(query).mappings())
        return _with_forgotten(connection, found) if card_ids is None else found


def folded(rows: Iterable[RowMapping]) -> dict[str, tuple[Mistake, ...]]:
    """What the rows come to, which are in order of instants, then nonces."""
    every = [dict(row) for row in rows]
    lines: dict[tuple[str, str], Mistake] = {
        (row["card_id"], row["nonce"]): _first(row, times=1) for row in every if row["kind"] == "note"
    }
    for row in every:
        key = (row["card_id"], row["about"])
        if row["kind"] == "note":
            continue
        if row["about"] == TIP:
            lines.setdefault(key, _first({**row, "nonce": TIP}, times=0))
        known = lines.get(key)
        if known is None:
            continue  # its note is on another machine, whose log hasn't come yet
        if row["kind"] == "again":
            day = max(known.last_day, row["study_day"])
            known = replace(known, times=known.times + 1, last_day=day, settled=False)
        elif row["kind"] == "reword":
            known = replace(known, text=row["text"])
        else:
            known = replace(known, settled=row["kind"] == "settle")
        lines[key] = known
    by_card: dict[str, list[Mistake]] = defaultdict(list)
    for line in sorted(lines.values(), key=lambda each: (each.first_ms, each.nonce)):
        by_card[line.card_id].append(line)
    return {card: tuple(each) for card, each in by_card.items()}


def _first(row: Mapping[str, object], *, times: int) -> Mistake:
    return Mistake(
        nonce=str(row["nonce"]),
        card_id=str(row["card_id"]),
        text=str(row["text"]),
        times=times,
        first_day=str(row["study_day"]),
        last_day=str(row["study_day"]),
        first_ms=int(str(row["at_ms"])),
    )


def _with_forgotten(
    connection: Connection, found: Mapping[str, tuple[Mistake, ...]]
) -> dict[str, tuple[Mistake, ...]]:
    """The lines with how often their cards were answered *again* later than the sitting they come from."""
    query = (
        select(reviews.c.card_id, reviews.c.study_day, func.count().label("n"))
        .where(
            reviews.c.rating == 1,
            review_log.counts(),
            reviews.c.card_id.in_(select(mistakes.c.card_id).distinct()),
        )
        .group_by(reviews.c.card_id, reviews.c.study_day)
    )
    forgotten: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for row in connection.execute(query):
        forgotten[row.card_id].append((row.study_day, row.n))
    return {
        card: tuple(
            replace(line, forgotten=sum(n for day, n in forgotten[card] if day > line.first_day))
            for line in lines
        )
        for card, lines in found.items()
    }
