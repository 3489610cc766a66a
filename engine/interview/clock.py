"""The one clock of an interview: which part of a question it is, and until when.

A deadline is an instant that was stored when the part began; nothing is counted. What time has done since is
worked out by `settled` from the instant alone, so that a refresh, a page switch, sleep or a restart of the
server changes nothing. All instants are the server's, in UTC milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Phase = Literal[
    "ready",
    "thinking",
    "answering",
    "predict_ready",
    "predicting",
    "follow_ready",
    "following",
    "done",
]
Outcome = Literal["answered", "skipped", "broken_off"]
Deed = Literal["begin", "finish", "skip", "pause", "resume"]

RUNNING: frozenset[Phase] = frozenset({"thinking", "answering", "predicting", "following"})
"""The parts that a deadline ends."""

WAITING: frozenset[Phase] = frozenset({"ready", "predict_ready", "follow_ready"})
"""The parts that wait for the learner to go on; their time isn't counted."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """How long each part of a question may take, in milliseconds; None: there is no such part."""

    answer_ms: int
    thinking_ms: int = 0
    predict_ms: int | None = None
    follow_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """Where a question stands.

    started_ms: when the part began. deadline_ms: when it ends; None while it waits or is paused.
    left_ms: what was left when it was paused. used_ms, predict_used_ms, follow_used_ms: time taken by the
    parts that are over.
    """

    phase: Phase = "ready"
    started_ms: int | None = None
    deadline_ms: int | None = None
    left_ms: int | None = None
    used_ms: int | None = None
    predict_used_ms: int | None = None
    follow_used_ms: int | None = None
    outcome: Outcome | None = None

    @property
    def is_paused(self) -> bool:
        return self.left_ms is not None


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part that runs, and the instant that ends it."""

    phase: Phase
    until_ms: int


def settled(clock: Clock, allowance: Allowance, now_ms: int) -> Clock:
    """The clock at an instant: parts whose deadline has passed are over, at their deadline."""
    while clock.deadline_ms is not None and clock.deadline_ms <= now_ms:
        clock = _ended(clock, allowance, clock.deadline_ms)
    return clock


def course(clock: Clock, allowance: Allowance) -> tuple[Stretch, ...]:
    """The parts that follow one another without a deed of the learner's, with the end of each."""
    stretches = []
    while clock.deadline_ms is not None:
        stretches.append(Stretch(clock.phase, clock.deadline_ms))
        clock = _ended(clock, allowance, clock.deadline_ms)
    return tuple(stretches)


def done(clock: Clock, allowance: Allowance, deed: Deed, now_ms: int) -> Clock:
    """The clock after a deed at an instant. A deed that fits no more (a second click) changes nothing."""
    clock = settled(clock, allowance, now_ms)
    if deed == "pause":
        if clock.deadline_ms is None:
            return clock
        return replace(clock, deadline_ms=None, left_ms=clock.deadline_ms - now_ms)
    if deed == "resume":
        if clock.left_ms is None:
            return clock
        return replace(clock, deadline_ms=now_ms + clock.left_ms, left_ms=None)
    if deed == "begin":
        return _begun(clock, allowance, now_ms)
    if clock.phase == "done":
        return clock
    if deed == "skip":
        return _skipped(clock, now_ms)
    return _ended(_running_again(clock, now_ms), allowance, now_ms) if clock.phase in RUNNING else clock


def broken_off(clock: Clock, allowance: Allowance, now_ms: int) -> Clock:
    """The clock of a question whose interview is closed: what was answered stays."""
    clock = settled(clock, allowance, now_ms)
    if clock.phase == "done":
        return clock
    if clock.phase in ("ready", "thinking"):
        return Clock(phase="done", outcome="broken_off")
    used = _used(clock, allowance, now_ms) if clock.phase == "answering" else clock.used_ms
    return Clock(
        phase="done",
        used_ms=used,
        predict_used_ms=clock.predict_used_ms,
        follow_used_ms=clock.follow_used_ms,
        outcome="answered",
    )


def _begun(clock: Clock, allowance: Allowance, now_ms: int) -> Clock:
    if clock.phase == "ready":
        first: Phase = "thinking" if allowance.thinking_ms else "answering"
        length = allowance.thinking_ms or allowance.answer_ms
        return replace(clock, phase=first, started_ms=now_ms, deadline_ms=now_ms + length)
    if clock.phase == "predict_ready" and allowance.predict_ms is not None:
        return replace(
            clock, phase="predicting", started_ms=now_ms, deadline_ms=now_ms + allowance.predict_ms
        )
    if clock.phase == "follow_ready" and allowance.follow_ms is not None:
        return replace(clock, phase="following", started_ms=now_ms, deadline_ms=now_ms + allowance.follow_ms)
    return clock


def _running_again(clock: Clock, now_ms: int) -> Clock:
    """A paused part is ended as if it had just gone on: the pause isn't counted."""
    if clock.left_ms is None:
        return clock
    return replace(clock, deadline_ms=now_ms + clock.left_ms, left_ms=None)


def _used(clock: Clock, allowance: Allowance, now_ms: int) -> int:
    """Time taken by the part that runs: its length less what is left of it. A pause isn't counted."""
    length = {
        "thinking": allowance.thinking_ms,
        "answering": allowance.answer_ms,
        "predicting": allowance.predict_ms or 0,
        "following": allowance.follow_ms or 0,
    }[clock.phase]
    left = clock.left_ms if clock.left_ms is not None else (clock.deadline_ms or now_ms) - now_ms
    return max(0, min(length, length - left))


def _ended(clock: Clock, allowance: Allowance, now_ms: int) -> Clock:
    """The part that runs ends, and what comes after it begins."""
    if clock.phase == "thinking":
        return replace(clock, phase="answering", started_ms=now_ms, deadline_ms=now_ms + allowance.answer_ms)
    used = _used(clock, allowance, now_ms)
    over = replace(clock, started_ms=None, deadline_ms=None, left_ms=None)
    if clock.phase == "answering":
        if allowance.predict_ms is not None:
            return replace(over, phase="predict_ready", used_ms=used)
        return replace(_to_follow_up(over, allowance), used_ms=used)
    if clock.phase == "predicting":
        return replace(_to_follow_up(over, allowance), predict_used_ms=used)
    return replace(over, phase="done", outcome="answered", follow_used_ms=used)


def _to_follow_up(clock: Clock, allowance: Allowance) -> Clock:
    if allowance.follow_ms is not None:
        return replace(clock, phase="follow_ready")
    return replace(clock, phase="done", outcome="answered")


def _skipped(clock: Clock, now_ms: int) -> Clock:
    """Before the main answer is in, the question is skipped; after it, only what else is asked."""
    answered = clock.phase not in ("ready", "thinking", "answering")
    return replace(
        clock,
        phase="done",
        started_ms=None,
        deadline_ms=None,
        left_ms=None,
        outcome="answered" if answered else "skipped",
    )
