"""The Vietnamese deck on profiling: complete, loadable, sayable in a minute."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

import pytest

from engine.folders import project_folder
from engine.lab_names import lab_names
from engine.study.card import Card
from engine.study.library import load_library

DECK = project_folder() / "cards" / "gpu-profiling.vi.yaml"
LIBRARY = load_library([DECK], lab_names=lab_names(), cache=None)
CARDS = list(LIBRARY.by_id.values())
QUESTIONS = [card for card in CARDS if card.kind == "question"]

MUST_BE_SAID = {
    "vi-q1-torch-compile": (
        "Llama 3 8B|H100|BF16|warm-up|trung vị|16 GB|3,35 TB/s|4,8 ms|25 ms|19%|70–80%|Nsight Compute|"
        "reduce-overhead|CUDA graph|A100|25,5|107 token/s|17%|72%|157 token/s|int8|75%|batch"
    ),
    "vi-q2-oom-sixth-hour": (
        "thứ 6|60 GB|80 GB|20 GB|torch.cuda.memory_allocated()|_record_memory_history()|_dump_snapshot(|"
        "memory_viz|stack trace|workspace|128 KB|2.000|262 MB|segment|expandable_segments:True|vLLM|"
        "reserved|allocated"
    ),
    "vi-q3-nsys-live-server": (
        "nsys profile|vLLM|--delay=180|--duration=120|--kill=none|--cuda-graph-trace=node|overhead|"
        "VLLM_WORKER_MULTIPROC_METHOD=spawn|fork|API|PCIe|--trace=cuda,nvtx,osrt|prefill|decode|"
        "Nsight Compute"
    ),
    "vi-q4-ncu-occupancy": (
        "3 lần|92%|2%|25%|46 lượt|xung nhịp|295|989 TFLOPS|3,35 TB/s|H100|latency|warp|batching|roofline|"
        "Speed Of Light|GQA|L2|16 GB|50 MB"
    ),
    "vi-q5-elementwise-fusion": (
        "x = x * scale|x = x + bias|x = gelu(x)|HBM|6 lượt|1 FLOP|2 byte|0,25 FLOP/byte|295|3 lần|3 launch|"
        "register|1 chu kỳ|256 KB|shared memory|FlashAttention|4096 × 4096|33,5 MB|67 MB|20 µs|0,25 µs|"
        "80 lần|epilogue"
    ),
    "vi-exercise-decode-step": "reduce-overhead|MBU|nsys|mbu_floor|khoảng trống|CUDA graph|17%|72%",
}
"""What the document names on each card: figures, flags, tools."""


def _texts(card: Card) -> Iterator[str]:
    yield from (card.prompt, card.pitfall or "", *card.key_figures)
    for point in card.answer:
        yield from (point.heading, point.text)
    for item in card.follow_ups:
        yield from (item.prompt, item.answer)


def _read_aloud(card: Card) -> str:
    """The card's text with its formulas as a reader sees them."""
    text = "\n".join(_texts(card)).replace("{,}", ",").replace(r"\times", "×").replace("\\%", "%")
    return re.sub(r"\\text\{([^}]*)\}", r"\1", text).replace("\\ ", " ").replace("$", "")


def _spoken_words(text: str) -> int:
    return len(re.findall(r"\w+", re.sub(r"```.*?```", "", text, flags=re.DOTALL)))


def test_deck_has_no_faults() -> None:
    assert [str(fault) for fault in LIBRARY.faults] == []


def test_document_is_there_in_full() -> None:
    assert Counter(card.kind for card in CARDS) == {"question": 5, "exercise": 1}
    assert {card.language for card in CARDS} == {"vi"}
    assert {lesson for card in CARDS for lesson in card.lessons} == {"55", "56", "57", "58", "60", "61"}


@pytest.mark.parametrize("card", QUESTIONS, ids=lambda card: card.id)
def test_question_has_everything_an_interview_needs(card: Card) -> None:
    assert card.priority == "high"
    assert len(card.answer) == 5
    assert card.key_figures
    assert card.follow_ups
    assert card.pitfall


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_no_figure_flag_or_tool_of_the_document_is_left_out(card: Card) -> None:
    text = _read_aloud(card)
    assert [said for said in MUST_BE_SAID[card.id].split("|") if said not in text] == []


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_answer_can_be_said_in_about_a_minute(card: Card) -> None:
    """Vietnamese is spoken at four to five words (syllables) a second."""
    points = [_spoken_words(f"{point.heading} {point.text}") for point in card.answer]
    assert max(points) <= 75
    assert sum(points) <= 270


def test_vietnamese_is_composed() -> None:
    text = DECK.read_text(encoding="utf-8")
    assert text == unicodedata.normalize("NFC", text)
