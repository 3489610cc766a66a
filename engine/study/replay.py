"""A card's state from its answers alone, also where the answers of two machines were merged.

The order is that of the instants, whatever version an answer was given (versions only say which showing was
answered, on the machine of the answer). As long as each answer was given on the state that the ones before it
lead to, its own outcome counts: that is the interval that was shown. An answer that was given elsewhere, on a
state that knew nothing of the ones before it, is scheduled anew with its rating, its day and its scheduler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.study.card_state import NEW, CardState
from engine.study.placed import Step
from engine.study.review_log import Review
from engine.study.schedule import SchedulerParams, after, transitions


def order(review: Review) -> tuple[int, int, str]:
    """What answers to one card are put in order by: the same on every machine that has them.

    Answers of one instant (a clock set back is held at the last answer) keep the order they were given in:
    each raised the repetitions by one.
    """
    return review.reviewed_at_ms, review.state_before.reps, review.nonce


def replayed(
    answers: Iterable[Review],
    scheduler: Callable[[str], SchedulerParams],
    steps: Iterable[Step] = (),
) -> CardState:
    """The state of the one card that `answers` are of, those taken back passed over.

    scheduler: what the scheduler with a fingerprint was set to. steps: when the card was made new again or
    put on another day; an answer of the same instant came after it.
    """
    state = NEW
    coming = sorted(steps, key=lambda step: step.at_ms)
    for answer in sorted(answers, key=order):
        if answer.undone:
            continue
        while coming and coming[0].at_ms <= answer.reviewed_at_ms:
            state = stepped(state, coming.pop(0))
        if answer.state_before == state:
            state = answer.state_after
            continue
        day, study_day = answer.shown_day, answer.study_day
        if state.last_study_day is not None:  # two machines may have stood in two time zones
            day, study_day = max(day, state.last_study_day), max(study_day, state.last_study_day)
        ways = transitions(answer.card_id, state, day, scheduler(answer.scheduler))
        chosen = ways[answer.rating - 1]
        state = after(state, chosen, reviewed_at_ms=answer.reviewed_at_ms, study_day=study_day)
    for step in coming:
        state = stepped(state, step)
    return state


def stepped(state: CardState, step: Step) -> CardState:
    """The state after a step that was no answer."""
    return NEW if step.placed is None else step.placed.of(state)
