"""Speech to text: a tiny Whisper model saved to disk is loaded and decodes generated sound."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.measure.events import Event, Failed, Finding, Finished, Progress, Started, from_line
from labs.kit import sound, transcribe
from tests.labs.tiny_whisper import save_model, write_wav

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whisper")
    save_model(folder)
    return folder


def command(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "labs.kit.transcribe", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=170,
        check=False,
        **options,
    )


def events_of(done: subprocess.CompletedProcess[str]) -> list[Event]:
    events = [from_line(line) for line in done.stdout.splitlines()]
    assert None not in events, done.stdout
    return [event for event in events if event is not None]


def test_a_saved_model_is_loaded_and_its_text_comes_as_an_event(model: Path, tmp_path: Path) -> None:
    recording = write_wav(tmp_path / "answer.wav", 3.0)
    done = command(recording, "--model", model, "--language", "vi", "--device", "cpu")
    events = events_of(done)
    assert done.returncode == 0, done.stderr
    assert isinstance(events[0], Started)
    assert [event.label for event in events if isinstance(event, Progress)][:2] == [
        "loading_torch",
        "loading_model",
    ]
    (found,) = [event for event in events if isinstance(event, Finding)]
    assert found.code == "transcript"
    assert found.args["language"] == "vi"
    assert isinstance(found.args["text"], str)
    assert isinstance(events[-1], Finished)


@pytest.mark.parametrize("language", ["vi", "zh", "en"])
def test_decoding_is_the_models_own_with_the_language_that_is_spoken(
    model: Path, tmp_path: Path, language: str
) -> None:
    import torch

    recording = write_wav(tmp_path / "answer.wav", 2.0)
    heard = transcribe.transcribe(recording, str(model), language, emit=lambda _: None, device="cpu")
    processor, network = transcribe.load(str(model), torch.float32)
    features = processor.feature_extractor(
        sound.read_wav(recording), sampling_rate=sound.RATE, return_tensors="pt"
    ).input_features
    with torch.inference_mode():
        encoded = network.model.encoder(features)
    ids = processor.tokenizer.convert_tokens_to_ids
    tokens = [
        ids("<|startoftranscript|>"),
        ids(f"<|{language}|>"),
        ids("<|transcribe|>"),
        ids("<|notimestamps|>"),
    ]
    for _ in range(network.config.max_target_positions - 8):  # greedily, token by token
        with torch.inference_mode():
            out = network(encoder_outputs=encoded, decoder_input_ids=torch.tensor([tokens]))
        tokens.append(int(out.logits[0, -1].argmax()))
        if tokens[-1] == ids("<|endoftext|>"):
            break
    assert heard == processor.tokenizer.decode(tokens, skip_special_tokens=True).strip()


def test_a_long_recording_is_heard_piece_by_piece(model: Path, tmp_path: Path) -> None:
    events: list[Event] = []
    recording = write_wav(tmp_path / "long.wav", 65.0)
    transcribe.transcribe(recording, str(model), "en", emit=events.append, device="cpu")
    heard = [event for event in events if isinstance(event, Progress) and event.label == "transcribing"]
    assert [(event.done, event.total) for event in heard] == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_silence_is_no_text_and_needs_no_model(tmp_path: Path) -> None:
    recording = write_wav(tmp_path / "silent.wav", 2.0, loud=0.0)
    assert transcribe.transcribe(recording, "no/such-model", "en", emit=lambda _: None) == ""


@pytest.mark.parametrize(("rate", "width"), [(16_000, 2), (44_100, 2), (48_000, 4), (8_000, 1)])
def test_every_pcm_wav_comes_to_the_same_sound(tmp_path: Path, rate: int, width: int) -> None:
    samples = sound.read_wav(write_wav(tmp_path / "a.wav", 1.0, rate=rate, width=width))
    assert abs(samples.size - sound.RATE) <= 1
    assert 0.38 < float(np.abs(samples).max()) < 0.42


def test_pieces_are_cut_where_it_is_quiet_and_lose_nothing(tmp_path: Path) -> None:
    samples = sound.read_wav(write_wav(tmp_path / "a.wav", 65.0))
    found = sound.pieces(samples)
    assert sum(piece.size for piece in found) == samples.size
    assert all(piece.size <= sound.PIECE_S * sound.RATE for piece in found)
    assert all(float(np.abs(piece[-800:]).max()) < 0.01 for piece in found[:-1])


@pytest.mark.parametrize(
    ("content", "model_name", "code", "words"),
    [
        (b"not sound at all", "x", "unsupported", "can't be read as a WAV file"),
        (None, "/no/such/folder", "needs_tool", "can't be loaded"),
    ],
)
def test_what_cannot_be_heard_says_why(
    tmp_path: Path, content: bytes | None, model_name: str, code: str, words: str
) -> None:
    recording = tmp_path / "answer.wav"
    if content is None:
        write_wav(recording, 1.0)
    else:
        recording.write_bytes(content)
    with pytest.raises(transcribe.TranscribeFailed, match=words) as failed:
        transcribe.transcribe(recording, model_name, "en", emit=lambda _: None)
    assert failed.value.code == code


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama"}', encoding="utf-8")
    done = command(write_wav(tmp_path / "a.wav", 1.0), "--model", tmp_path)
    assert done.returncode == 1
    (failed,) = [event for event in events_of(done) if isinstance(event, Failed)]
    assert failed.code == "unsupported"
    assert "llama" in failed.message
    assert "Traceback" not in done.stderr


def test_it_ends_with_the_app_that_started_it(tmp_path: Path) -> None:
    recording = write_wav(tmp_path / "a.wav", 1.0)
    arguments = [
        sys.executable,
        "-m",
        "labs.kit.transcribe",
        str(recording),
        "--model",
        "x",
        "--until-closed",
    ]
    process = subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    assert process.stdin is not None
    process.stdout.readline()  # it runs
    process.stdin.close()
    assert process.wait(timeout=60) in (0, 1)
    process.stdout.close()
