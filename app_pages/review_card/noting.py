"""Lines for the mistake notebook that the review page sends: kept in the store, or refused in words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app_pages.review_card.talk import Refusal
from engine.store import Store
from engine.study.notebook import TIP, NotebookRefused, entries, write


@dataclass(frozen=True, slots=True)
class Noting:
    """Whose lines these are: their store and zone."""

    store: Store
    zone: str

    def carry_out(self, op: Mapping[str, Any], now: datetime) -> Refusal | None:
        """Keeps the line in an operation of the client. None: it is on disk. Raises StoreError."""
        nonce, card_id, kind = (op.get(name) for name in ("nonce", "card_id", "kind"))
        text, about = op.get("text", ""), op.get("about", "")
        texts = all(isinstance(each, str) for each in (nonce, card_id, text, about))
        if not texts or kind not in ("note", "again"):
            return Refusal(str(nonce), "line", args={"reason": "malformed"})
        try:
            write(
                self.store,
                str(card_id),
                "note" if kind == "note" else "again",
                nonce=str(nonce),
                now=now,
                zone=self.zone,
                text=str(text),
                about=str(about),
            )
        except NotebookRefused as refused:
            return Refusal(str(nonce), "line", str(card_id), {"reason": refused.code})
        return None


def open_lines(store: Store, card_ids: Collection[str]) -> dict[str, list[dict[str, Any]]]:
    """The learner's open lines of these cards, for the component; a card's own pitfall stands on its face."""
    return {
        card_id: [
            {"nonce": line.nonce, "text": line.text, "times": line.times}
            for line in lines
            if not line.settled and line.nonce != TIP
        ]
        for card_id, lines in entries(store, card_ids).items()
    }
