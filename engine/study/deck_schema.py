"""The shape of a deck file: one pydantic model that checks decks and writes the JSON Schema for editors.

`python -m engine.study.deck_schema` writes `cards/deck.schema.json`; a test holds that it is up to date.
The model sees text only (see `deck_tree`): numbers are read from text here.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    StringConstraints,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, PydanticCustomError

from engine.folders import project_folder

SLUG = r"^[a-z0-9]+(-[a-z0-9]+)*$"
CLAIM_ID = r"^[a-z0-9]+([-_][a-z0-9]+)*$"
KEY = r"^[a-z0-9]+([.-][a-z0-9]+)*$"
NAME = r"^[a-z][a-z0-9_]*$"

PATTERNS = {
    SLUG: "lowercase letters, digits and single hyphens, as in `vi-q1-torch-compile`",
    CLAIM_ID: "lowercase letters, digits and single hyphens, as in `decode-floor`",
    KEY: "lowercase letters, digits, hyphens and points, as in `h100-sxm` or `tinyllama-1.1b`",
    NAME: "lowercase letters, digits and underscores, beginning with a letter, as in `mbu_floor`",
}
"""What each pattern means, for the message."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def read_number(text: object) -> float:
    """A finite number from the text that stands in the deck."""
    if not isinstance(text, str):
        raise PydanticCustomError("deck_number", "must be a number, as in 4.8")
    cleaned = text.strip()
    if re.fullmatch(r"[+-]?\d+,\d+", cleaned):
        raise PydanticCustomError("deck_number", "must be a number with a decimal point: write 4.8, not 4,8")
    if not _NUMBER.fullmatch(cleaned):
        raise PydanticCustomError("deck_number", "must be a number alone, as in 4.8; its unit goes to `unit`")
    value = float(cleaned)
    if not math.isfinite(value):
        raise PydanticCustomError("deck_number", "is too large for a number")
    return value


def read_tolerance(text: object) -> float:
    """ "5%" or "0.05" as 0.05; above 0 and at most 1."""
    if not isinstance(text, str):
        raise PydanticCustomError("deck_tolerance", "must be a share, as in 5% or 0.05")
    cleaned = text.strip()
    value = read_number(cleaned[:-1]) / 100 if cleaned.endswith("%") else read_number(cleaned)
    if not 0 < value <= 1:
        raise PydanticCustomError("deck_tolerance", "must lie above 0 and at most 100 %, as in 5% or 0.05")
    return value


def _short(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


def _block(value: object) -> object:
    """A block's line ends are not part of the text; leading spaces are (Markdown code)."""
    return value.rstrip().lstrip("\n") if isinstance(value, str) else value


_SCALAR_TYPES = ["string", "number", "boolean"]
_SCALAR: dict[str, Any] = {"type": _SCALAR_TYPES}
"""An editor reads `55` as a number where the app reads the text that stands there."""

Line = Annotated[str, BeforeValidator(_short), StringConstraints(min_length=1, max_length=400)]
Loose = Annotated[Line, WithJsonSchema(_SCALAR)]
Markdown = Annotated[str, BeforeValidator(_block), StringConstraints(min_length=1, max_length=50_000)]
MarkdownLine = Annotated[Markdown, WithJsonSchema({**_SCALAR, "minLength": 1, "maxLength": 50_000})]
Slug = Annotated[str, StringConstraints(pattern=SLUG, max_length=100)]
ClaimId = Annotated[str, StringConstraints(pattern=CLAIM_ID, max_length=100)]
Key = Annotated[str, StringConstraints(pattern=KEY, max_length=60)]
Name = Annotated[str, StringConstraints(pattern=NAME, max_length=60)]
Number = Annotated[
    float,
    BeforeValidator(read_number),
    WithJsonSchema({"type": ["number", "string"], "pattern": rf"^\s*{_NUMBER.pattern}\s*$"}),
]
Tolerance = Annotated[
    float,
    BeforeValidator(read_tolerance),
    WithJsonSchema({"type": ["number", "string"], "pattern": rf"^\s*{_NUMBER.pattern}\s*%?\s*$"}),
]
LanguageName = Literal["vi", "zh", "en"]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)


class PointShape(_Shape):
    """One point of the answer. The points are ticked off one by one in a mock interview."""

    model_config = ConfigDict(title="Point")

    heading: MarkdownLine
    """The point in a few words (Markdown)."""
    text: MarkdownLine
    """What is to be said about it (Markdown with code, tables and $LaTeX$)."""


class FollowUpShape(_Shape):
    """The question that an interviewer asks next, with its answer."""

    model_config = ConfigDict(title="Follow-up")

    prompt: MarkdownLine
    """The question (Markdown)."""
    answer: MarkdownLine
    """Its answer (Markdown)."""


def _lab_from_name(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


class LabShape(_Shape):
    """A lab that shows this card's point, with the levers to set."""

    model_config = ConfigDict(title="Lab with levers")

    name: Name
    """The lab's name, as `python -m labs list` shows it."""
    set: dict[Name, Loose] = {}
    """Levers and their values, as in `{model: llama-3-8b}`."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The name alone is enough."""
        return {"anyOf": [{"type": "string", "pattern": NAME}, handler(core_schema)]}


Lab = Annotated[LabShape, BeforeValidator(_lab_from_name)]


class SourceShape(_Shape):
    """Where the card comes from."""

    model_config = ConfigDict(title="Source")

    document: Loose | None = None
    """The document's title; the deck's `document` where it is left out."""
    section: Loose
    """The section in it."""


class SaysShape(_Shape):
    """What the card states: one value, or a range from `low` to `high`."""

    model_config = ConfigDict(
        title="Says",
        json_schema_extra={"oneOf": [{"required": ["value"]}, {"required": ["low", "high"]}]},
    )

    value: Number | None = None
    """The number, as the card gives it."""
    low: Number | None = None
    """The lower end, where the card gives a range."""
    high: Number | None = None
    """The upper end, where the card gives a range."""
    unit: Annotated[str, BeforeValidator(_short), StringConstraints(max_length=40)]
    """Its unit: ms, us, s, GB, MiB, GB/s, TFLOP/s, FLOP/B, percent, token/s …; "" for a plain number."""
    on: Key | None = None
    """The hardware that the card speaks of, as in `h100-sxm`."""


class CorrectionShape(_Shape):
    """The right figure where the document's doesn't follow from its own inputs; the text stays."""

    model_config = ConfigDict(
        title="Correction",
        json_schema_extra={"oneOf": [{"required": ["value"]}, {"required": ["low", "high"]}]},
    )

    value: Number | None = None
    """The right number, as the formula gives it."""
    low: Number | None = None
    """The lower end of the right range."""
    high: Number | None = None
    """The upper end of the right range."""
    unit: Annotated[str, BeforeValidator(_short), StringConstraints(max_length=40)] | None = None
    """Its unit; that of `says` where it is left out."""
    reason: MarkdownLine
    """Why the card's figure is wrong, in the card's language."""


class MeasuredShape(_Shape):
    """The lab and metric that measure this claim."""

    model_config = ConfigDict(title="Measured by")

    lab: Name
    """The lab's name."""
    metric: Name
    """The metric's name, as in `ms_per_token`."""
    labels: dict[Name, Loose] = {}
    """The labels that pick the variant, as in `{mode: eager}`."""


class ClaimShape(_Shape):
    """A number on this card that a formula and a lab can check."""

    model_config = ConfigDict(
        title="Claim",
        json_schema_extra={
            "anyOf": [{"required": ["formula"]}, {"required": ["measured"]}, {"required": ["why_not"]}]
        },
    )

    id: ClaimId
    """Unique within the card."""
    label: Loose
    """What the number is, in the card's language."""
    says: SaysShape
    formula: Annotated[Line, StringConstraints(pattern=r"^[A-Za-z0-9_ .+\-*/(),\n]+$")] | None = None
    """Arithmetic (+ - * / ** min max) over named quantities, as in `weight_bytes / memory_bandwidth`."""
    model: Key | None = None
    """The model whose quantities the formula uses, as in `llama-3-8b`."""
    quantities: dict[Name, Loose] = {}
    """Further named quantities: with their unit, as in `{measured_step: 25 ms}`, or a formula over others."""
    tolerance: Tolerance = 0.05
    """How far a number may be off and still hold, as in `5%` (also what it is where left out)."""
    measured: MeasuredShape | None = None
    why_not: Loose | None = None
    """Why the number can be neither computed nor measured."""
    correction: CorrectionShape | None = None


class CardShape(_Shape):
    """One flashcard."""

    model_config = ConfigDict(title="Card")

    id: Slug
    """Stable for ever and unique over all decks: the review history hangs on it. Never change it."""
    kind: Literal["question", "self-test", "misconception", "term", "table", "exercise"]
    """What sort of card it is."""
    title: Loose
    """A short title, for lists and search."""
    language: LanguageName | None = None
    """The card's language; the deck's where it is left out."""
    priority: Literal["high", "normal"] = "normal"
    """High priority cards are asked first."""
    lessons: list[Loose] = []
    """The lessons it belongs to, as in `[55, 61]`."""
    topics: list[Slug] = []
    """Topics in English, for filters, as in `[torch-compile, mbu]`."""
    prompt: MarkdownLine
    """The question (Markdown with code, tables and $LaTeX$)."""
    answer: Annotated[list[PointShape], Field(min_length=1)]
    """The answer, point by point."""
    key_figures: list[MarkdownLine] = []
    """Numbers worth knowing by heart (Markdown)."""
    follow_ups: list[FollowUpShape] = []
    """What an interviewer asks next."""
    follows: Slug | None = None
    """The id of the card of this deck that it follows up; the two come on different days."""
    pitfall: MarkdownLine | None = None
    """What people get wrong (Markdown)."""
    labs: list[Lab] = []
    """Labs that show this card's point: a name, or a name with levers to set."""
    source: SourceShape | None = None
    claims: list[ClaimShape] = []
    """The numbers on this card that can be checked on hardware."""


class DeckShape(_Shape):
    """What the deck is."""

    model_config = ConfigDict(title="Deck")

    id: Slug
    """Stable and unique over all decks."""
    title: Loose
    """The deck's title, in its language."""
    language: LanguageName
    """The language of its cards, where a card names none: vi, zh or en."""
    description: MarkdownLine | None = None
    """What is in it, in a sentence or two."""
    document: Loose | None = None
    """The document that the cards come from, where a card names none."""
    quantities: dict[Name, Loose] = {}
    """Named quantities for the claims of all its cards, as in `{launch_cost: 40 us}`."""


class DeckFileShape(_Shape):
    """A deck of flashcards for Benchcards."""

    model_config = ConfigDict(title="Benchcards deck")

    deck: DeckShape
    cards: Annotated[list[CardShape], Field(min_length=1)]
    """The cards, in the order in which they are learnt."""


SHAPES: dict[tuple[str, ...], type[BaseModel]] = {
    (): DeckFileShape,
    ("deck",): DeckShape,
    ("cards",): CardShape,
    ("cards", "answer"): PointShape,
    ("cards", "follow_ups"): FollowUpShape,
    ("cards", "labs"): LabShape,
    ("cards", "source"): SourceShape,
    ("cards", "claims"): ClaimShape,
    ("cards", "claims", "says"): SaysShape,
    ("cards", "claims", "measured"): MeasuredShape,
    ("cards", "claims", "correction"): CorrectionShape,
}
"""The model at each place of the file (indexes left out): for messages that name the fields there."""


def json_schema() -> str:
    """The JSON Schema as the text that is committed: draft 7, which every editor's YAML support knows."""
    schema = DeckFileShape.model_json_schema()
    _tidy(schema)
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "description": "A deck of flashcards for Benchcards (see README.md beside this file)",
        **{key: value for key, value in schema.items() if key != "description"},
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _tidy(node: Any) -> None:
    """What an editor should not offer: null for a field left out, a name for every field a second time."""
    if isinstance(node, list):
        for item in node:
            _tidy(item)
        return
    if not isinstance(node, dict):
        return
    options = node.get("anyOf")
    if isinstance(options, list) and {"type": "null"} in options:
        options.remove({"type": "null"})
        if len(options) == 1:
            del node["anyOf"]
            node.update({key: value for key, value in options[0].items() if key not in node})
        if node.get("default", 0) is None:
            del node["default"]
    properties = node.get("properties")
    if isinstance(properties, dict):
        for field_schema in properties.values():
            field_schema.pop("title", None)
    for value in node.values():
        _tidy(value)


def schema_path() -> Path:
    """Where the schema is committed."""
    return project_folder() / "cards" / "deck.schema.json"


if __name__ == "__main__":
    schema_path().write_text(json_schema(), encoding="utf-8")
