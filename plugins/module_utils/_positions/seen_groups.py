# SPDX-License-Identifier: GPL-3.0-or-later
"""The consumer groups of a translation: as the source has them once their consumers have left, or as they were seen
last before it was lost.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._errors import RefusedError
from .._kafka.client import KafkaClient
from .groups import Positions, Predicate, living_positions
from .kinds_seen import living_kinds, witnessed_kinds
from .other_groups import Kinds


@dataclass(frozen=True)
class SeenGroups:
    """The source's consumer groups, as they are or as they were last seen.

    :ivar wanted: whether a group is to be translated, by its name.
    :ivar positions: of the groups that are to be translated.
    :ivar members: how many live members such a group has on the source, where it has any.
    :ivar excluded: groups with positions that are not to be translated.
    :ivar topic: whether positions in a topic of the source are to be translated, by its name.
    :ivar withdrawn: see :func:`.groups.taken_back`.
    """

    wanted: Predicate
    topic: Predicate
    positions: Positions
    members: dict[str, int]
    excluded: set[str]
    kinds: Kinds
    withdrawn: Mapping[str, list[str]] = field(default_factory=dict)


def living_groups(
    source: KafkaClient, wanted: Predicate, topic: Predicate, known: Collection[str], leave_seconds: float | None
) -> SeenGroups:
    """The source's groups once their consumers have left. With None as seconds, as they are: a check waits for nobody,
    and transactions may be open.
    """
    end = time.monotonic() + (leave_seconds or 0)
    while True:
        late = time.monotonic() >= end
        try:
            positions, members, excluded = living_positions(source, wanted, topic, known, leave_seconds is not None)
        except RefusedError:
            if late:
                raise
        else:
            # Static members and applications of Kafka Streams do not leave when they stop; their sessions end later.
            if late or not members:
                return SeenGroups(wanted, topic, positions, members, excluded, living_kinds(source))
        time.sleep(1)


def last_seen_groups(
    positions: Positions,
    wanted: Predicate,
    topic: Predicate,
    witness: dict[str, Any] | None,
    withdrawn: Mapping[str, list[str]],
) -> SeenGroups:
    return SeenGroups(
        wanted,
        topic,
        {name: places for name, places in positions.items() if wanted(name)},
        {},
        {name for name, places in positions.items() if places and not wanted(name)},
        witnessed_kinds(witness),
        withdrawn,
    )
