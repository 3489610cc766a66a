"""How people write units in English, Vietnamese and Chinese, and what `engine.claims.units` calls them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

_SPELLINGS: dict[str, str] = {
    "s": "s sec secs second seconds giây 秒钟 秒",
    "ms": "ms msec msecs millisecond milliseconds mili·giây miligiây mili-giây milli·giây mili·second 毫秒",
    "us": "μs us usec usecs microsecond microseconds micro·giây microgiây micro-giây micrô·giây 微秒",
    "ns": "ns nsec nanosecond nanoseconds nano·giây nanogiây nano-giây 纳秒",
    "min": "min mins minute minutes phút 分钟",
    "h": "h hr hrs hour hours giờ 小时",
    "MHz": "MHz mhz 兆赫",
    "GHz": "GHz ghz 吉赫",
    "B": "B byte bytes Byte Bytes 个字节 字节",
    "KB": "KB kB Kb kb kilobyte kilobytes 千字节",
    "MB": "MB mb megabyte megabytes 兆字节 兆",
    "GB": "GB gb G gigabyte gigabytes 吉字节",
    "TB": "TB tb terabyte terabytes 太字节",
    "KiB": "KiB kib",
    "MiB": "MiB mib",
    "GiB": "GiB gib",
    "TiB": "TiB tib",
    "bit": "bit bits 比特",
    "FLOP": "FLOP FLOPs flop flops Flop Flops phép·tính 次浮点运算 次运算",
    "FLOP/s": "FLOPS",
    "GFLOP": "GFLOP gflop GFlop",
    "TFLOP": "TFLOP tflop TFlop",
    "PFLOP": "PFLOP pflop PFlop",
    "GFLOP/s": "GFLOPS GFLOPs gflops GFlops",
    "TFLOP/s": "TFLOPS TFLOPs tflops TFlops",
    "PFLOP/s": "PFLOPS PFLOPs pflops PFlops",
    "token": "tokens token Tokens Token toks tok 个·token 个token 个·tokens 个词元 词元",
    "token/s": "tps t/s",
    "percent": "% percent per·cent pct phần·trăm",
    "\u00d7": "\u00d7 x X times -fold fold lần 倍",
}
_NOUNS: dict[str, str] = {
    "kernel": "kernels kernel 个·kernel 个kernel 个核函数",
    "launch": "launches launch lần·launch lượt·launch lần·phát 次·launch 次launch 次发射 次启动",
    "transfer": "transfers transfer lượt·truyền lần·truyền 次传输 次搬运 趟",
    "pass": "passes pass lượt·chạy lượt replays 遍 次",
    "layer": "layers layer tầng lớp 层",
}
_PER_COUNT = (
    *("token", "tokens", "tok", "step", "steps", "layer", "layers", "element", "elements", "SM", "sm"),
    *("request", "requests", "iteration", "iterations", "kernel", "kernels", "launch"),
    *("bước", "lớp", "tầng", "phần·tử", "yêu·cầu", "lượt", "lần"),
    *("步", "层", "个元素", "元素", "个·token", "个token", "个请求", "请求", "次"),
)
"""Counts that a rate may be given per: they have no dimension, so "25 ms a step" is 25 ms."""
_PER = r"(?:\s*/\s*|\s+per\s+|\s+an?\s+|\s+mỗi\s+|\s+một\s+|\s*每\s*一?)"


def _alternatives(spellings: Iterable[str]) -> str:
    """One pattern for all spellings, longest first; a `·` in a spelling is a space or none."""
    ordered = sorted(spellings, key=len, reverse=True)
    return "|".join(_pattern(spelling) for spelling in ordered)


def _pattern(spelling: str) -> str:
    text = re.escape(spelling).replace("·", r"\s*")
    # a name that ends with a letter must not go on; Chinese runs on without a space
    return text + (r"(?![A-Za-zÀ-ỹ0-9])" if re.search(r"[A-Za-zÀ-ỹμ]$", spelling) else "")


def _by_spelling(table: dict[str, str]) -> dict[str, str]:
    return {spelling: name for name, line in table.items() for spelling in line.split()}


_UNIT_OF = _by_spelling(_SPELLINGS)
_NOUN_OF = _by_spelling(_NOUNS)
_UNIT = re.compile(rf"(?:{_alternatives(_UNIT_OF)})")
_NOUN = re.compile(rf"(?:{_alternatives(_NOUN_OF)})")
_BELOW = re.compile(rf"{_PER}(?:{_alternatives((*_PER_COUNT, *_UNIT_OF))})")
_COUNTED = re.compile(rf"{_PER}(?:{_alternatives(_PER_COUNT)})")
_RATE_BEFORE = re.compile(r"(?:每秒钟?|mỗi\s+giây|(每个?字节))\s*(?:约|大约|khoảng|~)?\s*$")


@dataclass(frozen=True, slots=True)
class WrittenUnit:
    """A unit found in a text: its name for `engine.claims.units`, what it counts, and where it ends."""

    unit: str
    noun: str
    end: int


def unit_at(text: str, place: int) -> WrittenUnit | None:
    """The unit, or the thing counted, that begins at `place`; None where neither does."""
    noun = _NOUN.match(text, place)
    found = _UNIT.match(text, place)
    if noun is not None and (found is None or noun.end() > found.end()):
        return _with_below("", _name(_NOUN_OF, noun[0]), text, noun.end())
    if found is None:
        return None
    name = _unit_name(found[0])
    if name == "\u00d7" and re.match(r"\s*\d", text[found.end() :]):
        return None  # "4096 × 4096": a product, not a ratio
    return _with_below(name, "token" if name == "token" else "", text, found.end())


def nouns(text: str) -> frozenset[str]:
    """What a text counts, wherever in it that is said: kernel, launch, transfer, pass, layer."""
    return frozenset(_name(_NOUN_OF, match[0]) for match in _NOUN.finditer(text.lower()))


def rate_before(text: str, place: int) -> str:
    """What a Chinese or Vietnamese "each second" before a number divides by: "s", "B" or ""."""
    found = _RATE_BEFORE.search(text, 0, place)
    if found is None:
        return ""
    return "B" if found[1] else "s"


def _with_below(name: str, noun: str, text: str, place: int) -> WrittenUnit:
    below = _BELOW.match(text, place)
    if below is None:
        return WrittenUnit(name, noun, place)
    if _COUNTED.fullmatch(below[0]):
        return WrittenUnit(name, noun, below.end())
    divisor = _unit_name(re.sub(rf"^{_PER}", "", below[0]))
    if divisor in ("\u00d7", "percent") or "/" in divisor:
        return WrittenUnit(name, noun, place)
    above = name.removesuffix("/s") if divisor in ("s", "B") else name
    if not above and divisor != "s":
        return WrittenUnit(name, noun, place)
    return WrittenUnit(f"{above or '1'}/{divisor}", noun, below.end())


@cache
def _unit_name(written: str) -> str:
    return _name(_UNIT_OF, written)


def _name(table: dict[str, str], written: str) -> str:
    for spelling, name in table.items():
        if re.fullmatch(re.escape(spelling).replace("·", r"\s*"), written):
            return name
    raise KeyError(written)
