# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""What a request for a failover may hold: names of the inventory, a known state, numbers."""

from __future__ import annotations

from ._errors import UsageError
from ._safe import NAME, shown

STATES = ("well", "late", "silent", "source_unreachable", "unknown")
NAMES = ("name", "source", "target")
NUMBERS = ("looks", "for_seconds", "heartbeat_age", "lag")


def failover_request(seen: object, hosts: list[str]) -> dict:
    """The request's facts, checked.

    :param seen: ``name``, ``source``, ``target`` of the mirror, ``state``, and ``looks``, ``for_seconds``, ``heartbeat_age``, ``lag`` (numbers or None).
    :param hosts: names of the inventory's hosts; regions are among them.
    :raises UsageError: anything else is in it; all that is wrong is in one message.
    """
    expected = "name, source, target, and where they are known state, %s" % ", ".join(NUMBERS)
    if not isinstance(seen, dict):
        raise UsageError("A request needs request_seen", expected=expected, found=shown(seen), remedy="Nothing was written")
    wrong = ["%s is missing" % key for key in NAMES if not seen.get(key)]
    wrong += ["%s is not taken" % shown(key) for key in seen if key not in (*NAMES, *NUMBERS, "state")]
    name = seen.get("name")
    if name and not (isinstance(name, str) and NAME.match(name)):
        wrong.append("name %s is to have letters, digits, dot, dash and underscore" % shown(name))
    wrong += ["%s %s is no host of the inventory" % (key, shown(seen[key])) for key in ("source", "target") if seen.get(key) and seen[key] not in hosts]
    if seen.get("state", STATES[0]) not in STATES:
        wrong.append("state %s is none of %s" % (shown(seen["state"]), ", ".join(STATES)))
    wrong += ["%s %s is no number" % (key, shown(seen[key])) for key in NUMBERS if not _number(seen.get(key))]
    if wrong:
        raise UsageError("A request cannot be opened", expected=expected, found="; ".join(wrong), remedy="Nothing was written")
    return {key: seen[key] for key in (*NAMES, "state", *NUMBERS) if seen.get(key) is not None}


def _number(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))
