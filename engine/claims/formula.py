"""Formulas of claims: arithmetic over named quantities, parsed into a closed set of nodes.

Allowed are numbers, names, + - * / **, a leading minus, parentheses, and min(…) and max(…). Nothing is ever
run as Python.
"""

from __future__ import annotations

import ast
import difflib
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

import pint

from engine.claims.fault import ClaimsError
from engine.claims.units import Quantity, described, quantity

LONGEST = 2000
DEEPEST = 60
LARGEST_EXPONENT = 16

_A_NUMBER = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*(?![-+*/^(.\d\s])")
_OPERATORS: dict[type[ast.operator], tuple[str, Callable[[Quantity, Quantity], Quantity]]] = {
    ast.Add: ("added to", operator.add),
    ast.Sub: ("subtracted from", operator.sub),
    ast.Mult: ("multiplied by", operator.mul),
    ast.Div: ("divided by", operator.truediv),
}
_CHOICES: dict[str, Callable[..., Quantity]] = {"min": min, "max": max}


@lru_cache(maxsize=2048)
def parse(text: str) -> ast.expr:
    """The formula's tree. Raises ClaimsError where it is more than arithmetic over names."""
    written = " ".join(text.split())
    if len(written) > LONGEST:
        raise ClaimsError("formula", f"is longer than {LONGEST} characters: split the claim")
    try:
        tree = ast.parse(written, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        place = f" at character {error.offset}" if isinstance(error, SyntaxError) and error.offset else ""
        raise ClaimsError("formula", f"{written!r} isn't arithmetic{place}") from error
    for _ in _checked(tree, written, 0):
        pass
    return tree


def is_formula(text: str) -> bool:
    """Whether a quantity's text is worked out from others ("kernels * launch_cost"), and is no number."""
    return _A_NUMBER.match(text) is None


@lru_cache(maxsize=2048)
def names(text: str) -> frozenset[str]:
    """The quantities that a formula names. Raises ClaimsError as `parse` does."""
    tree = parse(text)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return frozenset(
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called
    )


def evaluate(text: str, quantities: Mapping[str, Quantity]) -> Quantity:
    """The formula's value.

    Raises ClaimsError for an unknown name, units that don't fit, a division by zero, or no finite result.
    """
    try:
        found = _value(parse(text), quantities)
    except OverflowError as error:
        raise ClaimsError("formula", "gives a number too large to hold") from error
    if not isinstance(found.magnitude, (int, float)) or not math.isfinite(found.magnitude):
        raise ClaimsError("formula", f"gives {found.magnitude}, which isn't a finite number")
    return found


def _checked(node: ast.expr, text: str, depth: int) -> Iterator[None]:
    """Walks the tree and raises ClaimsError at the first node that isn't allowed."""
    if depth > DEEPEST:
        raise ClaimsError("formula", f"is nested more than {DEEPEST} deep: split the claim")
    match node:
        case ast.Constant(value=bool()) | ast.Name(id="True" | "False" | "None"):
            raise _refused(node, text)
        case ast.Constant(value=int() | float()) | ast.Name():
            pass
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=inner):
            yield from _checked(inner, text, depth + 1)
        case ast.BinOp(op=ast.Pow(), left=base, right=exponent):
            if _exponent(exponent) is None:
                raise ClaimsError(
                    "formula",
                    f"an exponent must be a number of at most {LARGEST_EXPONENT}, as in `hidden ** 2`",
                )
            yield from _checked(base, text, depth + 1)
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), left=left, right=right):
            yield from _checked(left, text, depth + 1)
            yield from _checked(right, text, depth + 1)
        case ast.Call(func=ast.Name(id="min" | "max"), args=[_, _, *_], keywords=[]):
            for argument in node.args:
                yield from _checked(argument, text, depth + 1)
        case _:
            raise _refused(node, text)
    yield


def _refused(node: ast.expr, text: str) -> ClaimsError:
    part = ast.get_source_segment(text, node) or text
    return ClaimsError(
        "formula",
        f"{part!r} isn't allowed: use numbers, named quantities, + - * / **, parentheses, "
        "and min or max of two or more",
    )


def _exponent(node: ast.expr) -> float | None:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            found = _exponent(inner)
            return None if found is None else -found
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value if abs(value) <= LARGEST_EXPONENT else None
    return None


def _value(node: ast.expr, quantities: Mapping[str, Quantity]) -> Quantity:
    match node:
        case ast.Constant(value=int() | float() as number):
            return quantity(number, "")
        case ast.Name(id=name):
            return _named(name, quantities)
        case ast.UnaryOp(op=sign, operand=inner):
            found = _value(inner, quantities)
            return -found if isinstance(sign, ast.USub) else found
        case ast.BinOp(op=ast.Pow(), left=base, right=exponent):
            return _power(_value(base, quantities), _exponent(exponent) or 0.0)
        case ast.BinOp(left=left, op=sort, right=right):
            return _combined(sort, _value(left, quantities), _value(right, quantities))
        case ast.Call(func=ast.Name(id=choice), args=arguments):
            return _chosen(choice, [_value(argument, quantities) for argument in arguments])
    raise _refused(node, ast.unparse(node))


def _named(name: str, quantities: Mapping[str, Quantity]) -> Quantity:
    found = quantities.get(name)
    if found is None:
        close = difflib.get_close_matches(name, list(quantities), n=1)
        hint = f": did you mean `{close[0]}`?" if close else ": name it under `quantities`"
        raise ClaimsError("formula", f"there is no quantity `{name}`{hint}")
    return found


def _combined(sort: ast.operator, left: Quantity, right: Quantity) -> Quantity:
    word, operation = _OPERATORS[type(sort)]
    try:
        return operation(left, right)
    except pint.DimensionalityError as error:
        raise ClaimsError(
            "formula", f"the units don't fit: {described(right)} can't be {word} {described(left)}"
        ) from error
    except ZeroDivisionError as error:
        raise ClaimsError("formula", "divides by zero") from error


def _power(base: Quantity, exponent: float) -> Quantity:
    try:
        found: Quantity = base**exponent
    except ZeroDivisionError as error:
        raise ClaimsError("formula", "divides by zero") from error
    return found


def _chosen(choice: str, values: list[Quantity]) -> Quantity:
    for value in values[1:]:
        if value.dimensionality != values[0].dimensionality:
            raise ClaimsError(
                "formula",
                f"the units don't fit: {choice} compares {described(values[0])} with {described(value)}",
            )
    return _CHOICES[choice](values, key=lambda value: value.to_base_units().magnitude)
