"""The events of a chrome trace as they stand in the file, typed so that msgspec passes over what isn't needed."""

from __future__ import annotations

from typing import Any

import msgspec


class RawArgs(msgspec.Struct, gc=False):
    """What an event says of itself, as far as it counts here."""

    correlation: int | float | str | None = None
    device: int | float | str | None = None
    stream: int | float | str | None = None


class RawEvent(msgspec.Struct, gc=False):
    """One event. `ts` and `dur` are the text of the numbers: a float64 wouldn't keep them."""

    ph: str = ""
    cat: str | None = None
    name: Any = ""
    pid: int | float | str | None = None
    tid: int | float | str | None = None
    ts: msgspec.Raw = msgspec.Raw()
    dur: msgspec.Raw = msgspec.Raw()
    args: RawArgs | None = None


_Scalar = int | float | str | None
_EVENT_FIELDS: dict[str, Any] = {"ph": str, "cat": str, "name": str, "pid": _Scalar, "tid": _Scalar}
_ARGS_FIELDS: dict[str, Any] = {"correlation": _Scalar, "device": _Scalar, "stream": _Scalar}

_events = msgspec.json.Decoder(list[RawEvent])
_event = msgspec.json.Decoder(RawEvent)
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw])

NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding raises; RecursionError: brackets in brackets without end."""


def events_in(text: bytes) -> list[RawEvent]:
    """The events of a list, without its brackets. Raises `NOT_JSON`."""
    return _events.decode(b"[" + text + b"]")


def event_in(text: bytes) -> RawEvent:
    """One event; fields whose type is none of those expected are left out. Raises `NOT_JSON`."""
    try:
        return _event.decode(text)
    except msgspec.ValidationError:
        fields = _fields.decode(text)
    args = None
    if "args" in fields:
        try:
            args = RawArgs(**_of_type(_fields.decode(fields["args"]), _ARGS_FIELDS))
        except NOT_JSON:
            args = None
    event = RawEvent(**_of_type(fields, _EVENT_FIELDS), args=args)
    event.ts, event.dur = (fields.get(name, msgspec.Raw()).copy() for name in ("ts", "dur"))
    return event


def _of_type(fields: dict[str, msgspec.Raw], types: dict[str, Any]) -> dict[str, Any]:
    kept = {}
    for name, kind in types.items():
        if name in fields:
            try:
                kept[name] = msgspec.json.decode(fields[name], type=kind)
            except NOT_JSON:
                continue
    return kept
