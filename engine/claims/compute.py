"""What a claim's formula gives, on the hardware the card speaks of and on any other."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.claims import formula
from engine.claims.fault import ClaimsError
from engine.claims.hardware_quantities import DEVICE_QUANTITIES, Hardware, of_key
from engine.claims.models import MODEL_QUANTITIES, MODELS
from engine.claims.units import Quantity, quantity, read, unit, value_in
from engine.study.card import ClaimText, Fault, Library

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
    named = formula.names(claim.formula)
    device_names = named & DEVICE_QUANTITIES - {name for name, _ in claim.quantities}
    known = {} if hardware is None else hardware.quantities
    own = _own_quantities(claim, named)
    if not device_names <= known.keys():
        return None
    values = own | {name: quantity(*known[name]) for name in device_names}
    found = value_in(formula.evaluate(claim.formula, values), claim.says.unit)
    stands_in = hardware is not None and bool(device_names & hardware.measured)
    return Computed(found, "measured" if stands_in else "datasheet", bool(device_names))


def on_card(claim: ClaimText) -> Computed | None:
    """The formula's value on the hardware that the card speaks of.

    A claim that speaks of no hardware is worked out where its formula needs none.
    """
    return compute(claim, card_hardware(claim))


def card_hardware(claim: ClaimText) -> Hardware | None:
    """The hardware that the card speaks of, or None. Raises ClaimsError for one that isn't in the table."""
    if claim.says.on is None:
        return None
    found = of_key(claim.says.on)
    if found is None:
        raise ClaimsError("says.on", f"{claim.says.on!r} isn't in the table of GPUs")
    return found


def check(claim: ClaimText) -> None:
    """Tries the claim: units, names and the formula. Raises ClaimsError for the first fault found."""
    unit(claim.says.unit)
    card_hardware(claim)
    if claim.model is not None:
        _model(claim)
    if claim.formula is None:
        return
    hardware = _tried_on(claim)
    if compute(claim, hardware) is None:
        lacking = (formula.names(claim.formula) & DEVICE_QUANTITIES) - hardware.quantities.keys()
        raise ClaimsError("formula", f"the table of GPUs has no {min(lacking)} for {hardware.name}")


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


def _own_quantities(claim: ClaimText, named: frozenset[str]) -> dict[str, Quantity]:
    """The quantities of the claim and of its model."""
    values = {}
    for name, text in claim.quantities:
        try:
            values[name] = read(text)
        except ClaimsError as error:
            raise ClaimsError(f"quantities.{name}", error.message) from error
    needed = named & MODEL_QUANTITIES - values.keys()
    if claim.model is not None:
        known = _model(claim)
        values |= {name: quantity(*known[name]) for name in needed}
    elif needed:
        raise ClaimsError(
            "model", f"`{min(needed)}` belongs to a model: name it under `model`, one of {', '.join(MODELS)}"
        )
    unknown = named - values.keys() - DEVICE_QUANTITIES
    if unknown:  # says what is close, with every name that would be known
        everything = {name: quantity(1, "") for name in (*values, *DEVICE_QUANTITIES, *MODEL_QUANTITIES)}
        formula.evaluate(min(unknown), everything)
    return values


def _model(claim: ClaimText) -> dict[str, tuple[float, str]]:
    shape = MODELS.get(claim.model or "")
    if shape is None:
        raise ClaimsError("model", f"{claim.model!r} isn't one of the models: {', '.join(MODELS)}")
    return shape.quantities()
