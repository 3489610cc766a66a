"""Processes by number and start time."""

from __future__ import annotations

import os
import subprocess
import sys

import psutil
import pytest

from engine.measure.processes import Family, Identity, identity, signal_name, this_process
from tests.measure.waiting import gone, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="groups and zombies are POSIX")

GRANDCHILD = "import signal; signal.pause()"
FAMILY = f"""
import os, subprocess, sys, signal
subprocess.Popen([sys.executable, '-c', '{GRANDCHILD}'])
subprocess.Popen([sys.executable, '-c', '{GRANDCHILD}'], start_new_session=True)
print(flush=True)
signal.pause()
"""


def test_this_process_is_alive_and_an_earlier_one_of_its_number_is_not() -> None:
    me = this_process()
    assert me.pid == os.getpid()
    assert me.is_alive()
    assert not Identity(pid=me.pid, started=me.started - 1).is_alive()


def test_a_zombie_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        until(lambda: psutil.Process(child.pid).status() == psutil.STATUS_ZOMBIE)
        assert identity(child.pid) is None


def test_a_family_is_ended_with_those_that_left_the_group() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", FAMILY], stdout=subprocess.PIPE, start_new_session=True
    ) as leader:
        assert leader.stdout
        leader.stdout.readline()
        family = Family(until(lambda: identity(leader.pid)))
        members = family.members()
        assert len(members) == 3
        family.end(hard=True)
    for member in members:
        gone(member)
    assert family.members() == []


def test_a_group_outlives_its_leader_and_is_still_found() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", FAMILY], stdout=subprocess.PIPE, start_new_session=True
    ) as leader:
        assert leader.stdout
        leader.stdout.readline()
        family = Family(until(lambda: identity(leader.pid)))
        outside = [member for member in family.members() if os.getsid(member.pid) != leader.pid]
        leader.kill()
        leader.wait()
    assert len(family.members()) == 2
    unseen = Family(family.leader)
    assert len(unseen.members()) == 1
    family.end(hard=True)
    until(lambda: not family.members())
    for member in outside:
        gone(member)


def test_signals_have_names() -> None:
    assert signal_name(9) == "SIGKILL"
    assert signal_name(99) == "signal 99"
