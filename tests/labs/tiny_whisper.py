"""A Whisper model of random weights as `save_pretrained` leaves it, and sound made for it."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np

SPECIAL = ["<|endoftext|>", "<|startoftranscript|>", "<|vi|>", "<|zh|>", "<|en|>", "<|transcribe|>"]
SPECIAL += ["<|translate|>", "<|notimestamps|>"]


def save_model(folder: Path) -> None:
    """A model of a few thousand weights with a tokenizer of single bytes. Imports torch and transformers."""
    import torch
    import transformers
    from tokenizers.pre_tokenizers import ByteLevel

    vocabulary = {symbol: place for place, symbol in enumerate([*sorted(ByteLevel.alphabet()), *SPECIAL])}
    tokenizer = transformers.WhisperTokenizer(vocab=vocabulary, merges=[])
    tokenizer.add_special_tokens({"additional_special_tokens": SPECIAL[1:]})
    ids = {name: vocabulary[name] for name in SPECIAL}
    torch.manual_seed(6)
    config = transformers.WhisperConfig(
        vocab_size=len(vocabulary),
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_target_positions=32,
        decoder_start_token_id=ids["<|startoftranscript|>"],
        bos_token_id=ids["<|endoftext|>"],
        eos_token_id=ids["<|endoftext|>"],
        pad_token_id=ids["<|endoftext|>"],
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    network = transformers.WhisperForConditionalGeneration(config)
    network.save_pretrained(folder)
    transformers.GenerationConfig(
        is_multilingual=True,
        lang_to_id={name: ids[name] for name in ("<|vi|>", "<|zh|>", "<|en|>")},
        task_to_id={"transcribe": ids["<|transcribe|>"], "translate": ids["<|translate|>"]},
        no_timestamps_token_id=ids["<|notimestamps|>"],
        decoder_start_token_id=ids["<|startoftranscript|>"],
        eos_token_id=ids["<|endoftext|>"],
        pad_token_id=ids["<|endoftext|>"],
        max_length=32,
    ).save_pretrained(folder)
    transformers.WhisperProcessor(transformers.WhisperFeatureExtractor(), tokenizer).save_pretrained(folder)


def write_wav(path: Path, seconds: float, *, rate: int = 16_000, width: int = 2, loud: float = 0.4) -> Path:
    """A tone that comes and goes."""
    time = np.arange(round(seconds * rate)) / rate
    tone = loud * np.sin(2 * np.pi * 220 * time) * (np.sin(2 * np.pi * 0.5 * time) > -0.5)
    if width == 1:
        raw = ((tone * 127) + 128).astype(np.uint8).tobytes()
    else:
        raw = (tone * (2 ** (8 * width - 1) - 1)).astype("<i2" if width == 2 else "<i4").tobytes()
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(raw)
    return path
