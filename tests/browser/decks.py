"""Decks for the tests: small, each in one language, with every part that a card can have."""

from __future__ import annotations

from pathlib import Path

RICH = """\
    priority: high
    lessons: ["55", "61"]
    prompt: |
      {prompt}

      ```python
      for step in range(3):
          model(step)

          torch.cuda.synchronize()
      ```
    answer:
      - heading: {heading}
        text: |
          $\\frac{{16}}{{3.35}} \\approx 4.8$

          | a | b |
          | --- | --- |
          | 1 | 2 |
      - heading: {heading} 2
        text: {text}
    key_figures:
      - 16 GB ÷ 3.35 TB/s = 4.8 ms
    follow_ups:
      - prompt: {prompt}
        answer: {text}
    pitfall: {text}
"""
PLAIN = """\
    prompt: {prompt}
    answer:
      - heading: {heading}
        text: {text}
"""
TEXTS = {
    "en": (
        "Question number",
        "What do you measure first?",
        "Time per token",
        "Synchronise before the clock.",
    ),
    "vi": ("Câu hỏi số", "Bạn đo cái gì trước?", "Thời gian mỗi token", "Đồng bộ trước khi dừng đồng hồ."),
    "zh": ("问题", "先测什么?", "每个 token 的时间", "停表之前先同步。"),
}


def write_deck(home: Path, deck: str, *, language: str = "en", cards: int = 4) -> list[str]:
    """Writes a deck into the learner's folder; returns its card ids in order."""
    title, prompt, heading, text = TEXTS[language]
    words = {"prompt": prompt, "heading": heading, "text": text}
    head = [
        "deck:",
        f"  id: {deck}",
        f"  title: Test {language}",
        f"  language: {language}",
        "  document: Test",
        "cards:",
    ]
    ids = []
    for number in range(1, cards + 1):
        ids.append(f"{deck}-{number}")
        head += [
            f"  - id: {ids[-1]}",
            "    kind: question",
            f"    title: {title} {number}",
            "    source: {section: one}",
            (RICH if number == 1 else PLAIN).format(**words).rstrip(),
        ]
    folder = home / "decks"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{deck}.yaml").write_text("\n".join(head) + "\n", encoding="utf-8")
    return ids
