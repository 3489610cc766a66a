"""The warm parent: labs that start at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engine.measure.events import Event, Failed, Finished, Metric, Progress, Started
from engine.measure.processes import Family
from engine.measure.tail import EventFile
from engine.measure.warm import Child, PlainChild, WarmParent
from tests.labs.helpers import ODD_LABS
from tests.measure.waiting import gone, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="labs are forked on Linux only")


@pytest.fixture(scope="module")
def parent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmParent]:
    """One for all: loading torch takes seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHCARDS_LABS", str(ODD_LABS))
        started = WarmParent(tmp_path_factory.mktemp("parent") / "parent.log")
        until(lambda: started.listen() and started.is_ready)
        yield started
        started.close()


def start(parent: WarmParent, tmp_path: Path, lab: str, *options: str) -> Child:
    child = parent.start(
        f"{lab} in {tmp_path}",
        ["run", lab, "--events", f"--artifacts={tmp_path / 'artifacts'}", *options],
        tmp_path / "events.jsonl",
        tmp_path / "log.txt",
    )
    assert child is not None
    return child


def seen(tmp_path: Path) -> list[Event]:
    return [item for item in EventFile(tmp_path / "events.jsonl").read() if not isinstance(item, str)]


def ended(child: Child) -> int:
    [code] = until(lambda: None if (code := child.poll()) is None else [code])
    return code


def test_a_forked_lab_has_torch_no_gpu_context_and_a_session_of_its_own(
    parent: WarmParent, tmp_path: Path
) -> None:
    child = start(parent, tmp_path, "tells")
    assert ended(child) == 0
    told = {event.name: event.value for event in seen(tmp_path) if isinstance(event, Metric)}
    assert told["torch_loaded"] == 1
    assert told["gpu_context"] == 0
    assert told["leads_session"] == 1
    assert told["parent"] != os.getpid()
    assert told["sockets"] == 0


def test_torch_computes_in_a_forked_lab(parent: WarmParent, tmp_path: Path) -> None:
    assert ended(start(parent, tmp_path, "fast_torch", "--device=cpu")) == 0
    assert [event.value for event in seen(tmp_path) if isinstance(event, Metric)] == [512.0]


def test_the_first_events_come_before_torch_is_needed(parent: WarmParent, tmp_path: Path) -> None:
    ended(start(parent, tmp_path, "fast_torch", "--device=cpu"))
    kinds = [event for event in seen(tmp_path) if isinstance(event, Started | Progress | Finished)]
    assert isinstance(kinds[0], Started)
    assert [event.label for event in kinds if isinstance(event, Progress)] == ["loading_torch", "multiplying"]


def test_a_fresh_process_says_what_it_does_before_it_loads_torch(tmp_path: Path, odd_labs: None) -> None:
    child = PlainChild(
        ["run", "fast_torch", "--device=cpu", "--events", f"--artifacts={tmp_path / 'artifacts'}"],
        tmp_path / "events.jsonl",
        tmp_path / "log.txt",
    )
    until(lambda: len(seen(tmp_path)) >= 2)
    assert [type(event) for event in seen(tmp_path)[:2]] == [Started, Progress]
    assert ended(child) == 0


@pytest.mark.parametrize(
    ("lab", "code"), [("counts", 0), ("raises", 1), ("aborts", -6), ("killed", -9), ("exits", 7)]
)
def test_the_return_code_of_a_forked_lab_is_told(
    parent: WarmParent, tmp_path: Path, lab: str, code: int
) -> None:
    assert ended(start(parent, tmp_path, lab)) == code


def test_several_labs_run_from_one_parent(parent: WarmParent, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    children = [start(parent, folders[0], "hangs"), start(parent, folders[1], "counts")]
    assert ended(children[1]) == 0
    until(lambda: any(isinstance(event, Progress) for event in seen(folders[0])))
    Family(children[0].identity).end(hard=False)
    assert ended(children[0]) == 1
    assert seen(folders[0])[-1] == Failed(code="cancelled", message="The run was cancelled.")


def test_the_parent_ends_when_the_app_closes_its_end_and_its_labs_live_on(
    tmp_path: Path, odd_labs: None
) -> None:
    parent = WarmParent(tmp_path / "parent.log")
    until(lambda: parent.listen() and parent.is_ready)
    child = start(parent, tmp_path, "hangs")
    until(lambda: any(isinstance(event, Progress) for event in seen(tmp_path)))
    helper = psutil.Process(child.identity.pid).parent()
    assert helper is not None
    parent._channel.close()  # as the system does when the app is killed
    assert parent._process.wait(timeout=60) == 0
    assert child.identity.is_alive()
    Family(child.identity).end(hard=True)
    gone(child.identity)
