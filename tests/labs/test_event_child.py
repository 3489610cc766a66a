"""Parts of a lab in processes of their own: they report, and none outlives the lab."""

from __future__ import annotations

import subprocess
import sys

import psutil
import pytest

from engine.folders import project_folder
from engine.measure.events import Log, Metric
from engine.measure.processes import identity
from labs.kit.event_child import events_of
from labs.kit.lab import LabFailed

ODD = "tests.labs.odd_children"


def test_events_come_through_and_other_lines_are_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODD_SETTING", "1")
    pid, text, setting = list(events_of(ODD, ["speaks"], set_to={}, without=["ODD_SETTING"]))
    assert isinstance(pid, Metric)
    assert text == Log("not an event")
    assert setting == Metric("setting", 0.0, "")
    assert list(events_of(ODD, ["speaks"], set_to={"ODD_SETTING": "2"}))[-1] == Metric("setting", 1.0, "")


@pytest.mark.parametrize(("how", "said"), [("fails", "exit code 1"), ("killed", "SIGKILL")])
def test_a_child_that_ends_badly_fails_the_lab_with_a_reason(how: str, said: str) -> None:
    with pytest.raises(LabFailed, match=said) as failure:
        list(events_of(ODD, [how], set_to={}))
    assert failure.value.code == "crashed"


@pytest.mark.parametrize("how", ["hangs", "stubborn"])
def test_a_child_is_gone_when_nobody_listens_any_more(how: str) -> None:
    events = events_of(ODD, [how], set_to={})
    first = next(events)
    assert isinstance(first, Metric)
    child = identity(int(first.value))
    assert child is not None
    events.close()  # type: ignore[attr-defined]  # it is a generator: closing it is what a cancelled lab does
    assert not child.is_alive()


def test_a_child_ends_with_a_lab_that_was_killed() -> None:
    program = (
        "from labs.kit.event_child import events_of\n"
        f"for event in events_of({ODD!r}, ['stubborn'], set_to={{}}):\n"
        "    print(int(getattr(event, 'value', 0)), flush=True)\n"
    )
    lab = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=project_folder()
    )
    assert lab.stdout is not None
    child = psutil.Process(int(lab.stdout.readline()))
    lab.kill()
    lab.wait()
    lab.stdout.close()
    gone, alive = psutil.wait_procs([child], timeout=30)
    assert (len(gone), alive) == (1, [])
