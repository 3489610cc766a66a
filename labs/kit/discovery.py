"""Finds the labs: the modules of `labs/`, and a person's own in the folders that BENCHCARDS_LABS lists."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from labs.kit.lab import Lab
from labs.kit.usage import UsageError, did_you_mean

LABS = Path(__file__).resolve().parent.parent
_NO_LABS = {"worker"}
"""Modules of `labs/` that are no labs."""

Words = dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Fault:
    """A lab that can't be used: which file and why."""

    file: str
    message: str


@dataclass(frozen=True, slots=True)
class Found:
    labs: tuple[Lab, ...]
    faults: tuple[Fault, ...]


def lab_files() -> dict[str, Path]:
    """The file of each lab by name; of two with one name the first counts, ours before a person's own."""
    files: dict[str, Path] = {}
    for folder in (LABS, *own_folders()):
        for path in sorted(folder.glob("*.py")):
            if not path.stem.startswith("_") and not (folder == LABS and path.stem in _NO_LABS):
                files.setdefault(path.stem, path)
    return files


def own_folders() -> tuple[Path, ...]:
    """The folders of BENCHCARDS_LABS (as in PATH). Each holds `<name>.py` and `words/<name>.json`."""
    listed = os.environ.get("BENCHCARDS_LABS", "")
    return tuple(Path(part).expanduser().resolve() for part in listed.split(os.pathsep) if part)


def find_labs() -> Found:
    """Every lab, in order of name; a broken one is a fault while all others are there."""
    labs, faults = [], []
    for name in sorted(files := lab_files()):
        try:
            labs.append(_load(name, files[name]))
        except UsageError as error:
            faults.append(Fault(file=str(files[name]), message=str(error)))
    return Found(labs=tuple(labs), faults=tuple(faults))


def find_lab(name: str) -> Lab:
    """The lab of that name. Raises UsageError where there is none or it is broken."""
    files = lab_files()
    if name not in files:
        near = did_you_mean(name, files)
        raise UsageError(f"There is no lab {name}.{near} `python -m labs list` shows all of them.")
    return _load(name, files[name])


def words(name: str) -> Words:
    """The lab's words by language, the words of all labs among them. Raises UsageError."""
    path = lab_files()[name]
    merged: Words = {}
    for source in (LABS / "words" / "common.json", path.parent / "words" / f"{name}.json"):
        for language, texts in _read_words(source).items():
            merged.setdefault(language, {}).update(texts)
    return merged


def _read_words(path: Path) -> Mapping[str, Mapping[str, str]]:
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:  # a lab of one's own may do without: its codes are shown
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: {error}") from error
    if not isinstance(body, dict) or not all(
        isinstance(texts, dict) and all(isinstance(text, str) for text in texts.values())
        for texts in body.values()
    ):
        raise UsageError(f'{path}: must hold {{"en": {{key: text}}, …}}')
    return body


def _load(name: str, path: Path) -> Lab:
    try:
        module = importlib.import_module(f"labs.{name}") if path.parent == LABS else _module(name, path)
    except Exception as error:  # a lab is anybody's code: whatever it raises must not hide the others
        where = ":".join(map(str, _place(error, path)))
        raise UsageError(f"{where}: {type(error).__name__}: {_first_line(error)}") from error
    lab = getattr(module, "LAB", None)
    if not isinstance(lab, Lab):
        raise UsageError(f"{path}: has no constant LAB of type labs.kit.lab.Lab")
    if lab.name != name:
        raise UsageError(f"{path}: LAB.name is {lab.name}, it must be the file's name, {name}")
    return lab


def _module(name: str, path: Path) -> ModuleType:
    full_name = f"benchcards_own_labs.{name}"
    spec = importlib.util.spec_from_file_location(full_name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[full_name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[full_name]
        raise
    return module


def _place(error: Exception, path: Path) -> Iterator[str | int]:
    """The file and, where known, the line that the error stems from."""
    yield str(path)
    if isinstance(error, SyntaxError) and error.filename == str(path):
        yield error.lineno or 1
        return
    trace, line = error.__traceback__, None
    while trace:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    if line:
        yield line


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else "no message"
