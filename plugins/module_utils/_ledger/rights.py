# SPDX-License-Identifier: GPL-3.0-or-later
"""Rights that stages took away, until they are given back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def rights_with(rights: Iterable[Mapping[str, Any]], more: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """All of ``rights``, and those of ``more`` that are not among them.

    Ansible's own ``union`` compares each with each, which takes minutes where there are a thousand.

    :param rights: ``[{principal, resource, name, pattern, operations[], permission, host}]``
    """
    return list({_identity(right): right for right in (*rights, *more)}.values())


def rights_without(rights: Iterable[Mapping[str, Any]], others: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Those of ``rights`` that are not among ``others``; both as for :func:`rights_with`."""
    known = {_identity(right) for right in others}
    return [right for right in rights if _identity(right) not in known]


def _identity(right: Mapping[str, Any]) -> tuple[tuple[str, object], ...]:
    """What equal rights have in common."""
    return tuple(
        sorted(
            (str(key), tuple(map(str, value)) if isinstance(value, list) else str(value))
            for key, value in right.items()
        )
    )


def remember_taken(taken: dict[str, list], step: str, entry: dict) -> None:
    """Rights are remembered before they are taken away, and again as what was taken: a run may be cut off between."""
    found = entry.get("found") or {}
    region = found.get("region") or entry.get("about") or ""
    if step == "given_back":
        taken.pop(region, None)
        return
    known = taken.setdefault(region, [])
    known += _new_rights(found.get("removed"), known)


def remember_beyond(beyond: dict[str, dict[str, list]], step: str, entry: dict) -> None:
    """As :func:`remember_taken`, of what mirrors lost; entries of older versions do not tell which part was beyond."""
    found = entry.get("found") or {}
    mirror, region = found.get("mirror") or "", found.get("region") or ""
    regions = beyond.setdefault(mirror, {})
    if step == "mirror_given_back":
        regions.pop(region, None)
    else:
        known = regions.get(region, [])
        more = _new_rights(found.get("beyond"), known)
        if more:
            regions[region] = known + more
    if not regions:
        del beyond[mirror]


def _new_rights(rights: object, known: list) -> list:
    """What is told and not yet known; whatever is no right is passed over."""
    usable = [right for right in rights if isinstance(right, dict)] if isinstance(rights, list) else []
    return rights_without(rights_with(usable, ()), known)
