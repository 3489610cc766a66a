"""Study days as graphs write them."""

from __future__ import annotations

from datetime import date

from app_pages.words import phrase


def day_label(day: str, language: str, *, year: bool = False) -> str:
    """An ISO date in short: 3 Nov, 3/11, 11月3日."""
    of = date.fromisoformat(day)
    if language == "zh":
        return f"{of.year}年{of.month}月{of.day}日" if year else f"{of.month}月{of.day}日"
    if language == "vi":
        return f"{of.day}/{of.month}/{of.year}" if year else f"{of.day}/{of.month}"
    month = months(language)[of.month - 1]
    return f"{of.day} {month} {of.year}" if year else f"{of.day} {month}"


def month_label(day: str, language: str) -> str:
    """The month of an ISO date: Nov 2026, 11/2026, 2026年11月."""
    of = date.fromisoformat(day)
    if language == "zh":
        return f"{of.year}年{of.month}月"
    return f"{of.month}/{of.year}" if language == "vi" else f"{months(language)[of.month - 1]} {of.year}"


def months(language: str) -> list[str]:
    """Twelve short names."""
    return phrase(language, "graphs.months").split()


def weekdays(language: str) -> list[str]:
    """Seven short names, Monday first."""
    return phrase(language, "graphs.weekdays").split()
