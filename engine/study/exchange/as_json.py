"""An export as JSON: one object, one record a line, so that two exports can be compared line by line."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.study.exchange.faults import ExchangeFault
from engine.study.exchange.parsed import WAY_OUT, Parsed, of_validation
from engine.study.exchange.records import SCHEMA, Export, wrong_schema


class _Head(msgspec.Struct):
    benchcards: Any = None
    schema: Any = None


def write(export: Export) -> bytes:
    """The export as UTF-8 JSON."""
    parts = []
    for name in Export.__struct_fields__:
        value = getattr(export, name)
        if isinstance(value, tuple) and value:
            body = b"[\n" + b",\n".join(map(msgspec.json.encode, value)) + b"\n]"
        else:
            body = msgspec.json.encode(value)
        parts.append(msgspec.json.encode(name) + b": " + body)
    return b"{\n" + b",\n".join(parts) + b"\n}\n"


def read(content: bytes, where: str) -> Parsed:
    """The records of a JSON export. Raises ExchangeFault."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        head = msgspec.json.decode(content, type=_Head)
        if head.benchcards != "export":
            raise ExchangeFault(
                where, "benchcards", 'must be "export": this is no file that `python -m engine export` wrote'
            )
        if head.schema != SCHEMA or isinstance(head.schema, bool):
            raise wrong_schema(where, head.schema)
        return Parsed(msgspec.json.decode(content, type=Export), where)
    except msgspec.ValidationError as error:
        raise of_validation(error, where) from error
    except msgspec.DecodeError as error:
        if "truncated" in str(error):
            raise ExchangeFault(where, "", "ends in the middle: copy or export it anew") from error
        raise ExchangeFault(where, "", f"isn't JSON ({error}): {WAY_OUT}") from error
    except UnicodeDecodeError as error:
        raise ExchangeFault(where, "", "isn't UTF-8 text: save it as UTF-8, or export it anew") from error
    except RecursionError as error:
        raise ExchangeFault(where, "", f"is nested too deeply: {WAY_OUT}") from error
