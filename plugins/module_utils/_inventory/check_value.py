# SPDX-License-Identifier: GPL-3.0-or-later
"""One value against its schema: every mistake with its path, what was expected, what was found, and the way out."""

from __future__ import annotations

import collections.abc as c
import dataclasses
import difflib
import math
import re

from .._values.redact import text as without_secrets
from .kinds import NODE

WORDS = {
    "object": "a dictionary",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}
LENGTH = 60
WORD = re.compile(r"\w+\Z")
PLAIN = re.compile(r"[\w.-]{1,60}\Z")
# A brace that begins a template.
TEMPLATE = re.compile(r"\{(?=[{%#])")
TRUE_OR_FALSE = ("true", "false", "yes", "no", "1", "0", "on", "off")


@dataclasses.dataclass(frozen=True)
class Mistake:
    """What is wrong with one place of a description.

    :ivar path: the place, such as ``kafka_dr_mirrors[0].policy``. :ivar about: regions that the place is about, none
        for all.
    """

    path: str
    expected: str
    found: str
    remedy: str = ""
    about: frozenset[str] = frozenset()

    def sentence(self, where: str = "") -> str:
        """The mistake as a person reads it; ``where`` names the hosts that have it."""
        text = f"{where}{self.path}: expected {self.expected.rstrip('.')}, found {self.found.rstrip('.')}."
        remedy = (self.remedy or "Correct it in the inventory").rstrip(".")
        return f"{text} {remedy}{'' if remedy.endswith('?') else '.'}"


class Unresolved:
    """Stands for a value whose template cannot be resolved."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


class Hidden(str):
    """A text that comes from a vault: it is never shown, wherever it stands."""


def shown(value: object, length: int = LENGTH) -> str:
    """A text of the user's, on one line, cut, without what has the form of a secret or of a template."""
    text = "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in str(value)
    )
    # Last, and at each brace: three in a row are a template from the second one on.
    text = TEMPLATE.sub("{ ", without_secrets(text))
    return text if len(text) <= length else text[: length - 1] + "…"


def found(value: object, hide: bool = False) -> str:
    """What a value is, in words; of a secret its kind only."""
    if isinstance(value, Unresolved):
        return f"a template that cannot be resolved ({shown(value.reason, 200)})"
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return (
            f"a dictionary with the keys {', '.join(shown(key, 30) for key in list(value)[:6])}"
            if value
            else "an empty dictionary"
        )
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    kind = (
        "true or false"
        if isinstance(value, bool)
        else "a number"
        if isinstance(value, (int, float))
        else "a text"
        if isinstance(value, str)
        else type(value).__name__
    )
    if hide or isinstance(value, Hidden):
        return f"{kind} (not shown)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"the text '{shown(value)}'" if value else "an empty text"
    return f"{'the number' if kind == 'a number' else kind} {shown(value)}"


def expected(schema: NODE) -> str:
    """What a schema wants, in words."""
    if "x-expected" in schema:
        return str(schema["x-expected"])
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    kinds = schema.get("type", "")
    words = " or ".join(WORDS[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind)
    least, most, above = schema.get("minimum"), schema.get("maximum"), schema.get("exclusiveMinimum")
    if least is not None and most is not None:
        return f"{words} from {least} to {most}"
    if above is not None:
        return f"{words} above {above}"
    return words if least is None else f"{words} of at least {least}"


def key_path(path: str, key: object) -> str:
    """The path of a key below a path."""
    # Paths are made of every key there is, and nearly all keys are plain.
    word = key if isinstance(key, str) and PLAIN.match(key) else shown(key)
    return f"{path}.{word}" if WORD.match(word) else f"{path}['{word}']"


def mistakes(value: object, schema: NODE, path: str, within: bool = False) -> c.Iterator[Mistake]:
    """Every mistake in a value, the outermost first.

    :param value: plain data, with :class:`Unresolved` for what cannot be told.
    :param within: whether it stands within something with secrets: a text where a dictionary is wanted may be one then.
    """
    kinds = schema.get("type")
    within = within or bool(schema.get("x-secret"))
    hide = within if kinds in ("object", "array") else bool(schema.get("x-secret"))
    if isinstance(value, Unresolved):
        yield Mistake(
            path, expected(schema) or "a value", found(value), "Define what the template names, or correct it"
        )
    elif kinds and not any(_is(value, kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        yield Mistake(path, expected(schema), found(value, hide), str(schema.get("x-remedy") or ""))
    elif isinstance(value, dict):
        yield from _keys(value, schema, path, within)
    elif isinstance(value, list):
        yield from _entries(value, schema, path, within)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool) and not _fits(value, schema):
        yield Mistake(
            path,
            expected(schema),
            found(value, hide),
            str(schema.get("x-remedy") or _nearest(value, schema.get("enum") or ())),
        )


def _is(value: object, kind: str, schema: NODE) -> bool:
    if kind == "boolean":
        return isinstance(value, bool) or (bool(schema.get("x-words")) and str(value).lower() in TRUE_OR_FALSE)
    if kind in ("integer", "number"):
        number = _number(value)
        return number is not None and (kind == "number" or number == int(number))
    kinds: dict[str, type] = {"object": dict, "array": list, "string": str, "null": type(None)}
    return isinstance(value, kinds[kind])


def _number(value: object) -> float | None:
    """A number, also as the text that a template gives; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return (
        number
        if math.isfinite(number) and (not isinstance(value, str) or re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value))
        else None
    )


def _fits(value: str | float, schema: NODE) -> bool:
    kinds = schema.get("type")
    number = _number(value) if kinds != "string" and "string" not in (kinds or ()) else None
    if number is not None:
        return (schema.get("minimum", number) <= number <= schema.get("maximum", number)) and (
            "exclusiveMinimum" not in schema or number > schema["exclusiveMinimum"]
        )
    if not isinstance(value, str):
        return True
    return (
        ("enum" not in schema or value in schema["enum"])
        and schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
        and (
            "pattern" not in schema
            or (re.search(schema["pattern"], value) is not None and not value.endswith("\n"))
            or (value == "" and schema.get("minLength") == 0)
        )
    )


def _nearest(word: object, known: c.Iterable[str]) -> str:
    near = difflib.get_close_matches(str(word), list(known), 1, 0.6) or difflib.get_close_matches(
        str(word).lower(), list(known), 1, 0.6
    )
    return f"Did you mean {near[0]}?" if near else ""


def _keys(value: dict, schema: NODE, path: str, within: bool) -> c.Iterator[Mistake]:
    properties, others = schema.get("properties") or {}, schema.get("additionalProperties", True)
    for key in schema.get("required") or ():
        if value.get(key) is None:
            yield Mistake(key_path(path, key), expected(properties.get(key, {})) or "a value", "nothing", "Give it")
    for key, entry in value.items():
        if key in properties:
            if entry is not None:
                yield from mistakes(entry, properties[key], key_path(path, key), within)
        elif others is False:
            yield Mistake(
                key_path(path, key),
                f"no key but {', '.join(properties)}",
                "a key that nobody reads",
                _nearest(key, properties) or "Correct its name, or remove it",
            )
        elif not isinstance(key, str) or re.search((schema.get("propertyNames") or {}).get("pattern", ""), key) is None:
            yield Mistake(
                key_path(path, key),
                f"a key like {next(iter(properties), None) or 'a name on one line'}",
                f"the key '{shown(key)}'",
                _nearest(str(key).replace("_", "."), properties) or "Correct it",
            )
        elif isinstance(others, dict) and entry is not None:
            yield from mistakes(entry, others, key_path(path, key), within)
    if len(value) < schema.get("minProperties", 0):
        yield Mistake(path, f"at least one of {', '.join(properties)}", "an empty dictionary", "Give one")


def _entries(value: list, schema: NODE, path: str, within: bool) -> c.Iterator[Mistake]:
    for at, entry in enumerate(value):
        yield from mistakes(entry, schema.get("items") or {}, f"{path}[{at}]", within)
    if len(value) < schema.get("minItems", 0):
        yield Mistake(
            path,
            "at least one entry",
            "an empty list",
            str(schema.get("x-remedy") or "Give one, or leave the list out"),
        )
    unique = schema.get("x-unique")
    first: dict[str, int] = {}
    for at, entry in enumerate(value):
        name = entry.get(unique) if unique and isinstance(entry, dict) else None
        if isinstance(name, str) and first.setdefault(name, at) != at:
            yield Mistake(
                f"{path}[{at}].{unique}",
                f"another {unique} than that of entry {first[name]}",
                found(name),
                "Put both into one entry, or name one anew",
            )
