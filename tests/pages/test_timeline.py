"""What the timeline's component gets and says: payload, words of a gap, the annotated picture."""

from __future__ import annotations

import json
import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, get_args

import pytest

from app_pages import context
from app_pages.timeline import FRONT, SCRIPTS
from app_pages.timeline.gap_picture import gap_picture, wrapped
from app_pages.timeline.gap_words import GapWords, duration, gap_words, short_name
from app_pages.timeline.payload import GAP_PARTS, Course, payload
from app_pages.timeline.payload import words as component_words
from engine.measure.analyse.gap_story import REASONS, Done, GapStory, Reason
from engine.measure.analyse.timeline import read_timeline, write_timeline
from engine.measure.analyse.trace_reading import read_chrome_trace
from tests.measure.analyse.samples import trace

STORY = GapStory(
    gap=0,
    rank=1,
    device=0,
    start_ns=20_000,
    duration_ns=80_000,
    share=0.254,
    reason="overhead",
    before="first",
    after="void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >(int)",
    call="cudaLaunchKernel",
    launch_ns=60_000,
    call_ns=5_000,
    thread=("9", "9"),
    operators=("aten::linear", "aten::addmm"),
    range="decode <step>",
    did=(Done("aten::linear", 70_000),),
    waited=Done("cudaStreamSynchronize", 15_000),
    held_up=Done("cudaMalloc", 50_000),
    launching_ns=5_000,
    outside_ns=10_000,
)


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """The timeline of twenty operators that each launch a kernel: nineteen gaps."""
    source, path = tmp_path / "trace.json", tmp_path / "timeline.bin"
    source.write_bytes(trace())
    write_timeline(read_chrome_trace(source), path)
    return path


def head_of(content: bytes) -> tuple[dict[str, Any], bytes]:
    (length,) = struct.unpack("<I", content[:4])
    return json.loads(content[4 : 4 + length]), content[4 + length :]


def test_a_gap_in_words() -> None:
    said = plain(gap_words(STORY, "en"))
    assert said.title == "Gap 1: 80 µs, 25% of all gap time of GPU 0"
    assert said.what.startswith(
        "Overhead: the GPU was idle because the launch of the next work came only 60 µs"
    )
    assert said.cpu == (
        "In the gap that thread was in aten::linear 70 µs, no operator and no call 10 µs.",
        "cudaLaunchKernel (5 µs) on thread 9 launched what ended it, 60 µs into the gap.",
        "That launch lies in aten::linear → aten::addmm.",
        "Your own range there: decode <step>.",
        "On the GPU the gap lies between first and vectorized_elementwise_kernel ⟨AddFunctor⟩.",
    )
    assert "CUDA graph" in said.ways[0]
    assert "batch" in said.ways[1]


@pytest.mark.parametrize("language", context.LANGUAGES)
def test_every_reason_has_words_and_two_ways_in_every_language(language: str) -> None:
    assert set(REASONS) == set(get_args(Reason))
    said = [gap_words(GapStory(**{**as_dict(STORY), "reason": reason}), language) for reason in REASONS]
    assert len({words.what for words in said}) == len(REASONS)
    for words in said:
        assert words.ways[0] != words.ways[1]
        assert "{" not in words.title + words.what + "".join(words.cpu) + "".join(words.ways)


def plain(words: GapWords) -> GapWords:
    """With plain spaces where numbers have no-break ones."""

    def spaced(text: str) -> str:
        return text.replace("\xa0", " ")

    return GapWords(
        spaced(words.title),
        spaced(words.what),
        tuple(map(spaced, words.cpu)),
        (spaced(words.ways[0]), spaced(words.ways[1])),
    )


def as_dict(story: GapStory) -> dict[str, Any]:
    return {name: getattr(story, name) for name in story.__dataclass_fields__}


def test_a_gap_whose_launch_is_not_known_says_only_what_lies_on_the_gpu() -> None:
    bare = GapStory(0, 1, 0, 0, 5_000, 0.00004, "unknown", "first", "second")
    said = plain(gap_words(bare, "en"))
    assert said.title == "Gap 1: 5 µs, < 0.1% of all gap time of GPU 0"
    assert said.cpu == ("On the GPU the gap lies between first and second.",)


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (17, "17 ns"),
        (999, "999 ns"),
        (1000, "1 µs"),
        (5046, "5.05 µs"),
        (999_960, "1 ms"),
        (62_339_000, "62.3 ms"),
        (1_500_000_000, "1.50 s"),
    ],
)
def test_a_length_of_time_in_the_unit_that_reads_best(ns: int, text: str) -> None:
    assert duration(ns, "en") == text.replace(" ", "\xa0")


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("aten::linear", "aten::linear"),
        ("Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pageable -> Device)"),
        (
            "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, 128>(int)",
            "CatArrayBatchedCopy",
        ),
        ("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)", "ncclKernel_AllReduce_RING_LL_Sum_float"),
        (
            "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >(int)",
            "vectorized_elementwise_kernel ⟨AddFunctor⟩",
        ),
        ("<lambda>", "<lambda>"),
        ("enumerate(DataLoader)#_Iter.__next__", "enumerate(DataLoader)#_Iter.__next__"),
    ],
)
def test_a_kernels_name_without_its_template_arguments(name: str, short: str) -> None:
    assert short_name(name) == short


def test_the_picture_of_a_gap_stands_alone_and_says_what_it_is(sample: Path) -> None:
    timeline = read_timeline(sample)
    longest = timeline.longest[0]
    for language in context.LANGUAGES:
        picture = gap_picture(timeline, longest, language)
        root = ET.fromstring(picture)  # noqa: S314 (ours)
        texts = ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]
        assert any(duration(timeline.gaps["duration"][longest], language) in text for text in texts)
        assert any("cudaLaunchKernel" in text for text in texts)
        assert any(text.startswith("2. ") for text in texts)
        assert "url(" not in picture
        assert root.get("aria-label")


def test_signs_that_an_svg_cannot_hold_are_left_out(tmp_path: Path) -> None:
    source, path = tmp_path / "trace.json", tmp_path / "timeline.bin"
    source.write_bytes(trace().replace(b"aten::linear", rb"a\u0000<b>&\ud800\u202ec"))
    write_timeline(read_chrome_trace(source), path)
    assert ET.fromstring(gap_picture(read_timeline(path), 0, "vi"))  # noqa: S314 (ours)
    assert head_of(payload(path, "vi"))[0]["gaps"] == 19


def test_text_is_broken_into_lines_that_fit() -> None:
    lines = wrapped("word " * 40, 300, 14)
    assert len(lines) > 4
    assert {word for line in lines for word in line.split()} == {"word"}
    chinese = wrapped("下一份工作来晚了，" * 8, 300, 14)
    assert "".join(chinese) == "下一份工作来晚了，" * 8
    assert not [line for line in chinese if line.startswith("，")]


def test_the_payload_holds_the_gaps_and_says_where_its_sections_begin(sample: Path) -> None:
    head, body = head_of(payload(sample, "en", detail=b"123"))
    assert head["first"] == {"gap": 0, "times": 0}
    assert len(head["stories"]) == head["gaps"] == 19
    assert [head["sections"][name][1] for name in ("overview", "detail")] == [
        len(read_timeline(sample).overview),
        3,
    ]
    start, length = head["sections"]["detail"]
    assert body[start : start + length] == b"123"
    sizes = {"d": 8, "I": 4, "i": 4}
    assert head["sections"]["gaps"][1] == sum(-(-19 * sizes[kind] // 8) * 8 for kind in GAP_PARTS.values())


def test_the_gap_to_go_to_is_told_from_the_beginning(sample: Path) -> None:
    course = Course()
    assert course.steer(7)
    assert head_of(payload(sample, "en", course=course))[0]["first"] == {"gap": 7, "times": 1}


def test_a_page_that_hands_back_what_is_selected_sends_nowhere() -> None:
    course = Course()
    assert not course.steer(None)
    # each run the page asks for what was selected in the run before
    for before, selected in ((None, 4), (4, 9), (9, 2), (2, None)):
        assert not course.steer(before)
        course.returned = selected
    assert course.steer(5)
    course.returned = 5
    assert not course.steer(5)
    course.returned = 6
    assert not course.steer(5)
    assert course.steer(4)
    assert (course.to, course.times) == (4, 2)


def test_every_word_that_the_timeline_names_is_there() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(FRONT.iterdir()))
    named = set(re.findall(r'data-(?:word|label)="([^"]+)"', text))
    named |= set(re.findall(r"\bwords\.([a-z_]+)\b", text))
    named |= set(re.findall(r'\bwords\["([a-z_.]+)"\]', text))
    assert len(named) > 30
    assert named - set(component_words("en")) == set()


def test_every_script_of_the_component_is_put_in() -> None:
    assert {file.stem for file in FRONT.glob("*.js")} == set(SCRIPTS)
