"""What can be wrong with a search."""

from __future__ import annotations

from engine.study.faults import StudyError


class SearchFault(StudyError):
    """A search that can't be understood: what is wrong and the way out.

    code, args: for the interface, in the reader's language. Codes: `open_quote` {}, `open_bracket` {},
    `no_bracket` {}, `empty_bracket` {}, `no_operand` {word}, `unknown_key` {key, known, text},
    `not_here` {key, known}, `no_value` {key}, `unknown_choice` {key, value, known},
    `bad_property` {text, known}, `bad_number` {text}, `whole_days` {}, `difficulty_range` {},
    `bad_days` {key, text}, `bad_rating` {text}, `unknown_deck` {value, known}, `too_long` {most},
    `too_deep` {}.
    """

    def __init__(self, code: str, message: str, **args: str) -> None:
        self.code = code
        self.args_of = args
        super().__init__(message)
