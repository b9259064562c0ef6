# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the position witnesses of mirrors write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._mm2.access import POSITIONS

Mirror = dict[str, Any]
Region = Mapping[str, Any]


def positions_topic(mirror: Mirror | None, regions: Mapping[str, Region]) -> str:
    """The topic of a mirror's position witness, in its target.

    :param mirror: an entry of ``kafka_dr_mirrors``, also turned round or moved; without one, the topic of no region.
    :param regions: hostvars.
    """
    mirror = mirror or {}
    target = str(mirror.get("target"))
    return str(mirror.get("positions_topic") or default_topic(regions[target] if target in regions else {}))


def default_topic(target: Region) -> str:
    """The topic of mirrors into a region that name none.

    :param target: the region's variables.
    """
    return str(target.get("kafka_dr_positions_topic") or POSITIONS)


def positions_topics(mirrors: Sequence[Mirror] | None, regions: Mapping[str, Region], region: str) -> list[str]:
    """Every topic that a position witness may write to in a region, sorted. A mirror that is turned round or moved
    takes its topic along, so that those of all mirrors count.

    :param mirrors: ``kafka_dr_mirrors``. :param regions: hostvars.
    """
    named = {str(mirror["positions_topic"]) for mirror in mirrors or () if mirror.get("positions_topic")}
    return sorted({default_topic(regions[region] if region in regions else {}), *named})
