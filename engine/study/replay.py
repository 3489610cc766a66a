"""A card's state from its answers alone, also where the answers of two machines were merged.

The order is that of the instants, whatever version an answer was given (versions only say which showing was
answered, on the machine of the answer). As long as each answer was given on the state that the ones before it
lead to, its own outcome counts: that is the interval that was shown. An answer that was given elsewhere, on a
state that knew nothing of the ones before it, is scheduled anew with its rating, its day and its scheduler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.study.card_state import NEW, CardState
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
    resets_ms: Iterable[int] = (),
) -> CardState:
    """The state of the one card that `answers` are of, those taken back passed over.

    scheduler: what the scheduler with a fingerprint was set to. resets_ms: the instants (UTC ms) at which
    the card was made new again; an answer of the same instant came after it.
    """
    state = NEW
    resets = sorted(resets_ms)
    for answer in sorted(answers, key=order):
        if answer.undone:
            continue
        while resets and resets[0] <= answer.reviewed_at_ms:
            resets.pop(0)
            state = NEW
        if answer.state_before == state:
            state = answer.state_after
            continue
        day, study_day = answer.shown_day, answer.study_day
        if state.last_study_day is not None:  # two machines may have stood in two time zones
            day, study_day = max(day, state.last_study_day), max(study_day, state.last_study_day)
        ways = transitions(answer.card_id, state, day, scheduler(answer.scheduler))
        chosen = ways[answer.rating - 1]
        state = after(state, chosen, reviewed_at_ms=answer.reviewed_at_ms, study_day=study_day)
    return NEW if resets else state
