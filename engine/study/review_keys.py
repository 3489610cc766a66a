"""The keys of the review page: Anki's where it has one, each changeable.

Fixed are Space and Enter (answer, then good), 1 to 4 (the grades), ? (shows the keys) and Ctrl+Z (undo).
Anki's keys: - bury, @ suspend, * mark, I info, U undo (docs.ankiweb.net/studying.html, "Keyboard shortcuts").
"""

from __future__ import annotations

from collections.abc import Mapping

DEFAULTS: Mapping[str, str] = {
    "undo": "u",
    "bury": "-",
    "suspend": "@",
    "mark": "*",
    "info": "i",
    "more": "m",
    "predict": "p",
    "evidence": "e",
    "note": "n",
    "edit": "w",
}
"""What can be done, and the key that does it as long as no other was chosen."""

FIXED = frozenset("1234?")


class BadKeys(ValueError):
    """Keys that can't be: `code` is `unknown_action`, `not_a_key`, `key_taken`; `action` names which."""

    def __init__(self, code: str, action: str, key: str) -> None:
        self.code, self.action, self.key = code, action, key
        super().__init__(f"{action}: {_WHY[code].format(key=key)}")


_WHY = {
    "unknown_action": "there is no such action",
    "not_a_key": "{key!r} is not a key: type one visible sign, other than 1 to 4 and ?",
    "key_taken": "{key!r} does something else already: choose another key",
}


def parse_keys(text: str) -> dict[str, str]:
    """The keys in a text such as `bury:b mark:k`, on top of the defaults. Raises BadKeys."""
    keys = dict(DEFAULTS)
    for word in text.split():
        action, _, key = word.partition(":")
        if action not in DEFAULTS:
            raise BadKeys("unknown_action", action, key)
        key = key.lower()
        if len(key) != 1 or not key.isprintable() or key in FIXED:
            raise BadKeys("not_a_key", action, key)
        keys[action] = key
    taken: dict[str, str] = {}
    for action, key in keys.items():
        if key in taken:
            raise BadKeys("key_taken", action, key)
        taken[key] = action
    return keys


def write_keys(keys: Mapping[str, str]) -> str:
    """The text of the keys that differ from the defaults; checked by reading it again. Raises BadKeys."""
    changed = {action: key for action, key in keys.items() if key != DEFAULTS.get(action)}
    text = " ".join(f"{action}:{key}" for action, key in sorted(changed.items()))
    for action, key in changed.items():
        if len(key.split()) != 1:  # an empty key, or one with a space, would not survive the text
            raise BadKeys("not_a_key", action, key)
    parse_keys(text)
    return text
