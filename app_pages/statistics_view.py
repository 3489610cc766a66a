"""The graphs and tables of the statistics page, each as HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from itertools import pairwise
from typing import Literal

from app_pages.graphs import Series, Table, bars, curve, heat
from app_pages.graphs.curve import Dot
from app_pages.graphs.dates import day_label, month_label, months, weekdays
from app_pages.graphs.figure import Tick, as_note, plain_table
from app_pages.numbers import as_given, number, percent
from app_pages.words import phrase
from engine.study import standing as standings
from engine.study import statistics
from engine.study.card import Library
from engine.study.log_columns import Log
from engine.study.standing import STABILITY_EDGES, Standing
from engine.study.statistics import DayDone, Recall
from engine.study.study_day import add_days, days_between

Period = Literal[30, 90, 365, 0]
"""Days back from today; 0: all."""

DAYS_UP_TO = 90
WEEKS_UP_TO = 2 * 366
"""A bar is a day up to so many days, then a week, then a month."""

SORTS = (("mature", "main"), ("young", "second"), ("learning", "third"), ("new", "fourth"))
CLOSE = 0.05
"""Mean chance and outcome this far apart, and no farther, are called close."""


@dataclass(frozen=True, slots=True)
class View:
    """What is looked at: the answers and cards chosen, the study day, and how far back."""

    log: Log
    standing: Standing
    today: str
    period: Period
    language: str

    @property
    def since(self) -> str | None:
        """The first study day of the period; None: the log's own first."""
        return add_days(self.today, 1 - self.period) if self.period else None

    def say(self, key: str, **args: object) -> str:
        return phrase(self.language, key, **args)

    def number(self, value: float) -> str:
        """A count or a few minutes, in the language's signs."""
        if value < 10 and value != int(value):
            return as_given(round(value, 1), self.language)
        return number(round(value), self.language)


@dataclass(frozen=True, slots=True)
class Span:
    """Days that share a bar."""

    name: str
    days: tuple[DayDone, ...]


def spans(view: View) -> tuple[str, tuple[Span, ...]]:
    """What a bar is (`day`, `week` or `month`), and the bars of the period, those without an answer too."""
    found = statistics.days_done(view.log)
    first = view.since or (found[0].day if found else view.today)
    by_day = {each.day: each for each in found if each.day >= first}
    length = days_between(first, view.today) + 1
    by = "day" if length <= DAYS_UP_TO else "week" if length <= WEEKS_UP_TO else "month"
    groups: dict[str, list[DayDone]] = {}
    for step in range(length):
        day = add_days(first, step)
        held = groups.setdefault(_start(day, by), [])
        if day in by_day:
            held.append(by_day[day])
    name = month_label if by == "month" else day_label
    return by, tuple(Span(name(start, view.language), tuple(held)) for start, held in groups.items())


def _start(day: str, by: str) -> str:
    """The first day of the bar that a day belongs to."""
    if by == "week":
        return add_days(day, -date.fromisoformat(day).weekday())
    return f"{day[:7]}-01" if by == "month" else day


def done(view: View) -> str:
    """Answers by what the card was, and minutes."""
    by, found = spans(view)
    names = tuple(span.name for span in found)
    series = [
        Series(
            view.say(f"statistics.sort.{sort}"),
            tuple(float(sum(getattr(day, sort) for day in span.days)) for span in found),
            tone,
        )
        for sort, tone in SORTS
    ]
    minutes = Series(
        view.say("statistics.minutes"),
        tuple(sum(day.minutes for day in span.days) for span in found),
    )
    answers = sum(sum(each.values) for each in series)
    days = sum(len(span.days) for span in found)
    length = days_between(view.since, view.today) + 1 if view.since else max(1, days)
    said = view.say(
        "statistics.done.said",
        answers=view.number(answers),
        days=days,
        mean=view.number(answers / max(1, days)),
        share=percent(days / max(1, length), view.language),
    )
    spent = view.say(
        "statistics.minutes.said",
        minutes=view.number(sum(minutes.values)),
        mean=view.number(sum(minutes.values) / max(1, days)),
    )
    when = view.say(f"statistics.by.{by}")
    return bars(
        title=view.say("statistics.done", by=when),
        places=names,
        series=series,
        said=said,
        number=view.number,
        heads=(when, *(each.name for each in series)),
        summary=view.say("graphs.numbers"),
        note=said,
    ) + bars(
        title=view.say("statistics.time", by=when),
        places=names,
        series=[minutes],
        said=spent,
        number=view.number,
        heads=(when, minutes.name),
        summary=view.say("graphs.numbers"),
        note=spent,
    )


def ahead(view: View) -> str:
    """Cards due on the next days, and what is overdue."""
    length = view.period or 365
    overdue, due = standings.due_ahead(view.standing, length)
    if length <= DAYS_UP_TO:
        names = [day_label(add_days(view.today, step), view.language) for step in range(length)]
        values = [float(each) for each in due]
    else:
        names = [day_label(add_days(view.today, step), view.language) for step in range(0, length, 7)]
        values = [float(sum(due[step : step + 7])) for step in range(0, length, 7)]
    said = view.say(
        "statistics.due.said",
        overdue=view.number(overdue),
        today=view.number(due[0]),
        week=view.number(sum(due[:7])),
        all=view.number(sum(due)),
        days=length,
    )
    when = view.say("statistics.by.day" if length <= DAYS_UP_TO else "statistics.by.week")
    return bars(
        title=view.say("statistics.due", by=when),
        places=names,
        series=[Series(view.say("statistics.cards"), tuple(values))],
        said=said,
        number=view.number,
        heads=(when, view.say("statistics.cards")),
        summary=view.say("graphs.numbers"),
        note=said,
    )


def year(view: View) -> str:
    """The last year as a field of days."""
    days = statistics.days_done(view.log)
    streak = statistics.streak(days, view.today)
    said = view.say("statistics.streak.said", now=streak.now, longest=streak.longest, days=streak.days)
    return (
        heat(
            title=view.say("statistics.year"),
            counts={day.day: day.answers for day in days},
            today=view.today,
            weekdays=weekdays(view.language),
            month=months(view.language),
            told={
                day.day: f"{day_label(day.day, view.language, year=True)}: {view.number(day.answers)}"
                for day in days
            },
            said=said,
            less=view.say("statistics.less"),
            more=view.say("statistics.more"),
        )
        + f'<p class="note">{escape(said)}</p>'
    )


def retention_table(view: View, desired: float) -> str:
    """Recall of young and mature cards over several periods, with how far it can be trusted."""
    rows = []
    for days in (7, 30, 365, 0):
        since = add_days(view.today, 1 - days) if days else None
        found = statistics.true_retention(view.log, since=since)
        rows.append(
            (
                view.say(f"statistics.period.{days}"),
                *(_recall(view, each) for each in (found.young, found.mature, found.both)),
            )
        )
    heads = ("period", "young", "mature", "both")
    table = plain_table([view.say(f"statistics.retention.{name}") for name in heads], rows)
    label = escape(view.say("statistics.true_retention"))
    hint = view.say("statistics.retention.hint", desired=percent(desired, view.language))
    return (
        f"<h3>{label}</h3>"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">{table}</div>'
        f'<p class="note">{escape(hint)}</p>'
    )


def _recall(view: View, of: Recall) -> str:
    if of.share is None:
        return "–"
    share, margin = percent(of.share, view.language), percent(of.margin, view.language)
    return f"{share} ±{margin} ({view.number(of.reviews)})"


def calibrated(view: View) -> str:
    """What FSRS foretold beside what was remembered."""
    found = statistics.calibration(view.log, since=view.since)
    title = view.say("statistics.calibration")
    if found is None and view.since is not None:  # a short period has too few: all of it may have enough
        found = statistics.calibration(view.log)
        title = f"{title} · {view.say('statistics.period.0')}"
    if found is None:
        few = view.say("statistics.calibration.few", n=statistics.LEAST_FOR_CALIBRATION)
        return f"<figure><figcaption>{escape(title)}</figcaption>{as_note(few)}</figure>"
    predicted = sum(each.predicted * each.reviews for each in found.bins) / found.reviews
    remembered = sum(each.remembered * each.reviews for each in found.bins) / found.reviews
    return calibration_curve(
        title,
        found,
        view.language,
        view.say(
            "statistics.calibration.said",
            predicted=percent(predicted, view.language),
            remembered=percent(remembered, view.language),
            error=percent(found.error, view.language),
            loss=number(found.log_loss, view.language),
            n=view.number(found.reviews),
        ),
    )


def calibration_curve(title: str, found: statistics.Calibration, language: str, said: str) -> str:
    """A dot for each bin of foretold recall; on the dashed line what was foretold is what came."""
    tenths = int(10 * min(0.8, *(min(each.predicted, each.remembered) for each in found.bins)))
    step = 1 if tenths >= 5 else 2
    tenths -= tenths % step
    low, span = tenths / 10, 1 - tenths / 10
    marks = [Tick((at / 10 - low) / span, percent(at / 10, language)) for at in range(tenths, 11, step)]
    largest = max(each.reviews for each in found.bins)
    dots = [
        Dot(
            x=(each.predicted - low) / span,
            y=(each.remembered - low) / span,
            size=6 + 14 * (each.reviews / largest) ** 0.5,
            text=phrase(
                language,
                "statistics.calibration.dot",
                predicted=percent(each.predicted, language),
                remembered=percent(each.remembered, language),
                n=number(each.reviews, language),
            ),
        )
        for each in found.bins
    ]
    rows = tuple(
        (
            percent(each.predicted, language),
            percent(each.remembered, language),
            number(each.reviews, language),
        )
        for each in found.bins
    )
    heads = tuple(
        phrase(language, f"statistics.calibration.{name}") for name in ("foretold", "came", "reviews")
    )
    line = Series(phrase(language, "statistics.calibration.line"), (0.0, 1.0), "fourth")
    return curve(
        title=title,
        lines=[(line, (0.0, 1.0))],
        dots=dots,
        up=marks[1:],
        along=[Tick(tick.at, tick.text) for tick in marks],
        said=said,
        note=said,
        table=Table(phrase(language, "graphs.numbers"), heads, rows),
    )


def memory(view: View) -> str:
    """Stability and difficulty of all cards that were answered."""
    counts = standings.counts(view.standing)
    strong, hard = standings.stabilities(view.standing), standings.difficulties(view.standing)
    edges = STABILITY_EDGES
    names = [f"{low}–{high}" for low, high in pairwise(edges)] + [f"{edges[-1]}+"]
    cards = view.say("statistics.cards")
    said = view.say(
        "statistics.counts.said",
        new=view.number(counts.new),
        learning=view.number(counts.learning),
        young=view.number(counts.young),
        mature=view.number(counts.mature),
    )
    return bars(
        title=view.say("statistics.stability"),
        places=names,
        series=[Series(cards, tuple(map(float, strong)))],
        said=said,
        number=view.number,
        heads=(view.say("statistics.stability.head"), cards),
        summary=view.say("graphs.numbers"),
        ticks=[str(edge) for edge in edges],
        note=said,
    ) + bars(
        title=view.say("statistics.difficulty"),
        places=[str(step) for step in range(1, 11)],
        series=[Series(cards, tuple(map(float, hard)), "second")],
        said=view.say("statistics.difficulty.said"),
        number=view.number,
        heads=(view.say("statistics.difficulty.head"), cards),
        summary=view.say("graphs.numbers"),
        note=view.say("statistics.difficulty.said"),
    )


def parts_table(view: View, library: Library) -> str:
    """Decks and topics: answers, minutes and recall in the period."""
    log = view.log
    if view.since is not None:
        log = log.where(log.columns.day >= statistics.day_number(view.since))
    titles = Counter(deck.title for deck in library.decks)
    decks = {
        f"{deck.title} ({deck.id})" if titles[deck.title] > 1 else deck.title: [
            card.id for card in deck.cards
        ]
        for deck in library.decks
    }
    topics: dict[str, list[str]] = {}
    for card in library.by_id.values():
        for topic in card.topics:
            topics.setdefault(topic, []).append(card.id)
    return (
        '<div class="graphs">'
        + "".join(
            _parts(view, name, statistics.by_part(log, parts))
            for name, parts in (("deck", decks), ("topic", topics))
        )
        + "</div>"
    )


def _parts(view: View, name: str, parts: Sequence[statistics.Part]) -> str:
    heads = [view.say(f"statistics.parts.{head}") for head in (name, "answers", "minutes", "retention")]
    rows = [
        (part.name, view.number(part.answers), view.number(part.minutes), _recall(view, part.retention.both))
        for part in parts
    ]
    label = escape(view.say(f"statistics.parts.{name}"))
    table = plain_table(heads, rows)
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}">{table}</div>'
