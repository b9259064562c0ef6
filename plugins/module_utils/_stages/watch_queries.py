# SPDX-License-Identifier: GPL-3.0-or-later
"""Which queries of a gate read ``report.watch``: without a standing proof they hold for nothing, whatever they ask."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .._errors import UsageError

WATCH = ["report", "watch"]


def fields(node: Mapping[str, Any]) -> set[str] | None:
    """Names that a parsed query takes of ``report.watch``; empty where it takes all of it or does so otherwise, None
    where it does not read it.

    :param node: of jmespath's tree: ``type``, ``value`` and ``children``.
    """
    found: set[str] | None = None
    if node["type"] == "field" and node.get("value") == WATCH[1]:
        found = set()
    children = [child for child in node["children"] if isinstance(child, Mapping)]
    names = [child.get("value") if child["type"] == "field" else None for child in children]
    if node["type"] == "subexpression" and names[:2] == WATCH and len(names) > 2 and names[2] is not None:
        found = {str(names[2])}
    for child in children:
        within = fields(child)
        if within is not None:
            found = (found or set()) | within
    return found


def present(facts: Mapping[str, Any]) -> bool:
    """Whether the stage found a standing proof."""
    watch = (facts.get("report") or {}).get("watch")
    return isinstance(watch, Mapping) and watch.get("present") is True


def reason(facts: Mapping[str, Any]) -> str:
    """Why there is none."""
    watch = (facts.get("report") or {}).get("watch")
    return str(watch["reason"]) if isinstance(watch, Mapping) and "reason" in watch else "this stage reads none"


def check(query: str, names: Collection[str] | None, facts: Mapping[str, Any]) -> None:
    """Refuse a query that takes what a standing proof does not have, which would be empty and might open a gate.

    :raises UsageError: it does.
    """
    known = (facts.get("report") or {}).get("watch") or {}
    strange = sorted(set(names or ()) - set(known))
    if strange:
        raise UsageError(
            "A gate of your own asks report.watch for what it does not have",
            expected=", ".join(sorted(known)),
            found=f"{', '.join(strange)} (query: {query})",
        )
