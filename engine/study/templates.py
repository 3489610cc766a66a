"""Cards to begin with: a text for each sort and language, in `cards/templates/`, to be written over."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, get_args

from engine.folders import project_folder
from engine.study.card import Language
from engine.study.deck_edit import new_card_id
from engine.study.deck_emit import scalar
from engine.study.deck_spans import spots

Template = Literal["question", "misconception", "term", "claim"]
TEMPLATES: tuple[Template, ...] = get_args(Template)
"""`claim` is a question with a number that a formula and a lab check; `term` is for a glossary."""


def template(
    name: Template, language: Language, *, deck_id: str, taken: Collection[str], title: str | None = None
) -> str:
    """The YAML of a card to begin with, as `deck_edit.card_text` has it, with an id that no card has.

    title: takes the place of the template's own.
    """
    file = project_folder() / "cards" / "templates" / f"{name}.{language}.yaml"
    text = file.read_text(encoding="utf-8")
    spot = spots(text).at(("title",))
    if title is not None:
        text = text[: spot.start] + scalar(title, 0) + text[spot.end :]
    card_id = new_card_id(title or str(spot.value), deck_id, taken)
    return f"id: {card_id}  # {_NEVER[language]}\n{text}"


_NEVER: dict[Language, str] = {
    "en": "stable for ever: the review history hangs on it",
    "vi": "giữ nguyên mãi: lịch sử ôn tập gắn với nó",
    "zh": "永远不变：复习记录挂在它上面",
}
