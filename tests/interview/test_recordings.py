"""Recordings are their owner's alone, written whole, and gone when deleted."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from engine.interview.fault import InterviewError
from engine.interview.recordings import Recordings
from engine.interview.speech_model import load, save
from engine.store import Store


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_only_the_owner_may_read_them(tmp_path: Path) -> None:
    kept = Recordings(tmp_path)
    kept.keep("0123456789", "1-answer.wav", b"sound")
    path = kept.path("0123456789", "1-answer.wav")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert kept.read("0123456789", "1-answer.wav") == b"sound"


def test_a_failed_write_leaves_the_earlier_recording_and_says_why(tmp_path: Path) -> None:
    kept = Recordings(tmp_path)
    kept.keep("0123456789", "1-answer.wav", b"first")
    (kept.path("0123456789", "1-answer.wav.partial")).mkdir()  # something is in the way
    with pytest.raises(InterviewError, match="can't be kept"):
        kept.keep("0123456789", "1-answer.wav", b"second")
    assert kept.read("0123456789", "1-answer.wav") == b"first"


def test_an_id_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    with pytest.raises(InterviewError, match="no interview's id"):
        Recordings(tmp_path).keep("../../elsewhere", "x.wav", b"")


def test_deleting_what_is_gone_is_no_fault(tmp_path: Path) -> None:
    kept = Recordings(tmp_path)
    kept.delete("0123456789", "1-answer.wav")
    kept.delete_all("0123456789")
    assert kept.read("0123456789", "1-answer.wav") is None


def test_the_model_is_a_folder_with_a_config_or_a_hub_name(store: Store, tmp_path: Path) -> None:
    assert load(store) is None
    save(store, "openai/whisper-small")
    assert load(store) == "openai/whisper-small"
    for wrong in (str(tmp_path), "/no/such/folder", "~nobody-has-this-name", "a b", "../x", "a/b/c"):
        with pytest.raises(InterviewError, match="neither a folder"):
            save(store, wrong)
    assert load(store) == "openai/whisper-small"
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    save(store, f" {tmp_path} ")
    assert load(store) == str(tmp_path)
    save(store, "")
    assert load(store) is None
