"""Predictions that the review page sends: kept in the store, or refused in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from app_pages.numbers import unit_sign
from app_pages.review_card.talk import Refusal
from engine.claims import as_if
from engine.store import Store
from engine.study.card import Library


@dataclass(frozen=True, slots=True)
class Predicting:
    """Whose predictions these are: their store, decks, language, zone, and the GPU picked "as if on".

    library: looks at the decks, which costs time: not before somebody predicts.
    """

    store: Store
    library: Callable[[], Library]
    language: str
    zone: str
    picked: str | None

    def carry_out(self, op: Mapping[str, Any], now: datetime) -> Refusal | None:
        """Keeps the prediction in an operation of the client. None: it is on disk. Raises StoreError."""
        from engine.claims.predictions import PredictionRefused, predict  # imports pint: once one predicts

        nonce, card_id, claim_id, text = (op.get(name) for name in ("nonce", "card_id", "claim_id", "text"))
        card = self.library().by_id.get(card_id) if isinstance(card_id, str) else None
        claim = next((each for each in card.claims if each.id == claim_id), None) if card else None
        if card is None or claim is None or not isinstance(text, str):
            return Refusal(str(nonce), "malformed_prediction")
        try:
            predict(
                self.store,
                card,
                claim,
                text,
                nonce=str(nonce),
                language=self.language,
                gpu=as_if.target(self.picked, claim),
                now=now,
                zone=self.zone,
            )
        except PredictionRefused as refused:
            args = dict(refused.args_of_code)
            code = code_of(refused.code, args)
            if "unit" in args:
                args["unit"] = unit_sign(str(args["unit"]))
            if "at_ms" in args:
                seen = datetime.fromtimestamp(int(args["at_ms"]) / 1000, UTC).astimezone(ZoneInfo(self.zone))
                args["time"] = f"{seen:%H:%M}"
            return Refusal(str(nonce), code, card.id, args)
        return None


def code_of(code: str, args: Mapping[str, str | int]) -> str:
    """The code of a refusal as the words know it: `predict.no_number`, `predict.seen.chart`."""
    if code == "seen":
        return f"predict.seen.{args['where']}"
    return "predict.wrong_unit.count" if code == "wrong_unit" and not args["unit"] else f"predict.{code}"
