# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of values that a schema is made of, as JSON Schema (draft 2020-12).

Keys that begin with ``x-`` are the collection's own: ``x-expected`` (how a person says what is expected), ``x-remedy``
(the way out), ``x-secret`` (a value of it is never printed), ``x-unique`` (the key that tells entries of a list apart),
``x-where`` (on which hosts a variable is read).
"""

from __future__ import annotations

import typing as t

NODE = dict[str, t.Any]

# No control characters: a line break in a value becomes a second line of the file that the value is written to.
PRINTABLE = r"^[^\x00-\x1f\x7f\u0085\u2028\u2029]*$"
NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
KUBERNETES_NAME = r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$"
PATH = r"^(/|~/)(?!.*(^|/)\.\.(/|$))[^\x00-\x1f\x7f\"'\u0060\\\\{}$;|&<>*?]*$"


def node(kind: str, description: str = "", **more: t.Any) -> NODE:
    """A schema node; keyword ``x_word`` stands for ``x-word``."""
    schema: NODE = {"type": kind}
    if description:
        schema["description"] = description
    schema.update(
        {
            key.replace("x_", "x-", 1) if key.startswith("x_") else key: value
            for key, value in more.items()
            if value is not None
        }
    )
    return schema


def text(description: str = "", pattern: str = PRINTABLE, expected: str = "a text on one line", **more: t.Any) -> NODE:
    """A string; by default any on one line."""
    return node("string", description, **{"pattern": pattern, "x_expected": expected, "minLength": 1, **more})


def name(description: str = "", **more: t.Any) -> NODE:
    """A name that becomes part of file names, units and topics."""
    return text(
        description,
        **{
            "pattern": NAME,
            "expected": "a name of letters, digits, '.', '_' and '-', which begins with a letter or a digit",
            "maxLength": 200,
            **more,
        },
    )


def kubernetes_name(description: str = "") -> NODE:
    """A name as Kubernetes takes it for an object or a namespace."""
    return text(
        description,
        KUBERNETES_NAME,
        "a name as Kubernetes takes it (small letters, digits, '-' and '.')",
        maxLength=253,
    )


def path(description: str = "") -> NODE:
    """A path on a machine, which files are written to or deleted from."""
    return text(description, PATH, "an absolute path without '..', quotes, templates or line breaks")


def long_text(description: str = "", **more: t.Any) -> NODE:
    """A string of any characters, such as a certificate."""
    return node("string", description, **{"x_expected": "a text", **more})


def secret(description: str = "") -> NODE:
    """A string that is never printed."""
    return node("string", description, x_expected="a text (keep it in a vault)", x_secret=True)


def choice(description: str, *values: str) -> NODE:
    """One of some words."""
    return node("string", description, enum=list(values))


def number(description: str = "", least: float | None = None, most: float | None = None) -> NODE:
    """A whole number, also as a string of digits: that is what a template gives."""
    return node("integer", description, minimum=least, maximum=most)


def port(description: str) -> NODE:
    """A TCP port."""
    return number(description, 1, 65535)


def flag(description: str = "") -> NODE:
    """True or false; a word such as ``"false"`` would count as true in many places and is refused."""
    return node("boolean", description)


def loose_flag(description: str = "") -> NODE:
    """True or false, also as a word: it is given on the command line."""
    return node("boolean", description, x_words=True)


def record(description: str, properties: dict[str, NODE], required: tuple[str, ...] = (), **more: t.Any) -> NODE:
    """A dictionary of these keys and no others."""
    return node(
        "object",
        description,
        **{"properties": properties, "required": list(required), "additionalProperties": False, **more},
    )


def mapping(description: str, values: NODE | bool = True, keys: str = PRINTABLE, **more: t.Any) -> NODE:
    """A dictionary whose keys are the user's own."""
    return node("object", description, **{"additionalProperties": values, "propertyNames": {"pattern": keys}, **more})


def listing(description: str, items: NODE, unique: str | None = None, **more: t.Any) -> NODE:
    """A list; ``unique`` is the key that no two entries may share."""
    return node("array", description, items=items, x_unique=unique, **more)


def setting() -> NODE:
    """A value of a configuration: text, number, true or false."""
    return {
        "type": ["string", "number", "boolean"],
        "pattern": PRINTABLE,
        "x-expected": "a text on one line, a number, true or false",
    }
