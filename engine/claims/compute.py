"""What a claim's formula gives, on the hardware the card speaks of and on any other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.claims import formula
from engine.claims.fault import ClaimsError
from engine.claims.hardware_quantities import DEVICE_QUANTITIES, Hardware, of_key
from engine.claims.models import MODEL_QUANTITIES, MODELS
from engine.claims.units import Quantity, quantity, read, unit, value_in
from engine.claims.verdict import follows
from engine.study.card import ClaimText, Fault, Library, Says

REFERENCE = "h100-sxm"
"""The GPU on which a claim that names none is tried when a deck is checked."""


@dataclass(frozen=True, slots=True)
class Computed:
    """A formula's value in the claim's unit.

    `ceiling` is "measured" where a measured ceiling stands in for a datasheet figure that the formula
    names and the device lacks, else "datasheet"; `on_device` whether the formula depends on the device.
    """

    value: float
    ceiling: str
    on_device: bool


def compute(claim: ClaimText, hardware: Hardware | None) -> Computed | None:
    """The formula's value on `hardware`; None without a formula, or where the hardware lacks a quantity.

    Raises ClaimsError where the claim itself is wrong.
    """
    if claim.formula is None:
        return None
    plan = _planned(claim)
    known = {} if hardware is None else hardware.quantities
    if not plan.device <= known.keys():
        return None
    values = dict(plan.values)
    for name in plan.device:
        values[name] = _known(*known[name])
    for name, text in plan.steps:
        try:
            values[name] = formula.evaluate(text, values)
        except ClaimsError as error:
            raise _within(name, error) from error
    found = value_in(formula.evaluate(claim.formula, values), claim.says.unit)
    stands_in = hardware is not None and bool(plan.device & hardware.measured)
    return Computed(found, "measured" if stands_in else "datasheet", bool(plan.device))


@lru_cache(maxsize=4096)
def on_card(claim: ClaimText) -> Computed | None:
    """The formula's value on the hardware that the card speaks of.

    A claim that speaks of no hardware is worked out where its formula needs none.
    """
    return compute(claim, card_hardware(claim))


def card_hardware(claim: ClaimText) -> Hardware | None:
    """The hardware that the card speaks of, or None. Raises ClaimsError for one that isn't in the table."""
    if claim.says.on is None:
        return None
    found = _of_key(claim.says.on)
    if found is None:
        raise ClaimsError("says.on", f"{claim.says.on!r} isn't in the table of GPUs")
    return found


def check(claim: ClaimText) -> None:
    """Tries the claim: units, names, the formula, and whether the card's figure follows from it.

    Raises ClaimsError for the first fault found. A figure that doesn't follow needs a correction, and a
    correction must be what the formula gives.
    """
    unit(claim.says.unit)
    if claim.correction is not None:
        value_in(quantity(1, claim.correction.says.unit), claim.says.unit)
    card_hardware(claim)
    if claim.model is not None:
        _model(claim)
    if claim.formula is None:
        return
    hardware = _tried_on(claim)
    if compute(claim, hardware) is None:
        lacking = _planned(claim).device - hardware.quantities.keys()
        raise ClaimsError("formula", f"the table of GPUs has no {min(lacking)} for {hardware.name}")
    computed = on_card(claim)
    if computed is not None:
        _check_figure(claim, computed.value)


def _check_figure(claim: ClaimText, value: float) -> None:
    says, right = claim.says, claim.correction
    if follows(value, says, claim.tolerance):
        if right is not None:
            raise ClaimsError(
                "correction", f"isn't needed: the formula gives what the card says, {_shown(says)}"
            )
        return
    gives = f"the formula gives {value:.4g} {says.unit}".rstrip()
    if right is None:
        raise ClaimsError(
            "says",
            f"{gives}, the card says {_shown(says)}: mend it, or give the right value under `correction`",
        )
    if not follows(value_in(quantity(value, says.unit), right.says.unit), right.says, claim.tolerance):
        raise ClaimsError("correction", f"{gives}, which isn't the {_shown(right.says)} given as right")


def _shown(says: Says) -> str:
    number = f"{says.value:g}" if says.value is not None else f"{says.low:g} to {says.high:g}"
    return f"{number} {says.unit}".rstrip()


def _tried_on(claim: ClaimText) -> Hardware:
    """The card's hardware, else a reference, with a copy bandwidth (which only a measurement knows)."""
    hardware = card_hardware(claim) or of_key(REFERENCE)
    if hardware is None:
        raise ClaimsError("formula", f"the table of GPUs has no {REFERENCE}")
    known = hardware.quantities
    return replace(hardware, quantities={"copy_bandwidth": known["memory_bandwidth"], **known})


def faults(library: Library) -> tuple[Fault, ...]:
    """What is wrong with the claims of a library, for `engine check`."""
    found = []
    for card in library.by_id.values():
        for claim in card.claims:
            try:
                check(claim)
            except ClaimsError as error:
                found.append(error.at(card, claim).fault())
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a formula needs: `values` that are known, names of the `device`, and formulas in their order."""

    values: Mapping[str, Quantity]
    device: frozenset[str]
    steps: tuple[tuple[str, str], ...]


@lru_cache(maxsize=4096)
def _planned(claim: ClaimText) -> _Plan:
    """Resolves every name that the claim's formula needs, also through quantities that are formulas.

    Raises ClaimsError for an unknown name, a model that isn't named, a unit that isn't one, and a circle.
    """
    own = dict(claim.quantities)
    model = {} if claim.model is None else _model(claim)
    values: dict[str, Quantity] = {}
    device: set[str] = set()
    steps: dict[str, str] = {}
    open_names: list[str] = []

    def resolve(name: str) -> None:
        if name in values or name in steps or name in device:
            return
        if name in open_names:
            circle = " → ".join([*open_names[open_names.index(name) :], name])
            raise ClaimsError(f"quantities.{name}", f"is worked out from itself: {circle}")
        if name in own and formula.is_formula(own[name]):
            open_names.append(name)
            for needed in sorted(_names(name, own[name])):
                resolve(needed)
            open_names.pop()
            steps[name] = own[name]
        elif name in own:
            try:
                values[name] = read(own[name])
            except ClaimsError as error:
                raise _within(name, error) from error
        elif name in model:
            values[name] = _known(*model[name])
        elif name in DEVICE_QUANTITIES:
            device.add(name)
        elif name in MODEL_QUANTITIES:
            raise ClaimsError(
                "model", f"`{name}` belongs to a model: name it under `model`, one of {', '.join(MODELS)}"
            )
        else:  # says what is close, with every name that would be known
            known = (*own, *DEVICE_QUANTITIES, *MODEL_QUANTITIES)
            try:
                formula.evaluate(name, dict.fromkeys(known, quantity(1, "")))
            except ClaimsError as error:
                raise (_within(open_names[-1], error) if open_names else error) from error

    for name in own:
        if not formula.is_formula(own[name]):
            resolve(name)  # a unit that isn't one is a fault even where nothing uses it
    for name in sorted(formula.names(claim.formula or "0")):
        resolve(name)
    return _Plan(values, frozenset(device), tuple(steps.items()))


def _names(name: str, text: str) -> frozenset[str]:
    try:
        return formula.names(text)
    except ClaimsError as error:
        raise _within(name, error) from error


def _within(name: str, error: ClaimsError) -> ClaimsError:
    """The same error at the quantity in which it arose."""
    return ClaimsError(f"quantities.{name}", error.message)


@lru_cache(maxsize=4096)
def _known(value: float, unit_text: str) -> Quantity:
    return quantity(value, unit_text)


@lru_cache(maxsize=256)
def _of_key(key: str) -> Hardware | None:
    return of_key(key)


def _model(claim: ClaimText) -> Mapping[str, tuple[float, str]]:
    shape = MODELS.get(claim.model or "")
    if shape is None:
        raise ClaimsError("model", f"{claim.model!r} isn't one of the models: {', '.join(MODELS)}")
    return shape.quantities()
