# SPDX-License-Identifier: GPL-3.0-or-later
"""Rights that stages took away, until they are given back."""

from __future__ import annotations


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
    return [
        right
        for right in (rights if isinstance(rights, list) else [])
        if isinstance(right, dict) and right not in known
    ]
