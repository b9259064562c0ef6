# SPDX-License-Identifier: GPL-3.0-or-later
"""What a region that comes back has otherwise than the one that works. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from .._kafka.principals import forms

# What tells one right from another.
RIGHT = ("resource", "name", "pattern", "permission", "host")


def drift(mine: Mapping[str, Any], theirs: Mapping[str, Any], service: Collection[str] = ()) -> list[str]:
    """What a region has otherwise than the one that works, in sentences.

    :param mine, theirs: ``topics{name: {partitions, configs}}``, ``acls[]`` and ``quotas[]`` as ``cluster_info``
        returns them.
    :param service: names of users that need other rights in one region than in the other.
    """
    return [
        *_topics(mine.get("topics") or {}, theirs.get("topics") or {}),
        *_rights(mine.get("acls") or [], theirs.get("acls") or [], forms(service)),
        *_quotas(mine.get("quotas") or [], theirs.get("quotas") or []),
    ]


def _topics(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    sentences = [f"topic {name} is not there" for name in sorted({*theirs} - {*mine})]
    sentences += [f"topic {name} is there alone" for name in sorted({*mine} - {*theirs})]
    for name in sorted({*mine} & {*theirs}):
        own, other = mine[name].get("configs") or {}, theirs[name].get("configs") or {}
        keys = [key for key in sorted({*own, *other}) if own.get(key) != other.get(key)]
        if mine[name].get("partitions") != theirs[name].get("partitions"):
            keys = ["partitions", *keys]
        if keys:
            sentences.append(f"topic {name} differs in {', '.join(keys)}")
    return sentences


def _rights(mine: Iterable[Mapping[str, Any]], theirs: Iterable[Mapping[str, Any]], service: set[str]) -> list[str]:
    own, other = _by_principal(mine), _by_principal(theirs)
    sentences = []
    for name in sorted({*own, *other} - service):
        alone, lacking = own.get(name, set()) - other.get(name, set()), other.get(name, set()) - own.get(name, set())
        differences = [f"has {len(alone)} that are there alone"] if alone else []
        differences += [f"lacks {len(lacking)}"] if lacking else []
        if differences:
            sentences.append(
                f"of rights, {name} {' and '.join(differences)} (for one, {_right_text(min(alone or lacking))})"
            )
    return sentences


def _by_principal(acls: Iterable[Mapping[str, Any]]) -> dict[str, set[tuple[str, ...]]]:
    found: dict[str, set[tuple[str, ...]]] = {}
    for acl in acls:
        for operation in acl["operations"]:
            found.setdefault(acl["principal"], set()).add((operation, *(acl[key] for key in RIGHT)))
    return found


def _right_text(right: tuple[str, ...]) -> str:
    operation, resource, name, pattern, permission, dummy = right
    words = [permission, operation, resource, name]
    return " ".join([*words, pattern] if pattern != "literal" else words)


def _quotas(mine: Iterable[Mapping[str, Any]], theirs: Iterable[Mapping[str, Any]]) -> list[str]:
    own, other = ({_entity(quota): quota["limits"] for quota in quotas} for quotas in (mine, theirs))
    return [f"the quota of {name} differs" for name in sorted({*own, *other}) if own.get(name) != other.get(name)]


def _entity(quota: Mapping[str, Any]) -> str:
    return ", ".join(f"{kind} {name or 'by default'}" for kind, name in sorted(quota["entity"].items()))
