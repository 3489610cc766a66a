"""What the learner predicted, beside what it is compared with now."""

from __future__ import annotations

from app_pages import context
from engine.claims import predictions
from engine.claims.calibration import Compared, compare
from engine.claims.sources import this_hardware


def compared() -> tuple[Compared, ...]:
    """Every prediction that counts, oldest first."""
    made = predictions.counting(context.store())
    if not made:
        return ()
    this = this_hardware(context.house().data)
    return compare(made, context.library(), context.claim_results(), this)


def made_by_claim(card_id: str | None = None) -> dict[tuple[str, str], Compared]:
    """The newest prediction of each claim, by card and claim id; of one card or of all."""
    made = predictions.counting(context.store(), card_id)
    newest = {(each.card_id, each.claim_id): each for each in made}
    if not newest:
        return {}
    this = this_hardware(context.house().data)
    found = compare(newest.values(), context.library(), context.claim_results(), this)
    return {(each.prediction.card_id, each.prediction.claim_id): each for each in found}
