"""Finding cards: texts folded for comparison, an index of them, and a language of conditions after Anki's."""

from engine.study.search.text import fold, plain_markdown, plain_text

__all__ = ["fold", "plain_markdown", "plain_text"]
