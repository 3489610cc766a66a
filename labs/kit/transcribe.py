"""Speech to text in a process of its own: `python -m labs.kit.transcribe RECORDING --model MODEL`.

MODEL is a folder or a hub name of a Whisper-type model. What is heard comes as a finding `transcript {text}`
in the labs' event protocol. The process ends when its standard input does: with the app, whatever ended it.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.measure.events import Event, Failed, FailureCode, Finding, Finished, Log, Progress, Started
from labs.kit.sound import RATE, SoundError, pieces, read_wav
from labs.kit.streams import EventStream, StreamBroken, standard_output_apart

DONE, FAILED = 0, 1
LANGUAGES = ("vi", "zh", "en")
_LEFT_FOR_PROMPT = 8
"""Of a decoder's places, those that the tokens for language and task take."""


class TranscribeFailed(Exception):
    """Nothing could be heard; `code` is one of the protocol's failure codes."""

    def __init__(self, code: FailureCode, message: str) -> None:
        self.code: FailureCode = code
        super().__init__(message)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m labs.kit.transcribe", description="Speech to text.")
    parser.add_argument("recording", type=Path, help="a WAV file")
    parser.add_argument("--model", required=True, help="a folder or a hub name of a Whisper-type model")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="what is spoken")
    parser.add_argument("--device", choices=("auto", "cpu"), default="auto", help="where the model runs")
    parser.add_argument("--until-closed", action="store_true", help="end when standard input is closed")
    options = parser.parse_args(arguments)
    if options.until_closed:
        threading.Thread(target=_end_with_input, daemon=True).start()
    with standard_output_apart() as output:
        emit = EventStream(output).emit
        try:
            return _run(options, emit)
        except StreamBroken as broken:
            sys.stderr.write(f"The events can't be written: {broken.reason}.\n")
            return FAILED


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(FAILED)


def _run(options: argparse.Namespace, emit: Callable[[Event], None]) -> int:
    began = time.monotonic()
    emit(Started(lab="transcribe", params={"language": options.language}, environment={}))
    try:
        text = transcribe(
            options.recording, options.model, options.language, emit=emit, device=options.device
        )
    except TranscribeFailed as error:
        emit(Failed(code=error.code, message=str(error)))
        return FAILED
    except MemoryError:
        emit(Failed(code="out_of_memory", message="The memory didn't suffice for this model."))
        return FAILED
    except Exception as error:  # noqa: BLE001  # a model is anybody's: whatever it raises is told
        emit(Log(text="".join(traceback.format_exception(error))[-20_000:]))
        emit(Failed(code="crashed", message=_first_line(error)))
        return FAILED
    emit(Finding(code="transcript", args={"text": text, "language": options.language}))
    emit(Finished(seconds=round(time.monotonic() - began, 3)))
    return DONE


def transcribe(
    recording: Path, model_name: str, language: str, *, emit: Callable[[Event], None], device: str = "auto"
) -> str:
    """What is said in a WAV file; "" for silence. Raises TranscribeFailed."""
    try:
        stretches = pieces(read_wav(recording))
    except SoundError as error:
        raise TranscribeFailed("unsupported", str(error)) from error
    if not stretches:
        return ""
    emit(Progress(done=0, total=0, label="loading_torch"))
    torch: Any = importlib.import_module("torch")
    emit(Progress(done=0, total=0, label="loading_model"))
    place = "cuda" if device == "auto" and torch.cuda.is_available() else "cpu"
    processor, model = load(model_name, torch.float16 if place == "cuda" else torch.float32)
    model.to(place)
    heard = []
    for number, stretch in enumerate(stretches):
        emit(Progress(done=number, total=len(stretches), label="transcribing"))
        heard.append(_hear(torch, processor, model, stretch, language))
    emit(Progress(done=len(stretches), total=len(stretches), label="transcribing"))
    return " ".join(text for text in heard if text)


def load(name: str, dtype: Any) -> tuple[Any, Any]:
    """Processor and model from a folder or the hub. Raises TranscribeFailed."""
    transformers: Any = importlib.import_module("transformers")
    folder = Path(name).expanduser()
    source = str(folder) if folder.is_dir() else name
    try:
        config = transformers.AutoConfig.from_pretrained(source)
        if config.model_type != "whisper":
            raise TranscribeFailed(
                "unsupported", f"{name} is a model of type {config.model_type}, not of type whisper."
            )
        processor = transformers.WhisperProcessor.from_pretrained(source)
        model = transformers.WhisperForConditionalGeneration.from_pretrained(source, dtype=dtype)
    except OSError as error:  # what transformers raises for a missing folder, file, name or network
        raise TranscribeFailed(
            "needs_tool", f"The model {name} can't be loaded: {_first_line(error)}"
        ) from error
    model.eval()
    return processor, model


def _hear(torch: Any, processor: Any, model: Any, samples: Any, language: str) -> str:
    features = processor.feature_extractor(
        samples, sampling_rate=RATE, return_tensors="pt", return_attention_mask=True
    )
    asked: dict[str, Any] = {}
    if getattr(model.generation_config, "is_multilingual", False):
        asked = {"language": language, "task": "transcribe"}
    with torch.inference_mode():
        tokens = model.generate(
            features.input_features.to(model.device, model.dtype),
            attention_mask=features.attention_mask.to(model.device),
            max_new_tokens=model.config.max_target_positions - _LEFT_FOR_PROMPT,
            **asked,
        )
    return str(processor.tokenizer.decode(tokens[0], skip_special_tokens=True)).strip()


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


if __name__ == "__main__":
    sys.exit(main())
