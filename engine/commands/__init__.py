"""The subcommands of `python -m engine`, one module each.

A module has `add_arguments(parser)` and `run(arguments) -> int` (the exit code: 0 done, 1 faults found,
2 wrong usage). It is imported only when its command is called.
"""

from __future__ import annotations

from typing import NamedTuple


class Command(NamedTuple):
    """A subcommand: its name, a line for `--help`, and the module that does it.

    `at_once`: it leaves nothing to be closed behind it, so the process ends without taking its memory apart.
    """

    name: str
    summary: str
    module: str
    at_once: bool = False


COMMANDS = (
    Command("check", "check decks and say what is wrong where", "engine.commands.check"),
    Command(
        "claims",
        "what each card's numbers become on this GPU, and what was measured",
        "engine.commands.claims",
    ),
    Command(
        "import-result",
        "take a lab's result from another machine into the record",
        "engine.commands.import_result",
    ),
    Command(
        "export",
        "write reviews, predictions, notes, settings and your own decks out",
        "engine.commands.export",
    ),
    Command(
        "import",
        "take such a file, or notes in Markdown or TSV, in: nothing twice, all or nothing",
        "engine.commands.take_in",
    ),
    Command("fit", "fit the schedule to your own answers, and say whether it helps", "engine.commands.fit"),
    Command("move-data", "move the data folder to another place", "engine.commands.move_data"),
    Command("new", "write a card to begin with into a deck of your own", "engine.commands.new"),
    Command("analyse", "say what a trace, snapshot or report shows", "engine.commands.analyse", at_once=True),
)
