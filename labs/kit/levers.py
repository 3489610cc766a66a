"""Reads `--set name=value` by a lab's levers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from engine.measure.events import Scalar
from labs.kit.lab import Lab, Lever
from labs.kit.usage import UsageError, did_you_mean

_YES = ("true", "yes", "on", "1")
_NO = ("false", "no", "off", "0")


def read_settings(lab: Lab, settings: Iterable[str]) -> dict[str, Scalar]:
    """Every lever of the lab with its value: the default, or what `name=value` sets. Raises UsageError."""
    given: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"--set {setting}: write it as name=value.")
        if name.strip() in given:
            raise UsageError(f"--set {setting}: {name.strip()} is set twice.")
        given[name.strip()] = value.strip()
    return read_params(lab, given)


def read_params(lab: Lab, given: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The same for values by name, as texts or as what they are. Raises UsageError."""
    levers = {lever.name: lever for lever in lab.levers}
    for name in given:
        if name not in levers:
            known = ", ".join(levers) or "none"
            raise UsageError(f"{lab.name} has no lever {name}.{did_you_mean(name, levers)} It has: {known}.")
    return {
        name: _read(levers[name], given[name]) if name in given else levers[name].default for name in levers
    }


def allowed(lever: Lever) -> str:
    """What the lever takes, in words: "one of a, b", "a number from 1 to 8" …"""
    if lever.choices:
        return "one of " + ", ".join(shown(choice) for choice in lever.choices)
    if isinstance(lever.default, bool):
        return "yes or no"
    if isinstance(lever.default, int | float):
        kind = "a whole number" if isinstance(lever.default, int) else "a number"
        if lever.low is not None and lever.high is not None:
            return f"{kind} from {lever.low:g} to {lever.high:g}"
        if lever.low is not None:
            return f"{kind} of {lever.low:g} or more"
        if lever.high is not None:
            return f"{kind} of {lever.high:g} or less"
        return kind
    return "a text"


def _read(lever: Lever, given: Scalar) -> Scalar:
    text = shown(given)
    value = _parse(lever, text)
    near = did_you_mean(text, map(shown, lever.choices)) if lever.choices else ""
    if value is None or (lever.choices and value not in lever.choices):
        raise UsageError(f"{lever.name}={text}: must be {allowed(lever)}.{near}")
    if isinstance(value, int | float) and not isinstance(value, bool):
        low = -math.inf if lever.low is None else lever.low
        high = math.inf if lever.high is None else lever.high
        if not low <= value <= high:
            raise UsageError(f"{lever.name}={text}: must be {allowed(lever)}.")
    return value


def _parse(lever: Lever, text: str) -> Scalar:
    """The text as the type of the lever's default; None where it isn't one."""
    if isinstance(lever.default, bool):
        return True if text.lower() in _YES else False if text.lower() in _NO else None
    if isinstance(lever.default, int | float):
        kind = type(lever.default)
        try:
            number = kind(text.replace("_", "")) if text.isascii() else None
        except (ValueError, OverflowError):
            return None
        return number if number is not None and math.isfinite(number) else None
    return text


def shown(value: Scalar) -> str:
    """A value as `--set` takes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else f"{value}"
