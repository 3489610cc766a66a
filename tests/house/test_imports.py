"""Who may import whom: the table of the house, held by reading every file's imports."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WEB = ("streamlit", "app_pages", "app")
TORCH = ("torch", "transformers", "triton")

NEVER: dict[str, tuple[str, ...]] = {
    "app.py": (*TORCH, "labs"),
    "serve.py": (*TORCH, "labs"),
    "app_pages": (*TORCH, "labs"),
    "engine": (*WEB, *TORCH, "labs"),
    "engine/study": ("engine.measure", "engine.claims", "engine.interview"),
    "engine/measure": ("engine.study", "engine.claims", "engine.interview"),
    "engine/claims": ("engine.interview",),
    "engine/interview": ("engine.measure",),
    "engine/store": ("engine.study", "engine.measure", "engine.claims", "engine.interview"),
    "labs": (*WEB, "engine.study", "engine.claims", "engine.interview", "engine.store"),
}


def imported(file: Path) -> list[tuple[int, str]]:
    """Every module a file imports, with the line, wherever in the file the import stands."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno}: import by full name"
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return found


def files_of(room: str) -> list[Path]:
    place = ROOT / room
    return [place] if place.is_file() else sorted(place.rglob("*.py"))


@pytest.mark.parametrize("room", NEVER)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    files = files_of(room)
    assert files, f"{room} has no Python file: the table of this test is out of date"
    wrong = [
        f"{file.relative_to(ROOT)}:{line}: imports {module}"
        for file in files
        for line, module in imported(file)
        if any(module == barred or module.startswith(barred + ".") for barred in NEVER[room])
    ]
    assert not wrong, "\n".join(wrong)


def test_labs_use_no_more_of_the_engine_than_measuring_needs() -> None:
    allowed = ("engine.measure", "engine.folders", "engine.faults")
    wrong = [
        f"{file.relative_to(ROOT)}:{line}: imports {module}"
        for file in files_of("labs")
        for line, module in imported(file)
        if module.split(".")[0] == "engine" and not module.startswith(allowed)
    ]
    assert not wrong, "\n".join(wrong)
    runs = ("engine.measure.runs", "engine.measure.catalogue")
    assert not [m for f in files_of("labs") for _, m in imported(f) if m.startswith(runs)]
