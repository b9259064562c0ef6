# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the mirror says it has copied, by its own source offsets, which name a topic and not its id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .._kafka.client import KafkaClient
from .._kafka.mm2_topics import read_source_offsets
from .state import Partition
from .track import Track

CONNECT_SECONDS = 10


class Followed(NamedTuple):
    """What was seen of a partition of one topic: the offset that it has to move beyond, and the last one."""

    source_id: str
    first: int
    last: int


class MirrorOffsets:
    """Reads them every few seconds.

    :param topic: where Connect keeps them; None where nobody named it. :param alias: of the source.
    """

    def __init__(self, client: KafkaClient, topic: str | None, alias: str | None) -> None:
        self.client, self.topic, self.alias = client, topic, alias
        self._offsets: dict[Partition, int] = {}
        # Of which topics the last look was: those that were known when it began.
        self._ids: dict[Partition, str] = {}
        self._followed: dict[Partition, Followed] = {}
        self._at = float("-inf")

    def look(self, now: float, tracks: Mapping[Partition, Track]) -> None:
        """Read them, if it is time. The ends of the logs are asked for afterwards.

        :raises KafkaDrError: the target does not answer.
        """
        if not self.topic or not self.alias or now - self._at < CONNECT_SECONDS:
            return
        self._at = now
        self._ids = {place: track.part.source_id for place, track in tracks.items()}
        found = read_source_offsets(self.client, self.topic, self.alias)
        conflicts = set(found["conflicts"]) if found else set()
        offsets = found["offsets"] if found else {}
        self._offsets = {place: offset + 1 for place, offset in offsets.items() if place not in conflicts}

    def copied(self, tracks: Mapping[Partition, Track], ends: Mapping[Partition, int]) -> dict[Partition, int]:
        """Source offsets below which the mirror says it has copied everything of the topics that there are now.

        An offset of a former topic says nothing of this one. So it counts once it was seen within the log, by a look
        that began when the topic was known, and has moved on since.

        :param ends: high watermarks of the source, asked for after the look.
        """
        known = {}
        for place, offset in self._offsets.items():
            track = tracks.get(place)
            if track is None or self._ids.get(place) != track.part.source_id or place not in ends:
                continue
            if offset > ends[place]:
                self._followed.pop(place, None)
                continue
            before = self._followed.get(place)
            if before is None or before.source_id != track.part.source_id or offset < before.last:
                before = Followed(track.part.source_id, offset, offset)
            self._followed[place] = before._replace(last=offset)
            if offset > before.first:
                known[place] = offset
        return known
