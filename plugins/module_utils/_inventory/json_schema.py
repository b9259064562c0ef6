# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema for editors: JSON Schema of inventories and of files of ``group_vars`` and ``host_vars``."""

from __future__ import annotations

from .kinds import NODE
from .schema import VARIABLES

TEMPLATE: NODE = {"type": "string", "pattern": r"\{\{[\s\S]*\}\}"}


def json_schema() -> NODE:
    """One schema for all of these files: what is no variable of the collection is left alone."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Inventory of streamsafe.kafka_dr",
        "$ref": "#/$defs/variables",
        "patternProperties": {"^(?!kafka_dr_)": {"$ref": "#/$defs/group"}},
        "$defs": {
            "template": TEMPLATE,
            "group": {
                "properties": {
                    "vars": {"$ref": "#/$defs/variables"},
                    "hosts": {"additionalProperties": {"$ref": "#/$defs/variables"}},
                    "children": {"additionalProperties": {"$ref": "#/$defs/group"}},
                }
            },
            "variables": {"properties": {name: _open(schema) for name, schema in VARIABLES.items()}},
        },
    }


def _open(schema: NODE) -> NODE:
    """A node without the collection's own keys, which also takes a template."""
    opened = {
        key: value
        for key, value in schema.items()
        if not key.startswith("x-") and key not in ("properties", "items", "additionalProperties", "description")
    }
    if "properties" in schema:
        opened["properties"] = {key: _open(property_schema) for key, property_schema in schema["properties"].items()}
    if "items" in schema:
        opened["items"] = _open(schema["items"])
    if "additionalProperties" in schema:
        others = schema["additionalProperties"]
        opened["additionalProperties"] = _open(others) if isinstance(others, dict) else others
    if schema.get("type") in ("integer", "number"):
        # As the text that a template gives.
        opened = {"anyOf": [opened, {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$"}]}
    description = {"description": schema["description"]} if schema.get("description") else {}
    return {**description, "anyOf": [opened, {"type": "null"}, {"$ref": "#/$defs/template"}]}
