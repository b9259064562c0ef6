# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Where every consumer group of a cluster stands, for a manifest."""

from __future__ import annotations

from .groups import group_positions, list_groups


def positions(client, topics):
    """``{group: {topic: {"partition": offset}}}`` of committed positions in ``topics`` (a set of names).

    :raises KafkaDrError: a broker, a group or a partition did not answer; positions in part are never kept.
    """
    found = {}
    for group, places in group_positions(client, list_groups(client)).items():
        for (topic, number), offset in places.items():
            if topic in topics:
                found.setdefault(group, {}).setdefault(topic, {})[str(number)] = offset
    return found
