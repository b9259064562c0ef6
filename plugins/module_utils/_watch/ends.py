# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the logs of both sides begin and end as a round begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._kafka.offsets import list_offsets
from .._proof.sides import KafkaSide
from .state import Partition
from .track import Track

Offsets = dict[Partition, int]


@dataclass
class Ends:
    """Log starts, last stable offsets and high watermarks, by the side's own topics."""

    target_starts: Offsets
    target_high: Offsets
    target: Offsets
    source_high: Offsets
    source: Offsets
    source_starts: Offsets

    def source_known(self, track: Track) -> bool:
        """Whether the source said all of the partition: one that is made just now is known to some requests only."""
        return all(track.place in offsets for offsets in (self.source, self.source_high, self.source_starts))

    def target_known(self, track: Track) -> bool:
        """Whether the target said all of the copy."""
        return all(track.copy in offsets for offsets in (self.target, self.target_high, self.target_starts))

    def source_decided(self, track: Track) -> bool:
        """Whether no transaction was open at the source."""
        return self.source_known(track) and self.source[track.place] >= self.source_high[track.place]

    def target_decided(self, track: Track) -> bool:
        """Whether no transaction was open at the target."""
        return self.target_known(track) and self.target[track.copy] >= self.target_high[track.copy]


def ends_of(source: KafkaSide, target: KafkaSide, tracks: Sequence[Track]) -> Ends:
    """The ends now, the target's frozen before the source's. High watermarks come before the stable offsets that are
    compared with them.
    """
    copies = [track.copy for track in tracks if track.part.target_id]
    places = [track.place for track in tracks]
    return Ends(
        target_starts=list_offsets(target.client, copies, "start"),
        target_high=list_offsets(target.client, copies, "end", "read_uncommitted"),
        target=list_offsets(target.client, copies, "end"),
        source_high=list_offsets(source.client, places, "end", "read_uncommitted"),
        source=list_offsets(source.client, places, "end"),
        source_starts=list_offsets(source.client, places, "start"),
    )
