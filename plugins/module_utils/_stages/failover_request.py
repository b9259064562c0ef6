# SPDX-License-Identifier: GPL-3.0-or-later
"""What a request for a failover may hold: names of the inventory, a known state, numbers."""

from __future__ import annotations

from .._errors import UsageError
from .._values.safe import NAME, shown

STATES = ("well", "late", "silent", "source_unreachable", "unknown")
NAMES = ("name", "source", "target")
NUMBERS = ("looks", "for_seconds", "heartbeat_age", "lag")


def failover_request(seen: object, hosts: list[str]) -> dict:
    """The request's facts, checked.

    :param seen: ``name``, ``source``, ``target`` of the mirror, ``state``, and ``looks``, ``for_seconds``,
        ``heartbeat_age``, ``lag`` (numbers or None).
    :param hosts: names of the inventory's hosts; regions are among them.
    :raises UsageError: anything else is in it; all that is wrong is in one message.
    """
    expected = f"name, source, target, and where they are known state, {', '.join(NUMBERS)}"
    if not isinstance(seen, dict):
        raise UsageError(
            "A request needs request_seen", expected=expected, found=shown(seen), remedy="Nothing was written"
        )
    wrong = [f"{key} is missing" for key in NAMES if not seen.get(key)]
    wrong += [f"{shown(key)} is not taken" for key in seen if key not in (*NAMES, *NUMBERS, "state")]
    name = seen.get("name")
    if name and not (isinstance(name, str) and NAME.match(name)):
        wrong.append(f"name {shown(name)} is to have letters, digits, dot, dash and underscore")
    wrong += [
        f"{key} {shown(seen[key])} is no host of the inventory"
        for key in ("source", "target")
        if seen.get(key) and seen[key] not in hosts
    ]
    if seen.get("state", STATES[0]) not in STATES:
        wrong.append(f"state {shown(seen['state'])} is none of {', '.join(STATES)}")
    wrong += [f"{key} {shown(seen[key])} is no number" for key in NUMBERS if not _number(seen.get(key))]
    if wrong:
        raise UsageError(
            "A request cannot be opened", expected=expected, found="; ".join(wrong), remedy="Nothing was written"
        )
    return {key: seen[key] for key in (*NAMES, "state", *NUMBERS) if seen.get(key) is not None}


def _number(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))
