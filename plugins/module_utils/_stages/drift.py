# SPDX-License-Identifier: GPL-3.0-or-later
"""What a region that comes back has otherwise than the one that works. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

# What tells one right from another.
RIGHT = ("resource", "name", "pattern", "permission", "host")


def drift(here: Mapping[str, Any], there: Mapping[str, Any], service: Collection[str] = ()) -> list[str]:
    """What a region has otherwise than the one that works, in sentences.

    :param here, there: ``topics{name: {partitions, configs}}``, ``acls[]`` and ``quotas[]`` as ``cluster_info`` returns
        them.
    :param service: names of users that need other rights in one region than in the other.
    """
    return [
        *_topics(here.get("topics") or {}, there.get("topics") or {}),
        *_rights(here.get("acls") or [], there.get("acls") or [], {f"User:{name}" for name in service}),
        *_quotas(here.get("quotas") or [], there.get("quotas") or []),
    ]


def _topics(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    made = [f"topic {name} is not there" for name in sorted({*theirs} - {*mine})]
    made += [f"topic {name} is there alone" for name in sorted({*mine} - {*theirs})]
    for name in sorted({*mine} & {*theirs}):
        one, other = mine[name].get("configs") or {}, theirs[name].get("configs") or {}
        keys = [key for key in sorted({*one, *other}) if one.get(key) != other.get(key)]
        if mine[name].get("partitions") != theirs[name].get("partitions"):
            keys = ["partitions", *keys]
        if keys:
            made.append(f"topic {name} differs in {', '.join(keys)}")
    return made


def _rights(mine: Iterable[Mapping[str, Any]], theirs: Iterable[Mapping[str, Any]], service: set[str]) -> list[str]:
    one, other = _by_principal(mine), _by_principal(theirs)
    made = []
    for name in sorted({*one, *other} - service):
        alone, lacking = one.get(name, set()) - other.get(name, set()), other.get(name, set()) - one.get(name, set())
        told = [f"has {len(alone)} that are there alone"] if alone else []
        told += [f"lacks {len(lacking)}"] if lacking else []
        if told:
            made.append(f"of rights, {name} {' and '.join(told)} (for one, {_shown(min(alone or lacking))})")
    return made


def _by_principal(acls: Iterable[Mapping[str, Any]]) -> dict[str, set[tuple[str, ...]]]:
    found: dict[str, set[tuple[str, ...]]] = {}
    for acl in acls:
        for operation in acl["operations"]:
            found.setdefault(acl["principal"], set()).add((operation, *(acl[key] for key in RIGHT)))
    return found


def _shown(right: tuple[str, ...]) -> str:
    operation, resource, name, pattern, permission, dummy = right
    words = [permission, operation, resource, name]
    return " ".join([*words, pattern] if pattern != "literal" else words)


def _quotas(mine: Iterable[Mapping[str, Any]], theirs: Iterable[Mapping[str, Any]]) -> list[str]:
    one, other = ({_entity(quota): quota["limits"] for quota in quotas} for quotas in (mine, theirs))
    return [f"the quota of {name} differs" for name in sorted({*one, *other}) if one.get(name) != other.get(name)]


def _entity(quota: Mapping[str, Any]) -> str:
    return ", ".join(f"{kind} {name or 'by default'}" for kind, name in sorted(quota["entity"].items()))
