# SPDX-License-Identifier: GPL-3.0-or-later
"""Gates: preconditions of a stage, the collection's and the user's own."""

from __future__ import annotations

import json
import re
from typing import Any

try:
    import jmespath
    from jmespath.exceptions import JMESPathError
except ImportError:
    jmespath = None

from .._errors import KafkaDrError, UsageError
from .._values.names import names_listed
from . import watch_queries

# Names that mean nothing but themselves to a shell, to YAML and to a template.
PASTED = re.compile(r"[A-Za-z0-9_*][A-Za-z0-9_*.:=,@/ +-]*")


def look(
    gates: list[dict[str, Any]], require: list[dict[str, Any]] | None, facts: dict[str, Any]
) -> dict[str, list[str]]:
    """Which gates hold and which do not.

    :param gates: ``[{name, holds, message, accepted, override, value}]``; without ``override`` a gate cannot be
        overridden, and with ``decided`` it is recorded with what a person decided. One with ``names`` (``{name: why}``)
        holds where there are none, and is accepted name by name.
    :param require: ``[{query, message}]``, JMESPath over ``facts``; only true opens such a gate.
    :returns: ``refusals`` (the gate's name and sentences with the way out), ``overridden`` (names) and ``held`` (names;
        of the user's own gates their messages).
    """
    refusals: list[str] = []
    overridden: list[str] = []
    held: list[str] = []
    for gate in gates:
        if "names" in gate:
            _by_name(gate, refusals, overridden, held)
            continue
        if _true(gate.get("holds")):
            held.append(gate["name"])
            continue
        if gate.get("override") and _true(gate.get("accepted")):
            overridden.append(gate["name"] + (f" ({gate['decided']})" if gate.get("decided") else ""))
            continue
        text = " ".join(str(gate["message"]).split())
        refusals.append(
            f"{gate['name']}: {text}"
            + (
                f" Or override it, recorded: -e {gate['override']}={gate.get('value', 'true')}"
                if gate.get("override")
                else ""
            )
        )
    for own_gate in require or []:
        if _holds(own_gate, facts):
            held.append(str(own_gate["message"]))
        else:
            refusals.append(_closed(own_gate, facts))
    return {"refusals": refusals, "overridden": overridden, "held": held}


def _by_name(gate: dict[str, Any], refusals: list[str], overridden: list[str], held: list[str]) -> None:
    names, accepted = gate["names"] or {}, names_listed(gate.get("accepted"))
    if not names:
        held.append(gate["name"])
        return
    if not set(names) - set(accepted):
        overridden.append(f"{gate['name']} ({', '.join(sorted(names))})")
        return
    reasons = "; ".join(
        f"{name} {' '.join(str(why).split()).rstrip('.')}"
        for name, why in sorted(names.items())
        if name not in accepted
    )
    text = f"{gate['name']}: {' '.join(str(gate['message']).split())}"
    refusals.append(f"{text} {reasons}. {_way_past(gate['override'], sorted(names))}")


def _way_past(variable: str, names: list[str]) -> str:
    """How to accept these names; all of them, so that whoever pastes it keeps what was accepted before."""
    if all(PASTED.fullmatch(name) for name in names):
        return f"Or override it by name, recorded: -e '{json.dumps({variable: names})}'"
    # Others chose the name, and a shell, or Ansible's templates, would run what is in it.
    return (
        "One of these names cannot be accepted on a command line, where a part of it could be run: end what it is about"
    )


def _true(value: bool | int | str | None) -> bool:
    return value if isinstance(value, bool) else str(value).strip().lower() in ("true", "yes", "1")


def _closed(gate: dict[str, str], facts: dict[str, dict[str, Any]]) -> str:
    text = f"Your own gate is closed: {gate['message']} (query: {gate['query']})"
    if watch_queries.fields(jmespath.compile(gate["query"]).parsed) is None or watch_queries.present(facts):
        return text
    lacks = watch_queries.reason(facts)
    return f"{text}: expected the standing proof of the mirror (report.watch), found none, since {lacks}"


def _holds(gate: dict[str, str], facts: dict[str, dict[str, Any]]) -> bool:
    if jmespath is None:
        raise KafkaDrError("A gate of your own needs the Python library jmespath", remedy="pip install jmespath")
    try:
        query = jmespath.compile(gate["query"])
        reads = watch_queries.fields(query.parsed)
        if reads is not None and not watch_queries.present(facts):
            # Whatever is asked of it: that nothing is there is no answer.
            return False
        watch_queries.check(gate["query"], reads, facts)
        return query.search(facts) is True
    except (KeyError, JMESPathError) as error:
        raise UsageError(
            "A gate of your own cannot be read", expected="query (JMESPath) and message", found=f"{gate} ({error})"
        ) from error
