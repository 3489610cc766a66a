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
from engine.study.desk import Answer, Confirmed, Refused, Undone

LOG = logging.getLogger(__name__)

REMEMBERED = 400
"""Outcomes a session remembers; more than a client ever holds unconfirmed."""


class Grading(Protocol):
    """What is needed of the desk."""

    def answer(self, answer: Answer) -> Confirmed | Refused: ...

    def undo(self, nonce: str, now: datetime) -> Undone | Refused: ...


class Predicting(Protocol):
    """Keeps a prediction, or says why not."""

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
    """An undo that was carried out, and which answer it took back."""

    nonce: str
    card_id: str
    rating: int


Outcome = Refusal | TakenBack | None
"""None: an answer that is on disk, or an undo of an answer that never was."""


@dataclass(frozen=True, slots=True)
class View:
    """The card that is in view. `stays`: its answer is read to the evidence, so charts are wanted."""

    card_id: str
    revealed: bool
    stays: bool = False


@dataclass(frozen=True, slots=True)
class Talk:
    """One message of the client, checked. What is malformed in it is left out or refused, never raised."""

    ops: tuple[dict[str, Any], ...] = ()
    have: frozenset[str] = frozenset()
    view: View | None = None

    @classmethod
    def read(cls, message: object) -> Talk:
        if not isinstance(message, Mapping):
            return cls()
        ops, have, view = message.get("ops"), message.get("have"), message.get("view")
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
    ) -> None:
        """Carries out what was not carried out yet, in the order given."""
        for op in ops:
            nonce = op["nonce"]
            if nonce not in self._outcomes:
                self._outcomes[nonce] = self._do(op, desk=desk, zone=zone, now=now, predicting=predicting)
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
    ) -> Outcome:
        nonce = op["nonce"]
        try:
            if op.get("type") == "undo":
                return self._undo(op, desk=desk, now=now)
            if op.get("type") == "predict" and predicting is not None:
                return predicting.carry_out(op, now)
            answer = _answer(op, zone=zone, now=now)
            if answer is None:
                return Refusal(nonce, "malformed")
            answered = desk.answer(answer)
        except StoreError as error:
            return _not_written(op, str(error))
        except Exception:  # whatever it is: the card comes back and the page says so
            LOG.exception("An answer or undo could not be carried out: %s", dict(op))
            return _not_written(op, "")
        if isinstance(answered, Refused):
            return Refusal(nonce, answered.code, answer.card_id, answered.args, answered.code != "stale")
        return None

    def _undo(self, op: Mapping[str, Any], *, desk: Grading, now: datetime) -> Outcome:
        nonce, of = op["nonce"], op.get("answer_nonce")
        if isinstance(self._outcomes.get(of) if isinstance(of, str) else None, Refusal):
            return None  # that answer was never written: taking back the one before it is not meant
        undone = desk.undo(nonce, now)
        if isinstance(undone, Refused):
            return Refusal(nonce, undone.code, args=undone.args)
        return TakenBack(nonce, undone.card_id, undone.rating)


def _not_written(op: Mapping[str, Any], reason: str) -> Refusal:
    """A card whose answer couldn't be written is brought back; a prediction is typed again."""
    predicts = op.get("type") == "predict"
    code = "prediction_not_written" if predicts else "not_written"
    return Refusal(op["nonce"], code, _text(op.get("card_id")), {"reason": reason}, bring_back=not predicts)


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
