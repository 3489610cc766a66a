"""What the page sends and what is done about it: answers and undos in order, each once.

The client sends every operation that it holds unconfirmed, again and again, until it reads its nonce among
the confirmed or the refused. So nothing here may depend on a message coming once: the store knows an
operation by its nonce, and a session remembers what it said about each.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite
from typing import Any, Protocol

from engine.store import StoreError
from engine.study.change_log import Kind
from engine.study.desk import Answer, Changed, ChangeUndone, Confirmed, Refused, Undone
from engine.study.practice import Practised

LOG = logging.getLogger(__name__)

KINDS = ("bury", "unbury", "suspend", "unsuspend", "mark", "unmark", "reset")
"""What the page can ask to be done to a card besides grading it."""

LONGEST_KEPT_MS = 24 * 3_600_000
"""A change that reached the app later than a day after it was made counts as made now."""

REMEMBERED = 400
"""Outcomes a session remembers; more than a client ever holds unconfirmed."""


class Grading(Protocol):
    """What is needed of the desk."""

    def answer(self, answer: Answer) -> Confirmed | Refused: ...

    def change(
        self, card_id: str, kind: Kind, *, value: str | None = None, at_ms: int, zone: str, nonce: str
    ) -> Changed | Refused: ...

    def undo(self, nonce: str, now: datetime) -> Undone | ChangeUndone | Refused: ...


class Practising(Protocol):
    """Keeps answers outside the schedule."""

    def answer(self, sitting: str, answer: Answer) -> Practised | Refused: ...

    def undo(self, sitting: str, nonce: str, *, now: datetime, zone: str) -> Practised | Refused: ...


class Predicting(Protocol):
    """Keeps a prediction, or says why not."""

    def carry_out(self, op: Mapping[str, Any], now: datetime) -> Refusal | None: ...


class Noting(Protocol):
    """Keeps a line of the mistake notebook, or says why not."""

    def carry_out(self, op: Mapping[str, Any], now: datetime) -> Refusal | None: ...


@dataclass(frozen=True, slots=True)
class Refusal:
    """An operation that was not carried out. `bring_back`: the card is to be graded again."""

    nonce: str
    code: str
    card_id: str | None = None
    args: Mapping[str, str | int] = field(default_factory=dict)
    bring_back: bool = False


@dataclass(frozen=True, slots=True)
class TakenBack:
    """An undo that was carried out, and what it took back: an answer, or a change (`kind`) of some cards."""

    nonce: str
    card_id: str
    rating: int = 0
    kind: str | None = None
    cards: int = 1


@dataclass(frozen=True, slots=True)
class Leech:
    """An answer that is on disk and made its card a leech."""

    nonce: str
    card_id: str
    lapses: int
    suspended: bool


Outcome = Refusal | TakenBack | Leech | None
"""None: an answer or a change that is on disk, or an undo of one that never was."""


@dataclass(frozen=True, slots=True)
class View:
    """The card that is in view. `stays`: its answer is read to the evidence, so charts are wanted."""

    card_id: str
    revealed: bool
    stays: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """A wish to edit a card's text over the review, by its name."""

    nonce: str
    card_id: str


@dataclass(frozen=True, slots=True)
class Talk:
    """One message of the client, checked. What is malformed in it is left out or refused, never raised."""

    ops: tuple[dict[str, Any], ...] = ()
    have: frozenset[str] = frozenset()
    view: View | None = None
    number: tuple[str, int] = ("", 0)
    """Which page of the browser speaks, and the how manieth of its messages this is."""
    info: str | None = None
    """The card whose history is asked for."""
    edit: Edit | None = None
    """The card whose text is to be edited, or is being."""

    @classmethod
    def read(cls, message: object) -> Talk:
        if not isinstance(message, Mapping):
            return cls()
        ops, have, view = message.get("ops"), message.get("have"), message.get("view")
        info, page, seq = message.get("info"), message.get("page"), message.get("seq")
        return cls(
            ops=tuple(
                dict(op)
                for op in (ops if isinstance(ops, list) else [])
                if isinstance(op, Mapping) and isinstance(op.get("nonce"), str)
            ),
            have=frozenset(
                each for each in (have if isinstance(have, list) else []) if isinstance(each, str)
            ),
            view=View(view["card_id"], view.get("revealed") is True, view.get("stays") is True)
            if isinstance(view, Mapping) and isinstance(view.get("card_id"), str)
            else None,
            number=(page if isinstance(page, str) else "", seq if isinstance(seq, int) else 0),
            info=info if isinstance(info, str) else None,
            edit=_edit(message.get("edit")),
        )


class Ledger:
    """What a browser session's operations came to, by nonce."""

    def __init__(self) -> None:
        self._outcomes: dict[str, Outcome] = {}

    def carry_out(
        self,
        ops: tuple[dict[str, Any], ...],
        *,
        desk: Grading,
        zone: str,
        now: datetime,
        predicting: Predicting | None = None,
        practising: Practising | None = None,
        noting: Noting | None = None,
    ) -> None:
        """Carries out what was not carried out yet, in the order given."""
        for op in ops:
            nonce = op["nonce"]
            if op.get("type") == "mistake" and noting is not None and nonce not in self._outcomes:
                self._outcomes[nonce] = _note(op, noting, now)
            if nonce not in self._outcomes:
                self._outcomes[nonce] = self._do(
                    op, desk=desk, zone=zone, now=now, predicting=predicting, practising=practising
                )
        while len(self._outcomes) > REMEMBERED:
            self._outcomes.pop(next(iter(self._outcomes)))

    def of(self, ops: tuple[dict[str, Any], ...]) -> dict[str, Outcome]:
        """What each of these operations came to."""
        return {op["nonce"]: self._outcomes[op["nonce"]] for op in ops if op["nonce"] in self._outcomes}

    def _do(
        self,
        op: Mapping[str, Any],
        *,
        desk: Grading,
        zone: str,
        now: datetime,
        predicting: Predicting | None,
        practising: Practising | None,
    ) -> Outcome:
        nonce = op["nonce"]
        sitting = _text(op.get("practice")) if practising is not None else None
        try:
            if op.get("type") == "undo":
                if sitting is not None and practising is not None:
                    return self._undo_practice(op, sitting, practising, now=now, zone=zone)
                return self._undo(op, desk=desk, now=now)
            if op.get("type") == "change":
                return _change(op, desk=desk, zone=zone, now=now)
            if op.get("type") == "predict" and predicting is not None:
                return predicting.carry_out(op, now)
            answer = _answer(op, zone=zone, now=now)
            if answer is None:
                return Refusal(nonce, "malformed")
            if sitting is not None and practising is not None:
                practised = practising.answer(sitting, answer)
                return (
                    Refusal(nonce, practised.code, answer.card_id, practised.args)
                    if isinstance(practised, Refused)
                    else None
                )
            answered = desk.answer(answer)
        except StoreError as error:
            return _not_written(op, str(error))
        except Exception:  # whatever it is: the card comes back and the page says so
            LOG.exception("An answer or undo could not be carried out: %s", dict(op))
            return _not_written(op, "")
        if isinstance(answered, Refused):
            return Refusal(nonce, answered.code, answer.card_id, answered.args, answered.code != "stale")
        if answered.lapses:
            return Leech(nonce, answer.card_id, answered.lapses, answered.suspended)
        return None

    def _undo_practice(
        self, op: Mapping[str, Any], sitting: str, practising: Practising, *, now: datetime, zone: str
    ) -> Outcome:
        if self._never_was(op):
            return None
        undone = practising.undo(sitting, op["nonce"], now=now, zone=zone)
        if isinstance(undone, Refused):
            return Refusal(op["nonce"], undone.code, args=undone.args)
        return TakenBack(op["nonce"], undone.card_id, undone.rating)

    def _never_was(self, op: Mapping[str, Any]) -> bool:
        """Whether what an undo means to take back was refused: what was done before it is not meant."""
        of = op.get("answer_nonce")
        return isinstance(self._outcomes.get(of) if isinstance(of, str) else None, Refusal)

    def _undo(self, op: Mapping[str, Any], *, desk: Grading, now: datetime) -> Outcome:
        nonce = op["nonce"]
        if self._never_was(op):
            return None
        undone = desk.undo(nonce, now)
        if isinstance(undone, Refused):
            return Refusal(nonce, undone.code, args=undone.args)
        if isinstance(undone, ChangeUndone):
            return TakenBack(nonce, undone.card_ids[0], kind=undone.kind, cards=len(undone.card_ids))
        return TakenBack(nonce, undone.card_id, undone.rating)


def _edit(wish: object) -> Edit | None:
    if not isinstance(wish, Mapping):
        return None
    nonce, card_id = _text(wish.get("nonce")), _text(wish.get("card_id"))
    return None if nonce is None or card_id is None else Edit(nonce, card_id)


def _note(op: Mapping[str, Any], noting: Noting, now: datetime) -> Outcome:
    """A line of the notebook; one that couldn't be written is written again by the person."""
    try:
        return noting.carry_out(op, now)
    except StoreError as error:
        return Refusal(op["nonce"], "line", args={"reason": str(error)})


def _change(op: Mapping[str, Any], *, desk: Grading, zone: str, now: datetime) -> Outcome:
    """A card buried, suspended, marked … at the instant the client names, if that isn't in the future."""
    card_id, kind, at_ms = _text(op.get("card_id")), op.get("kind"), op.get("at_ms")
    if card_id is None or kind not in KINDS or isinstance(at_ms, bool) or not isinstance(at_ms, (int, float)):
        return Refusal(op["nonce"], "change_refused", card_id, {"reason": "malformed"})
    now_ms = int(now.timestamp() * 1000)
    at = int(at_ms) if isfinite(at_ms) and now_ms - LONGEST_KEPT_MS < at_ms < now_ms else now_ms
    changed = desk.change(card_id, kind, at_ms=at, zone=zone, nonce=op["nonce"])
    if isinstance(changed, Refused):
        return Refusal(op["nonce"], "change_refused", card_id, {"reason": changed.code})
    return None


def _not_written(op: Mapping[str, Any], reason: str) -> Refusal:
    """A card whose answer couldn't be written is brought back; a prediction is typed again, and a card that
    couldn't be buried is still in the queue."""
    codes = {"predict": "prediction_not_written", "change": "change_not_written"}
    code = codes.get(str(op.get("type")), "not_written")
    return Refusal(
        op["nonce"], code, _text(op.get("card_id")), {"reason": reason}, bring_back=code == "not_written"
    )


def _answer(op: Mapping[str, Any], *, zone: str, now: datetime) -> Answer | None:
    """The answer in an operation, or None where it is none."""
    numbers = {}
    for name in ("version", "rating", "shown_at_ms", "answered_at_ms", "answer_ms"):
        value = op.get(name)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
            return None
        numbers[name] = int(value)
    if not isinstance(op.get("card_id"), str):
        return None
    now_ms = int(now.timestamp() * 1000)
    # the client's clock started from the server's: it can lag behind, never be ahead
    answered_at_ms = max(numbers["shown_at_ms"], min(numbers["answered_at_ms"], now_ms))
    return Answer(
        nonce=op["nonce"],
        card_id=op["card_id"],
        version=numbers["version"],
        rating=numbers["rating"],
        shown_at_ms=numbers["shown_at_ms"],
        answered_at_ms=answered_at_ms,
        answer_ms=numbers["answer_ms"],
        zone=zone,
        shown_day=_text(op.get("shown_day")),
        scheduler=_text(op.get("scheduler")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
