# SPDX-License-Identifier: GPL-3.0-or-later
"""Which topics and partitions of a source the target has copies of."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from .._kafka.client import KafkaClient
from .._mm2.names import MirrorNames

Partition = tuple[str, int]


def uncopied(
    names: MirrorNames, target: KafkaClient, positions: Mapping[str, Collection[Partition]]
) -> dict[str, list[str]]:
    """What groups have positions in and the target has no copy of, ``{group: [topic, or topic-partition of a topic that
    has grown]}``: a plan has no row for it.
    """
    existing = partitions_of(target)
    topics = {topic for topic, dummy in existing}

    def lacking(key: Partition) -> str:
        return f"{key[0]}-{key[1]}" if names.copy_of(key[0]) in topics else key[0]

    found = {
        group: sorted({lacking(key) for key in places if (names.copy_of(key[0]), key[1]) not in existing})
        for group, places in positions.items()
    }
    return {group: places for group, places in found.items() if places}


def source_topics(names: MirrorNames, source: KafkaClient | None, target: KafkaClient) -> list[str]:
    """The source's topics; where it is lost, those that the target may hold copies of, by the source's names."""
    if source is not None:
        return list(source.metadata().topics)
    originals = map(names.original_of, target.metadata().topics)
    return [topic for topic in originals if topic is not None]


def partitions_of(client: KafkaClient) -> set[Partition]:
    """The partitions that a cluster has."""
    return {(name, number) for name, topic in client.metadata().topics.items() for number in topic.partitions}
