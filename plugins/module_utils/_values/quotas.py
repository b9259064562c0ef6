# SPDX-License-Identifier: GPL-3.0-or-later
"""Client quotas as they are described, and what leads from one to the other (KIP-13, KIP-124, KIP-257, KIP-546,
KIP-599, KIP-612).

A quota is ``{entity: {user, client-id, ip}, limits: {name: number}}``; in ``entity`` a name is None for the default,
and what is not there is not meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._errors import UsageError

# Types and names, in the order of ENTITIES; the name None is the default.
Entity = tuple[tuple[str, "str | None"], ...]
# None is a limit to remove.
Limits = dict[str, "float | None"]
Quotas = dict[Entity, Limits]

ENTITIES = ("user", "client-id", "ip")
# Names and kinds of numbers as in QuotaConfig (org.apache.kafka.server.config).
WHOLE = ("producer_byte_rate", "consumer_byte_rate", "connection_creation_rate")
FRACTIONS = ("request_percentage", "controller_mutation_rate")
OF_ADDRESSES = ("connection_creation_rate",)


def flatten(quotas: Iterable[Mapping[str, Any]]) -> Quotas:
    """Quotas by their entity: ``{((type, name or None), ...): {limit: number, or None for one that is not to be}}``.

    :raises UsageError: an entity or limit is unknown, an entity is named twice, or a limit is no number.
    """
    flat: Quotas = {}
    for quota in quotas:
        entity = quota.get("entity") or {}
        key = tuple((kind, None if entity[kind] is None else str(entity[kind])) for kind in ENTITIES if kind in entity)
        if (
            not key
            or set(entity) - set(ENTITIES)
            or ("ip" in entity and len(entity) > 1)
            or any(name == "" for dummy, name in key)
        ):
            raise UsageError(
                "A quota names nobody it is for",
                expected="an entity of user, client-id, or both, or of ip; with null for the default",
                found=str(quota.get("entity")),
            )
        if key in flat:
            raise UsageError(f"The quotas of {as_text(key)} are given twice", remedy="Give all its limits at one place")
        flat[key] = {str(name): _number(key, str(name), value) for name, value in (quota.get("limits") or {}).items()}
    return flat


def _number(key: Entity, name: str, value: Any) -> float | None:
    known = (
        OF_ADDRESSES if key[0][0] == "ip" else tuple(limit for limit in WHOLE + FRACTIONS if limit not in OF_ADDRESSES)
    )
    if name not in known:
        raise UsageError(f"The limit '{name}' of {as_text(key)} is not known", expected=", ".join(known))
    if value is None:
        return None
    try:
        number = float("no number" if isinstance(value, bool) else value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 < number < float("inf") or (name in WHOLE and number % 1):
        raise UsageError(
            f"The limit '{name}' of {as_text(key)} is not valid",
            expected=f"a {'whole ' if name in WHOLE else ''}number above 0",
            found=value,
        )
    return plain(number)


def plain(number: float) -> float:
    return int(number) if number % 1 == 0 else number


def as_text(key: Entity) -> str:
    """An entity as a person reads it: ``user 'departures', default client-id``."""
    return ", ".join(f"default {kind}" if name is None else f"{kind} '{name}'" for kind, name in key)


def as_dicts(flat: Quotas) -> list[dict[str, Any]]:
    """Quotas in the form that :func:`flatten` reads, in a fixed order."""
    return [
        {"entity": dict(key), "limits": dict(sorted(limits.items()))}
        for key, limits in sorted(flat.items(), key=lambda item: as_text(item[0]))
    ]


def planned(before: Quotas, wanted: Quotas, state: str) -> Quotas:
    """What is to be changed: ``{entity: {limit: number, or None to remove it}}``.

    :param before: all quotas. :param wanted: as :func:`flatten` gives them.
    :param state: ``present``, ``exact`` or ``absent``, as the module ``client_quotas`` documents them.
    """
    changes: Quotas = {}
    for key, limits in wanted.items():
        current = before.get(key, {})
        if state == "absent":
            change: Limits = dict.fromkeys(name for name in current if name in limits or not limits)
        else:
            change = {name: value for name, value in limits.items() if current.get(name) != value}
            if state == "exact":
                change.update(dict.fromkeys(name for name in current if name not in limits))
        if change:
            changes[key] = change
    return changes


def changed(before: Quotas, changes: Quotas) -> Quotas:
    """What :func:`planned` leads to, for the entities it names; those without any limit are left out."""
    after: Quotas = {
        key: {name: value for name, value in {**before.get(key, {}), **change}.items() if value is not None}
        for key, change in changes.items()
    }
    return {key: limits for key, limits in after.items() if limits}
