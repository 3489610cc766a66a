"""Which texts hold which words, so that a piece of a word is looked for in each word once, not in each text.

A word is whatever stands between two spaces: in Chinese a whole run of signs. A piece without a space lies
within a word, and a phrase ends one word, holds others and begins a last one: so the words in their order say
exactly which texts hold it, and in which of their fields.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.study.numbering import Numbers

Mask = NDArray[np.bool_]
"""True for the positions (or numbers) that are meant."""

_FEW = 64
"""Words up to which their places are put together one by one."""
_AT_ONCE = 500_000
"""Places that are looked at before asking whether every text is found already."""
_SHORT = 10
"""A field is short where it holds one in so many of all words, or fewer."""
_SHORTEST = 2
"""A piece of so few letters stands in so many words that it is looked for everywhere at once."""
_KEPT = 16
"""Pieces whose words are kept: a search asks for each in the titles, too."""
_PLACE = np.int64(0xFFFFFFFF)


class Words:
    """The words of texts that are added in their order, and closed then.

    end, apart: what stands as a word after each text, and between its fields. filled: a row a text, whether
    each of its fields has a word.
    """

    def __init__(self, *, end: str, apart: str) -> None:
        self._numbers = Numbers()
        self._end, self._apart = self._numbers[end], self._numbers[apart]
        self._met: list[tuple[NDArray[np.int32], NDArray[np.int8], NDArray[np.int64], Mask]] = []
        self._words: NDArray[np.int32] = np.empty(0, np.int32)
        """The numbers of all words of all texts, in their order, with what stands between."""
        self._fields: NDArray[np.int8] = np.empty(0, np.int8)
        """The field of its text that each of them stands in."""
        self._texts: NDArray[np.int32] = np.empty(0, np.int32)
        """The text that each of them stands in."""
        self._begins: NDArray[np.int64] = np.empty(0, np.int64)
        """Where each text begins among them."""
        self._places: NDArray[np.int32] = np.empty(0, np.int32)
        """Where each word stands among them: those of the first word, then those of the second, …"""
        self._first: NDArray[np.int64] = np.zeros(1, np.int64)
        """Where the places of each word begin."""
        self._with = lru_cache(_KEPT)(self._words_with)
        self._in_short: dict[tuple[int, ...] | None, NDArray[np.int64]] = {}
        """Where the words of a field stand that has few of them in all, as titles have: to look at each takes
        less time than to look for all places of the words that are wanted."""
        self._lines = b""
        """The words by number, each on a line, in UTF-8, and where each begins."""
        self._line_begins: NDArray[np.int64] = np.empty(0, np.int64)
        self.filled: Mask = np.zeros((0, 0), bool)

    def add(self, words: Sequence[str]) -> None:
        """Adds the words of texts, `end` after each."""
        found = np.fromiter(map(self._numbers.__getitem__, words), np.int32, len(words))
        ends, new_field = found == self._end, found == self._apart
        places = np.cumsum(ends) - ends
        fields = np.cumsum(new_field)
        fields -= np.concatenate(([0], fields[ends]))[places]  # counted anew in each text
        is_word = ~(ends | new_field)
        filled = np.zeros((int(np.count_nonzero(ends)), int(fields.max(initial=0)) + 1), bool)
        filled[places[is_word], fields[is_word]] = True
        begins = np.concatenate(([0], np.flatnonzero(ends)[:-1] + 1))
        self._met.append((found, fields.astype(np.int8), begins, filled))

    def close(self) -> None:
        """Puts everything together: from now on it can be asked for."""
        if not self._met:
            return
        words, fields, begins, filled = zip(*self._met, strict=True)
        self._met = []
        lengths = np.cumsum([0, *map(len, words)])
        self._words, self._fields = np.concatenate(words), np.concatenate(fields)
        self._begins = np.concatenate([each + before for each, before in zip(begins, lengths, strict=False)])
        self._texts = np.repeat(
            np.arange(len(self._begins), dtype=np.int32), np.diff(self._begins, append=len(self._words))
        )
        # a number and a place in one: numbers that are sorted as they are take a tenth of the time
        both = self._words.astype(np.int64) << 32
        both += np.arange(len(both))
        both.sort()
        self._places = (both & _PLACE).astype(np.int32)
        self._first = np.searchsorted(both >> 32, np.arange(len(self._numbers) + 1))
        lines = [*map(_encoded, self._numbers)]
        self._lines = b"\n".join([b"", *lines, b""])
        self._line_begins = np.cumsum([1, *(len(line) + 1 for line in lines)])[:-1]
        many = np.bincount(self._fields, minlength=1)
        short = np.flatnonzero((many > 0) & (many * _SHORT <= len(self._fields))).tolist()
        self._in_short = {(field,): np.flatnonzero(self._fields == field) for field in short}
        most = max(each.shape[1] for each in filled)
        padded = [np.pad(each, ((0, 0), (0, most - each.shape[1]))) for each in filled]
        self.filled = np.concatenate(padded)

    def holding(self, piece: str, fields: tuple[int, ...] | None = None) -> Mask:
        """The texts that hold a piece of folded text (or one of whose fields does)."""
        if " " not in piece:
            return self._following([self._with(piece)], fields)
        first, *between, last = piece.split(" ")
        wanted = [self._with(f"{first}\n")] if first else []
        wanted += [self._with(f"\n{whole}\n") for whole in between]
        wanted += [self._with(f"\n{last}")] if last else []
        return self._following(wanted, fields)

    def matching(self, pattern: re.Pattern[str], literal: str, fields: tuple[int, ...] | None = None) -> Mask:
        """The texts (or fields) with a word in which the regular expression finds something.

        literal: what every such word holds.
        """
        found = self._with(literal).copy()
        words = [*self._numbers] if found.any() else []
        for number in np.flatnonzero(found).tolist():
            found[number] = pattern.search(words[number]) is not None
        return self._following([found], fields)

    def _words_with(self, piece: str) -> Mask:
        """The words, by number, that hold a piece; a line's end in it stands for the word's."""
        wanted = _encoded(piece)
        if len(piece) <= _SHORTEST and "\n" not in piece:
            signs = np.frombuffer(self._lines, np.uint8)
            held = np.ones(max(0, len(signs) - len(wanted) + 1), bool)
            for shift, sign in enumerate(wanted):
                held &= signs[shift : shift + len(held)] == sign
            at_words = np.flatnonzero(held)
        else:
            at = [match.start() for match in re.finditer(re.escape(wanted), self._lines)]
            # a match that begins with the end of the word before belongs to the next
            at_words = np.array(at, np.int64) + piece.startswith("\n")
        found = np.zeros(len(self._numbers), bool)
        found[np.searchsorted(self._line_begins, at_words, side="right") - 1] = True
        found[[self._end, self._apart]] = False
        return found

    def _following(self, wanted: Sequence[Mask], fields: tuple[int, ...] | None) -> Mask:
        """The texts in which a word of each of these sets follows one of the set before, within a field."""
        found = np.zeros(len(self._begins), bool)
        if not wanted or not len(self._words):
            return ~found
        if fields in self._in_short:
            found[self._texts[self._where(wanted, self._in_short[fields])]] = True
            return found
        lengths = np.diff(self._first)
        rarest = min(range(len(wanted)), key=lambda which: int(lengths[wanted[which]].sum()))
        words = np.flatnonzero(wanted[rarest])
        words = words[np.argsort(-lengths[words], kind="stable")]
        done = np.cumsum(lengths[words]) // _AT_ONCE  # the most frequent first: most texts are found by them
        for some in np.split(words, np.flatnonzero(np.diff(done)) + 1):
            at = self._of_words(some) - rarest
            for shift, each in enumerate(wanted):
                if shift != rarest:
                    at = at[(at + shift >= 0) & (at + shift < len(self._words))]
                    at = at[each[self._words[at + shift]]]
            if fields is not None:
                chosen = np.zeros(128, bool)
                chosen[list(fields)] = True
                at = at[chosen[self._fields[at]]]
            found[self._texts[at]] = True
            if found.all():
                break
        return found

    def _where(self, wanted: Sequence[Mask], at: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of the places at which a word of each of these sets follows one of the set before."""
        for shift, each in enumerate(wanted):
            at = at[at + shift < len(self._words)]
            at = at[each[self._words[at + shift]]]
        return at

    def _of_words(self, words: NDArray[np.intp]) -> NDArray[np.int64]:
        """Where these words stand."""
        begins, ends = self._first[words], self._first[words + 1]
        if len(words) <= _FEW:
            several = [self._places[begin:end] for begin, end in zip(begins, ends, strict=True)]
            return np.concatenate([np.empty(0, np.int32), *several]).astype(np.int64)
        lengths = ends - begins
        shift = np.repeat(begins - (np.cumsum(lengths) - lengths), lengths)
        return self._places[shift + np.arange(len(shift))].astype(np.int64)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
