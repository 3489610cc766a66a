"""A good deck as text, and how tests put decks into files."""

from __future__ import annotations

from pathlib import Path

GOOD = """\
deck:
  id: good-deck
  title: Good deck
  language: vi
  description: Two cards
  document: The document
cards:
  - id: first-card
    kind: question
    title: Sàn của một bước decode
    priority: high
    lessons: ["55", 61]
    topics: [mbu, torch-compile]
    prompt: |
      Why is it slow?

      ```python
      x = 1

      y = no
      ```
    answer:
      - heading: Bytes
        text: |
          All weights are read once.
      - heading: Time
        text: bytes over bandwidth
    key_figures:
      - 16 GB
    follow_ups:
      - prompt: And then?
        answer: Then this.
    pitfall: Forgetting the embedding
    labs:
      - fusion
      - {name: mbu_floor, set: {model: llama-3-8b, batch: 1}}
    source: {section: Q1}
    claims:
      - id: floor
        label: Floor of a step
        says: {value: 4.8, unit: ms, on: h100-sxm}
        model: llama-3-8b
        quantities: {measured_step: 25 ms}
        formula: weight_bytes / memory_bandwidth
        tolerance: 5%
        measured: {lab: mbu_floor, metric: floor, labels: {ceiling: datasheet}}
  - id: second-card
    kind: term
    title: MBU
    language: zh
    prompt: 什么是 MBU？
    answer:
      - heading: 定义
        text: 共享内存与带宽
    source: {document: Another, section: 术语}
"""

SMALL = """\
deck: {id: DECK, title: Small, language: en}
cards:
  - id: CARD
    kind: term
    title: A term
    prompt: What is it?
    answer:
      - {heading: Meaning, text: This.}
"""

LABS = frozenset({"fusion", "mbu_floor"})


def small(deck: str, card: str) -> str:
    """A deck of one card with these ids; its ids stand on lines 1 and 3."""
    return SMALL.replace("DECK", deck).replace("CARD", card)


def written(path: Path, text: str | bytes) -> Path:
    """`path`, holding `text`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def changed(old: str, new: str) -> str:
    """The good deck with one passage replaced."""
    assert GOOD.count(old) == 1, f"{old!r} stands {GOOD.count(old)} times in the good deck"
    return GOOD.replace(old, new)


def line_of(text: str, passage: str) -> int:
    """The line, from 1, on which `passage` begins in `text`."""
    return text[: text.index(passage)].count("\n") + 1
