"""The events of a chrome trace as they stand in the file, typed so that the decoder skips what isn't needed.

Times are decoded as numbers first, which takes a quarter of the time of reading their text. A float64 doesn't
keep every time that a trace may hold: where it might not, the same text is decoded again, times as text.
"""

from __future__ import annotations

import functools
import operator
from typing import Any, ClassVar

import msgspec


class RawArgs(msgspec.Struct, gc=False):
    """What an event says of itself, as far as it counts here."""

    correlation: int | float | str | None = None
    device: int | float | str | None = None
    stream: int | float | str | None = None
    bytes: int | float | str | None = None


class Lasting(msgspec.Struct, gc=False, tag_field="ph", tag="X"):
    """An event that lasts, without its times."""

    cat: str | None = None
    name: str = ""
    pid: int | float | str | None = None
    tid: int | float | str | None = None
    args: RawArgs | None = None


class NumberEvent(Lasting, gc=False, tag_field="ph", tag="X"):
    """An event that lasts, its times as numbers."""

    ts: int | float | str | None = None
    dur: int | float | str | None = None


class StartTextEvent(Lasting, gc=False, tag_field="ph", tag="X"):
    """An event that lasts, its start as text: starts are large, durations hardly ever are."""

    ts: msgspec.Raw = msgspec.Raw()
    dur: int | float | str | None = None


class TextEvent(Lasting, gc=False, tag_field="ph", tag="X"):
    """An event that lasts, its times as the text that stands in the file (empty where there is none)."""

    ts: msgspec.Raw = msgspec.Raw()
    dur: msgspec.Raw = msgspec.Raw()


class PassedOver(msgspec.Struct, gc=False):
    """An event of another phase (arrow, instant, counter, name of a process): nothing of it is needed."""

    cat: ClassVar[None] = None


Event = NumberEvent | StartTextEvent | TextEvent | PassedOver
LASTING = frozenset({NumberEvent, StartTextEvent, TextEvent})
OTHER_PHASES = "BEiICbnestfMPNODSTpFvVRc(),"
"""Trace Event Format, "Event Types", without X."""

NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding raises; RecursionError: brackets in brackets without end."""

_others = [
    msgspec.defstruct(f"PassedOver{number}", [], bases=(PassedOver,), gc=False, tag_field="ph", tag=phase)
    for number, phase in enumerate(OTHER_PHASES)
]
_fields = msgspec.json.Decoder(dict[str, msgspec.Raw])
_Scalar = int | float | str | None
_EVENT_FIELDS: dict[str, Any] = {"cat": str, "pid": _Scalar, "tid": _Scalar}
_ARGS_FIELDS: dict[str, Any] = dict.fromkeys(("correlation", "device", "stream", "bytes"), _Scalar)


Kind = type[NumberEvent] | type[StartTextEvent] | type[TextEvent]


class EventDecoder:
    """Decodes lists of events to one of the three kinds."""

    def __init__(self, kind: Kind) -> None:
        one: Any = functools.reduce(operator.or_, _others, kind)
        self._list: msgspec.json.Decoder[list[Event]] = msgspec.json.Decoder(list[one])
        document = msgspec.defstruct("Document", [("traceEvents", list[one])])
        self._document: msgspec.json.Decoder[Any] = msgspec.json.Decoder(document)

    def events(self, text: bytes) -> list[Event]:
        """The events of a list, or of a document that has them under traceEvents. Raises `NOT_JSON`."""
        if text.startswith(b"["):
            return self._list.decode(text)
        events: list[Event] = self._document.decode(text).traceEvents
        return events


@functools.cache
def decoder_of(kind: Kind) -> EventDecoder:
    """Made when it is wanted: most traces need one of the three."""
    return EventDecoder(kind)


def event_in(text: bytes) -> Event:
    """One event; fields whose type is none of those expected are left out. Raises `NOT_JSON`."""
    try:
        return decoder_of(TextEvent).events(b"[%b]" % text)[0]
    except msgspec.ValidationError:
        fields = _fields.decode(text)
    if bytes(fields.get("ph", b"")) != b'"X"':
        return PassedOver()
    args = None
    if "args" in fields:
        try:
            args = RawArgs(**_of_type(_fields.decode(fields["args"]), _ARGS_FIELDS))
        except NOT_JSON:
            args = None
    name = msgspec.json.decode(fields.get("name", b'""'))
    event = TextEvent(**_of_type(fields, _EVENT_FIELDS), name=str(name), args=args)
    event.ts, event.dur = (fields.get(key, msgspec.Raw()).copy() for key in ("ts", "dur"))
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
