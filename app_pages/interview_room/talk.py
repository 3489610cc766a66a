"""What the page sends and what is done about it: texts by their number, deeds in order, each once.

The client sends every text and deed that it holds unconfirmed, again and again, until it reads that the
server has it. A deed names the part of the question that the learner saw, so that doing it twice, or after
a restart of the server, does it once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from typing import Any, cast, get_args

from engine.faults import BenchcardsError
from engine.interview.agree import agree
from engine.interview.clock import Deed, Phase
from engine.interview.interviews import Interviews, Step
from engine.interview.question import PARTS, Draft, Part
from engine.store import Store, StoreError
from engine.study.desk import Confirmed, Desk
from engine.study.study_day import to_ms

LOG = logging.getLogger(__name__)

REMEMBERED = 400
"""Deeds whose outcome a session remembers; more than a client ever holds unconfirmed."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text that was typed into one part of a question."""

    interview_id: str
    place: int
    part: Part
    draft: Draft

    @property
    def key(self) -> str:
        """The client's name for the text."""
        return f"{self.interview_id}.{self.place}.{self.part}"


@dataclass(frozen=True, slots=True)
class Talk:
    """One message of the client, checked. What is malformed in it is left out, never raised."""

    ops: tuple[dict[str, Any], ...] = ()
    texts: tuple[Text, ...] = ()
    sent_ms: float | None = None
    """The client's clock when it sent this."""

    @classmethod
    def read(cls, message: object) -> Talk:
        if not isinstance(message, Mapping):
            return cls()
        ops, texts = message.get("ops"), message.get("texts")
        found = [_text(each) for each in (texts if isinstance(texts, list) else [])]
        return cls(
            ops=tuple(
                dict(op)
                for op in (ops if isinstance(ops, list) else [])
                if isinstance(op, Mapping) and isinstance(op.get("nonce"), str)
            ),
            texts=tuple(text for text in found if text is not None),
            sent_ms=_instant(message.get("sent_ms")),
        )


@dataclass(frozen=True, slots=True)
class Doing:
    """What deeds are done with, and who does them when."""

    interviews: Interviews
    store: Store
    desk: Desk
    zone: str
    now: datetime

    @property
    def now_ms(self) -> int:
        return to_ms(self.now)


class Ledger:
    """What became of a browser session's texts and deeds.

    saved: the number of each text that is on disk. refused: deeds that can't be done, with the reason (a
    code and its arguments). trouble: why something could not be written just now; it is tried again.
    """

    def __init__(self) -> None:
        self.saved: dict[str, int] = {}
        self.done: dict[str, None] = {}
        self.refused: dict[str, tuple[str, dict[str, str]]] = {}
        self.trouble: str | None = None

    def carry_out(self, talk: Talk, doing: Doing) -> None:
        """Texts first: a deed that ends an answer finds all of it there."""
        try:
            for text in talk.texts:
                if self.saved.get(text.key, -2) < text.draft.seq:
                    self.saved[text.key] = doing.interviews.keep_text(
                        text.interview_id, text.place, text.part, text.draft
                    )
            for op in talk.ops:
                if op["nonce"] not in self.done:
                    self._do(op, doing)
        except StoreError as error:
            self.trouble = str(error)
            return
        if talk.texts or talk.ops:
            self.trouble = None
        while len(self.done) > REMEMBERED:
            oldest = next(iter(self.done))
            self.done.pop(oldest)
            self.refused.pop(oldest, None)

    def _do(self, op: Mapping[str, Any], doing: Doing) -> None:
        """Does one deed. Raises StoreError where it can't be written now; it stays undone then."""
        nonce = op["nonce"]
        do = _DEEDS.get(str(op.get("type")))
        try:
            if do is None:
                raise _MalformedError  # noqa: TRY301  # as every other deed that makes no sense
            refusal = do(op, doing)
        except StoreError:
            raise
        except _MalformedError:
            refusal = ("malformed", {})
        except BenchcardsError as error:
            refusal = ("other", {"reason": str(error)})
        except Exception:  # whatever it is: the page says so, and goes on
            LOG.exception("A deed of an interview could not be done: %s", dict(op))
            refusal = ("other", {"reason": ""})
        self.done[nonce] = None
        if refusal is not None:
            self.refused[nonce] = refusal


Refusal = tuple[str, dict[str, str]] | None


class _MalformedError(ValueError):
    pass


def _text(body: object) -> Text | None:
    if not isinstance(body, Mapping):
        return None
    text, part = body.get("text"), body.get("part")
    if not isinstance(text, str) or part not in PARTS:
        return None
    try:
        seq = _whole(body, "seq")
        return Text(_name(body), _whole(body, "place"), part, Draft(_sound(text), seq))
    except _MalformedError:
        return None


def _instant(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return float(value)


def _sound(text: str) -> str:
    """Without half a surrogate pair, which a browser can send and no database takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _whole(op: Mapping[str, Any], name: str) -> int:
    value = op.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or value < 0:
        raise _MalformedError(name)
    return int(value)


def _name(op: Mapping[str, Any]) -> str:
    value = op.get("interview")
    if not isinstance(value, str) or not 0 < len(value) <= 64:
        raise _MalformedError("interview")
    return value


def _step(op: Mapping[str, Any], doing: Doing) -> Refusal:
    deed, phase = op.get("deed"), op.get("phase")
    if deed not in get_args(Deed) or phase not in get_args(Phase):
        raise _MalformedError("deed")
    step = Step(_name(op), _whole(op, "place"), cast(Deed, deed), cast(Phase, phase), _whole(op, "at_ms"))
    doing.interviews.step(step, doing.now_ms)
    return None


def _settle(op: Mapping[str, Any], doing: Doing) -> Refusal:
    doing.interviews.settle(_name(op), _whole(op, "place"), doing.now_ms)
    return None


def _hint(op: Mapping[str, Any], doing: Doing) -> Refusal:
    doing.interviews.hint(_name(op), _whole(op, "place"), _whole(op, "hints"), doing.now_ms)
    return None


def _tick(op: Mapping[str, Any], doing: Doing) -> Refusal:
    kind = op.get("kind")
    if kind not in ("point", "figure", "follow_up"):
        raise _MalformedError("kind")
    doing.interviews.tick(
        _name(op), _whole(op, "place"), kind, _whole(op, "index"), str(op.get("tick")), doing.now_ms
    )
    return None


def _reviewed(op: Mapping[str, Any], doing: Doing) -> Refusal:
    doing.interviews.reviewed(_name(op), _whole(op, "place"), doing.now_ms)
    return None


def _rate(op: Mapping[str, Any], doing: Doing) -> Refusal:
    interview = doing.interviews.get(_name(op), doing.now_ms)
    place = _whole(op, "place")
    if interview is None or place >= len(interview.questions):
        return None
    question = interview.questions[place]
    given = agree(doing.store, doing.desk, question, _whole(op, "rating"), now=doing.now, zone=doing.zone)
    if not isinstance(given, Confirmed):
        return given.code, {name: str(value) for name, value in given.args.items()}
    doing.interviews.rated(interview.id, place, _whole(op, "rating"))
    return None


_DEEDS: dict[str, Callable[[Mapping[str, Any], Doing], Refusal]] = {
    "step": _step,
    "settle": _settle,
    "hint": _hint,
    "tick": _tick,
    "reviewed": _reviewed,
    "rate": _rate,
}
