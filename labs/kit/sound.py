"""Recorded speech as numbers: WAV files read, brought to one rate, cut where nobody speaks."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]

RATE = 16_000
"""Samples a second that speech models take."""

PIECE_S = 30.0
"""Seconds that a Whisper model hears at once (Radford et al., arXiv:2212.04356, section 2.2)."""

_LOOK_BACK_S = 6.0
_FRAME_S = 0.1
_SILENCE = 1e-3
"""Root mean square, of 1 at full scale, below which a piece is silence: a model would make words up."""


class SoundError(ValueError):
    """The file is no WAV file that can be read; the message says why."""


def read_wav(path: Path) -> Samples:
    """A PCM WAV file as mono samples from -1 to 1 at `RATE`. Raises SoundError."""
    try:
        with wave.open(str(path), "rb") as file:
            channels, width, rate = file.getnchannels(), file.getsampwidth(), file.getframerate()
            raw = file.readframes(file.getnframes())
    except (OSError, EOFError, wave.Error) as error:
        raise SoundError(f"{path.name} can't be read as a WAV file: {error}") from error
    if width not in (1, 2, 4) or channels < 1 or rate < 1:
        raise SoundError(f"{path.name}: {8 * width}-bit sound isn't known here, only 8, 16 and 32 bit")
    raw = raw[: len(raw) - len(raw) % (width * channels)]
    if width == 1:
        samples = (np.frombuffer(raw, np.uint8).astype(np.float32) - 128.0) / 128.0
    else:
        kind = np.dtype("<i2" if width == 2 else "<i4")
        samples = np.frombuffer(raw, kind).astype(np.float32) / float(2 ** (8 * width - 1))
    return resampled(samples.reshape(-1, channels).mean(axis=1), rate)


def resampled(samples: Samples, rate: int) -> Samples:
    """The samples at `RATE`, by straight lines between them: speech needs no better."""
    if rate == RATE or samples.size == 0:
        return samples.astype(np.float32)
    length = max(1, round(samples.size * RATE / rate))
    places = np.linspace(0, samples.size - 1, length)
    return np.interp(places, np.arange(samples.size), samples).astype(np.float32)


def pieces(samples: Samples) -> list[Samples]:
    """Stretches of at most `PIECE_S`, cut at a quiet moment of their last seconds; silent ones left out."""
    longest, frame = round(PIECE_S * RATE), round(_FRAME_S * RATE)
    found = []
    rest = samples
    while rest.size:
        end = min(longest, rest.size)
        if rest.size > longest:
            window = rest[longest - round(_LOOK_BACK_S * RATE) : longest]
            loudness = np.square(window[: window.size // frame * frame]).reshape(-1, frame).mean(axis=1)
            end = longest - window.size + int(loudness.argmin()) * frame + frame // 2
        piece, rest = rest[:end], rest[end:]
        if float(np.sqrt(np.mean(np.square(piece)))) >= _SILENCE:
            found.append(piece)
    return found
