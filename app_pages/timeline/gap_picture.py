"""A gap as a picture that explains itself: where it lies, how long it is, what it is, two ways to shrink it.

An SVG that stands alone, on a light ground whatever the theme: it goes into cards, slides and reports.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from html import escape

from app_pages.timeline.gap_words import GapWords, duration, gap_words, short_name
from app_pages.words import phrase
from engine.measure.analyse.gap_story import GapStory, gap_story
from engine.measure.analyse.timeline import CALL, COPY, KERNEL, OPERATOR, RANGE, SET, Lane, Row, Timeline

WIDTH = 960
MARGIN = 24
LANE, GPU_LANE, CAPTION, LINE = 20, 28, 22, 21
"""Heights in pixels: a lane of each side, a row's name, a line of text."""
AROUND = 1.4
"""Of the gap's length, what is shown before it and after it; more where the launch lies further back."""
MOST_BEFORE = 6.0
MOST_LANES = 8
MOST_BARS = 400
"""In one lane: more could not be told apart."""
LETTER = 6.4
"""Width of a letter of the bars' font, 11 px, in pixels."""
_INK, _FAINT, _PAPER, _LINE, _GAP = "#1f2430", "#5b6270", "#fbfaf7", "#dedacf", "#a85a00"
_FILL = {
    KERNEL: "#9fd0c8",
    COPY: "#e6d08a",
    SET: "#e6d08a",
    OPERATOR: "#cfd8e6",
    CALL: "#d9d5cc",
    RANGE: "#eeece6",
}
_FONTS = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'PingFang SC', 'Microsoft YaHei', "
    "'Noto Sans CJK SC', 'Noto Sans SC', sans-serif"
)
_CODE = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


@dataclass(slots=True)
class _Canvas:
    """What is drawn, and how times become pixels."""

    start: int
    end: int
    parts: list[str] = field(default_factory=list)
    y: float = MARGIN

    def x(self, time: float) -> float:
        share = (time - self.start) / max(1, self.end - self.start)
        return MARGIN + min(1.0, max(0.0, share)) * (WIDTH - 2 * MARGIN)

    def box(self, left: float, right: float, y: float, height: float, fill: str, more: str = "") -> None:
        self.parts.append(
            f'<rect x="{left:.1f}" y="{y:.1f}" width="{max(0.8, right - left):.1f}" height="{height:.1f}" '
            f'fill="{fill}"{more}/>'
        )

    def text(self, x: float, y: float, words: str, style: str, fill: str = _INK) -> None:
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" class="{style}" fill="{fill}">{_drawn(words)}</text>'
        )

    def lines(self, words: str, style: str, *, size: float, indent: float = 0.0) -> None:
        for line in wrapped(words, WIDTH - 2 * MARGIN - indent, size):
            self.y += LINE
            self.text(MARGIN + indent, self.y, line, style)


def gap_picture(timeline: Timeline, gap: int, language: str) -> str:
    """The SVG of the listed gap with that number, in that language. Raises IndexError where there is none."""
    story = gap_story(timeline, gap)
    words = gap_words(story, language)
    canvas = _Canvas(*_stretch(story))
    canvas.y += 6
    canvas.lines(words.title, "title", size=17)
    canvas.y += 14
    above = canvas.y
    rows = _rows(timeline, story)
    places: dict[int, float] = {}
    for row in rows:
        _row(canvas, timeline, row, language, places)
    _mark(canvas, story, above, language)
    _launch(canvas, timeline, story, places)
    _axis(canvas, story, language)
    _told(canvas, words, language)
    height = canvas.y + MARGIN
    alt = phrase(language, "timeline.picture.alt", title=words.title, what=words.what)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}" '
        f'viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{_drawn(alt)}">'
        f"<style>text{{font-family:{_FONTS};font-size:14px}}.title{{font-size:17px;font-weight:650}}"
        f".small{{font-size:12px}}.bar{{font-family:{_CODE};font-size:11px}}"
        f".mark{{font-size:14px;font-weight:650;text-anchor:middle}}.tick{{font-size:12px;text-anchor:middle}}"
        f".head{{font-size:13px;font-weight:650}}</style>"
        f'<rect width="100%" height="100%" fill="{_PAPER}"/>{"".join(canvas.parts)}</svg>'
    )


def wrapped(words: str, room: float, size: float) -> list[str]:
    """The text in lines of at most `room` pixels at `size` pixels; Chinese breaks between any two signs."""
    lines, line, used = [], "", 0.0
    for piece in re.findall(
        r"[\u2e80-\u9fff\uff00-\uffef][，。：；、）》]*|[^ \n\u2e80-\u9fff\uff00-\uffef]+|[ \n]+", words
    ):
        width = sum(_em(sign) for sign in piece) * size
        if line and used + width > room:
            lines.append(line.rstrip())
            line, used = "", 0.0
        if line or not piece.isspace():
            line += piece
            used += width
    return [*lines, line.rstrip()] if line.strip() else lines


def _em(sign: str) -> float:
    """About how wide a sign is, in units of the font's size."""
    if unicodedata.combining(sign):
        return 0.0
    return 1.0 if unicodedata.east_asian_width(sign) in "WF" else 0.54


def _stretch(story: GapStory) -> tuple[int, int]:
    """What is shown: the gap, something on both sides, and its launch where that isn't too far back."""
    length = max(1, story.duration_ns)
    before = AROUND * length
    if story.launch_ns is not None and story.launch_ns < 0:
        before = max(before, min(MOST_BEFORE * length, -story.launch_ns * 1.15))
    return story.start_ns - int(before), story.end_ns + int(AROUND * length)


def _rows(timeline: Timeline, story: GapStory) -> list[Row]:
    """The launching thread, then the streams of the device that work in view, at most four."""
    start, end = _stretch(story)
    threads = [row for row in timeline.rows if row.side == "cpu" and row.thread == story.thread]
    streams = [
        row
        for row in timeline.rows
        if row.side == "gpu"
        and row.device == story.device
        and any(timeline.within(lane, start, end) for lane in row.lanes)
    ]
    return threads[:1] + streams[:4]


def _row(canvas: _Canvas, timeline: Timeline, row: Row, language: str, places: dict[int, float]) -> None:
    if row.side == "cpu":
        thread = row.thread[1] if row.thread else ""
        caption, height = phrase(language, "timeline.ui.row.cpu", thread=thread), LANE
    else:
        stream = (row.stream or "").removeprefix("stream ")
        caption = phrase(language, "timeline.ui.row.gpu", device=row.device, stream=stream)
        height = GPU_LANE
    canvas.text(MARGIN, canvas.y + 14, caption, "small", _FAINT)
    canvas.y += CAPTION
    for lane in row.lanes[:MOST_LANES]:
        if timeline.within(lane, canvas.start, canvas.end):
            _lane(canvas, timeline, lane, height, places)
            canvas.y += height + 1
    canvas.y += 8


def _lane(canvas: _Canvas, timeline: Timeline, lane: Lane, height: int, places: dict[int, float]) -> None:
    bars = timeline.bars
    for bar in timeline.within(lane, canvas.start, canvas.end)[:MOST_BARS]:
        left = canvas.x(bars["start"][bar])
        right = canvas.x(bars["start"][bar] + bars["duration"][bar])
        canvas.box(left, right - 0.5, canvas.y, height - 1, _FILL[bars["kind"][bar]], ' rx="2"')
        places[bar] = canvas.y
        name, room = short_name(timeline.name_of(bar)), int((right - left - 8) / LETTER)
        if room >= 3:
            shown = name if len(name) <= room else f"{name[: room - 1]}…"
            canvas.text(left + 4, canvas.y + height / 2 + 3.5, shown, "bar")


def _mark(canvas: _Canvas, story: GapStory, above: float, language: str) -> None:
    """The gap, straight through all rows, with its length."""
    left, right = canvas.x(story.start_ns), canvas.x(story.end_ns)
    canvas.box(left, right, above, canvas.y - above, _GAP, ' fill-opacity="0.13"')
    for x in (left, right):
        canvas.parts.append(
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{above:.1f}" y2="{canvas.y:.1f}" stroke="{_GAP}" '
            'stroke-dasharray="4 3"/>'
        )
    y = canvas.y + 8
    canvas.parts.append(
        f'<path d="M{left:.1f} {y:.1f}H{right:.1f}M{left:.1f} {y - 5:.1f}v10M{right:.1f} {y - 5:.1f}v10" '
        f'stroke="{_GAP}" stroke-width="1.6" fill="none"/>'
    )
    label = phrase(language, "timeline.ui.gap", duration=duration(story.duration_ns, language))
    canvas.text((left + right) / 2, y + 20, label, "mark", _GAP)
    canvas.y = y + 26


def _launch(canvas: _Canvas, timeline: Timeline, story: GapStory, places: dict[int, float]) -> None:
    """The arrow from the launch to the work that ended the gap, where both are in view."""
    after = timeline.gaps["after"][story.gap]
    link = timeline.bars["link"][after] if after >= 0 else -1
    if link not in places or after not in places:
        return
    start, length = timeline.bars["start"][link], timeline.bars["duration"][link]
    x0, y0 = canvas.x(start + length / 2), places[link] + LANE - 1
    x1, y1 = canvas.x(timeline.bars["start"][after]), places[after]
    bend = max(12.0, (y1 - y0) / 2)
    curve = f"C{x0:.1f} {y0 + bend:.1f} {x1:.1f} {y1 - bend:.1f} {x1:.1f} {y1 - 5:.1f}"
    canvas.parts.append(
        f'<path d="M{x0:.1f} {y0:.1f}{curve}"'
        f' stroke="{_INK}" stroke-width="1.5" fill="none"/>'
        f'<path d="M{x1:.1f} {y1:.1f}l-4 -7h8z" fill="{_INK}"/>'
    )


def _axis(canvas: _Canvas, story: GapStory, language: str) -> None:
    """Times since the gap began, at its ends and half a gap apart."""
    canvas.y += 8
    shown = {story.start_ns + n * story.duration_ns // 2 for n in range(-8, 9)}
    ticks = [time for time in sorted(shown) if canvas.start < time < canvas.end]
    apart = (canvas.x(ticks[1]) - canvas.x(ticks[0])) if len(ticks) > 1 else WIDTH
    every = 1 if apart > 80 else 2
    for place, time in enumerate(ticks):
        if (place - ticks.index(story.start_ns)) % every:
            continue
        x = canvas.x(time)
        canvas.box(x, x + 1, canvas.y, 5, _LINE)
        since = duration(time - story.start_ns, language).replace("-", "−")
        since = "0" if time == story.start_ns else since
        canvas.text(x, canvas.y + 18, since, "tick", _FAINT)
    canvas.y += 24


def _told(canvas: _Canvas, words: GapWords, language: str) -> None:
    canvas.y += 6
    canvas.lines(words.what, "text", size=14)
    for sentence in words.cpu[:2]:
        canvas.y += 4
        canvas.lines(sentence, "text", size=14)
    canvas.y += 8
    canvas.lines(phrase(language, "timeline.ui.ways_title"), "head", size=13)
    for number, way in enumerate(words.ways, 1):
        canvas.lines(f"{number}. {way}", "text", size=14, indent=8)


def _drawn(words: str) -> str:
    """Text for an SVG: escaped, and without the signs that XML doesn't allow."""
    return escape("".join(sign if sign.isprintable() or sign == "\xa0" else " " for sign in words))
