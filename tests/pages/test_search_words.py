"""The examples of the help find what they say can be written, and every fault has words in each language."""

from __future__ import annotations

import re

import pytest

from app_pages.context import LANGUAGES
from app_pages.search_words import EXAMPLES
from app_pages.words import catalogue
from engine.study.search import faults
from engine.study.search.parse import parse


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_every_example_can_be_read(name: str, example: str) -> None:
    parse(example)
    for language in LANGUAGES:
        assert f"browse.help.{name}" in catalogue(language)


def test_every_fault_has_words() -> None:
    documented = re.findall(r"`(\w+)` \{([^}]*)\}", faults.SearchFault.__doc__ or "")
    assert len(documented) > 15
    for language in LANGUAGES:
        for code, args in documented:
            given = {name.strip(): "x" for name in args.split(",") if name.strip()}
            assert catalogue(language)[f"browse.fault.{code}"].format(**given)
