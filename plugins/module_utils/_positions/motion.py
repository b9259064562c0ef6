# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions that do not rest while they are translated. ``assign`` makes no member of a group, and commits all the
same. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .shapes import Partition

TARGET = "its position on {} of the target moves: a consumer without membership, or a mirror that still syncs groups"
SOURCE = "its position on {} of the source moves: a consumer without membership"

Places = Mapping[str, Mapping[Partition, Any]]


def moved_groups(before: Places, now: Places, left: Collection[str], reason: str = TARGET) -> Iterator[dict[str, Any]]:
    """Refusals of groups whose positions are others than before. A first one has moved too, and one that is gone.

    :param left: groups that are left alone. :param reason: with a place for the partition.
    """
    for group in sorted({*before, *now} - set(left)):
        earlier, later = before.get(group, {}), now.get(group, {})
        changed = sorted(key for key in {*earlier, *later} if earlier.get(key) != later.get(key))
        if changed:
            yield {"group": group, "kind": "moving", "reason": reason.format("{}-{}".format(*changed[0]))}
