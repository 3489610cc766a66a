"""Finding cards: texts folded for comparison, an index of them, and a language of conditions after Anki's."""

from engine.study.search.index import SearchIndex, index_of, search
from engine.study.search.text import fold, plain_markdown, plain_text

__all__ = ["SearchIndex", "fold", "index_of", "plain_markdown", "plain_text", "search"]
