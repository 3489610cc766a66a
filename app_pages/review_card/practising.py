"""Answers outside the schedule that the review page sends: kept in the store under their sitting."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from engine.store import Store
from engine.study import practice
from engine.study.answer import Answer
from engine.study.practice import Practised
from engine.study.refused import Refused
from engine.study.study_day import from_ms


@dataclass(frozen=True, slots=True)
class Practising:
    """Keeps a sitting's answers. Raises StoreError, UnknownZone."""

    store: Store

    def answer(self, sitting: str, answer: Answer) -> Practised | Refused:
        return practice.answer(
            self.store,
            sitting,
            answer.card_id,
            answer.rating,
            nonce=answer.nonce,
            now=from_ms(answer.answered_at_ms),
            zone=answer.zone,
            answer_ms=answer.answer_ms,
        )

    def undo(self, sitting: str, nonce: str, *, now: datetime, zone: str) -> Practised | Refused:
        return practice.undo(self.store, sitting, nonce=nonce, now=now, zone=zone)
