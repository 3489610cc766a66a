"""The one ancestor of every error that is written for the person who reads it."""

from __future__ import annotations


class BenchcardsError(Exception):
    """What went wrong and what to do about it, in words. Each room derives its own type from it."""
