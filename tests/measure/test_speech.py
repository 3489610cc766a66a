"""Recordings turned into text by a process of its own, followed by the app."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.measure.speech import Hearing, SpeechToText
from tests.labs.tiny_whisper import save_model, write_wav

PATIENCE_S = 120.0


@pytest.fixture
def speech() -> Iterator[SpeechToText]:
    made = SpeechToText()
    yield made
    made.close()


def ended(speech: SpeechToText, name: str = "one") -> Hearing:
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        hearing = speech.look(name)
        if hearing is not None and hearing.status != "running":
            return hearing
        time.sleep(0.02)
    raise AssertionError("it never ended")


def test_the_text_is_handed_over_once_and_then_said_to_be_done(speech: SpeechToText, tmp_path: Path) -> None:
    save_model(tmp_path / "model")
    recording = write_wav(tmp_path / "answer.wav", 1.0)
    heard: list[str] = []
    for _ in range(3):  # a click too many begins nothing
        speech.start(
            "one", recording, model=str(tmp_path / "model"), language="zh", device="cpu", then=heard.append
        )
    hearing = ended(speech)
    assert hearing.status == "done"
    assert heard == [hearing.text]
    assert hearing.share == 1.0


def test_what_went_wrong_is_said_and_nothing_is_handed_over(speech: SpeechToText, tmp_path: Path) -> None:
    recording = tmp_path / "answer.wav"
    recording.write_bytes(b"no sound")
    heard: list[str] = []
    speech.start("one", recording, model="x", language="en", then=heard.append)
    hearing = ended(speech)
    assert (hearing.status, hearing.code, heard) == ("failed", "unsupported", [])
    assert "answer.wav" in hearing.message
    speech.forget("one")
    assert speech.look("one") is None


def test_a_text_that_cannot_be_kept_is_a_failure(speech: SpeechToText, tmp_path: Path) -> None:
    def full(_text: str) -> None:
        raise OSError("the disk is full")

    silent = write_wav(tmp_path / "silent.wav", 0.5, loud=0.0)
    speech.start("one", silent, model="x", language="en", then=full)
    hearing = ended(speech)
    assert (hearing.status, hearing.message) == ("failed", "the disk is full")


def test_one_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    speech = SpeechToText(longest_s=0.05)
    recording = write_wav(tmp_path / "answer.wav", 1.0)
    speech.start("one", recording, model="/no/such/folder", language="en", then=lambda _: None)
    assert (ended(speech).status, ended(speech).code) == ("failed", "timeout")


def test_closing_ends_what_is_under_way(tmp_path: Path) -> None:
    speech = SpeechToText()
    recording = write_wav(tmp_path / "answer.wav", 1.0)
    speech.start("one", recording, model="/no/such/folder", language="en", then=lambda _: None)
    threading.Thread(target=speech.close).start()
    assert ended(speech).status == "failed"
