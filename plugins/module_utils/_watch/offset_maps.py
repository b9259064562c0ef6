# SPDX-License-Identifier: GPL-3.0-or-later
"""The offset map that a watch keeps, as evidence for the translation of positions.

It is exact for the newest stretch of what is proven. A run is a stretch of neighbouring records, so with exactly-once
there is one for each transaction; at most :data:`.track.MAP_RUNS` are kept.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress

from .._errors import KafkaDrError, NotProvableError
from .._kafka.client import KafkaClient
from .._kafka.offsets import list_offsets
from .._kafka.pace import Pace
from .._positions.offset_map import ProofMap
from .reading import SideReader, Wanted
from .reasons import HIDDEN_COPY, LEADERLESS
from .state import TOPIC, Confirmed, Partition, Tip, require_state

# Why a topic may not be looked at, although the last round saw that the source has the one of that id still.
SAME = (None, LEADERLESS, HIDDEN_COPY)


def maps_or_reason(
    target: KafkaClient,
    source: KafkaClient | None,
    positions: Mapping[str, Collection[Partition]],
    mirror: str,
    source_cluster: str,
) -> tuple[dict[Partition, ProofMap], str]:
    """The maps of :func:`read_maps`, or why there are none: without them positions are translated all the same.

    :param positions: partitions with positions, by group. :param mirror: empty where it has no watch.
    """
    wanted = {place for places in positions.values() for place in places}
    if not mirror:
        return {}, "no watch is named"
    try:
        return read_maps(target, source, mirror, wanted, source_cluster), ""
    except KafkaDrError as error:
        return {}, str(error)


def read_maps(
    target: KafkaClient,
    source: KafkaClient | None,
    mirror: str,
    wanted: Collection[Partition],
    source_cluster: str = "",
    topic: str = TOPIC,
) -> dict[Partition, ProofMap]:
    """``{partition of the source: map}`` of those partitions whose logs are still the ones that were proven: the record
    that was read last is there, with its leader epoch and its content.

    :param source: None where it is lost. :param source_cluster: id that the source has to have; empty for any.
    :raises KafkaDrError: there is no state of this mirror, it is of another source, or it cannot be read.
    """
    state = require_state(target, mirror, topic)
    if source_cluster and state.source_cluster != source_cluster:
        raise NotProvableError(
            f"The watch of the mirror '{mirror}' is of another source",
            expected=source_cluster,
            found=state.source_cluster,
        )
    parts = {place: part for place in wanted if (part := state.partitions.get(place)) is not None and usable(part)}
    reasons = SAME if source is None else (None,)
    found = {place: offset_map(part) for place, part in parts.items() if state.not_watched.get(place[0]) in reasons}
    copies = {place: ((parts[place].target_topic, place[1]), parts[place].target_tip) for place in found}
    watched = {place: copy for place, copy in copies.items() if place[0] not in state.not_watched}
    same = same_logs(target, watched)
    # They may still be as they were, and those hold up no other.
    with suppress(KafkaDrError):
        same |= same_logs(target, {place: copy for place, copy in copies.items() if place not in watched})
    if source is not None:
        same &= same_logs(source, {place: (place, parts[place].source_tip) for place in same})
    return {place: found[place] for place in same}


def usable(part: Confirmed) -> bool:
    """Whether its runs are all that was copied between them: nothing differed, and nothing was copied twice."""
    sound = part.stopped is None and part.begins is not None and bool(part.target_id)
    return sound and not part.differences and not part.duplicates and bool(_runs(part))


def offset_map(part: Confirmed) -> ProofMap:
    """The map of a partition, from the first run that is kept to where the proven range ends."""
    runs = _runs(part)
    return ProofMap(
        [(run[0], run[1], run[2]) for run in runs],
        (runs[0][0], part.through[0]),
        (runs[0][1], part.through[1]),
        ids=(part.source_id, part.target_id),
        partial="offset map of the watch",
    )


def _runs(part: Confirmed) -> list[list[int]]:
    """Those of the stretch that is proven now: before it began, records may have been skipped."""
    begins = part.begins or (0, 0)
    return [run for run in part.map_runs if run[0] >= begins[0] and run[1] >= begins[1]]


def same_logs(client: KafkaClient, tips: Mapping[Partition, tuple[Partition, Tip | None]]) -> set[Partition]:
    """Those whose last record, as it was read, is there."""
    known = {place: (own, tip) for place, (own, tip) in tips.items() if tip is not None}
    wanted = [Wanted(own, tip, tip.offset + 1, tip.offset + 1) for own, tip in known.values()]
    if not wanted:
        return set()
    owns = [item.place for item in wanted]
    starts, ends = list_offsets(client, owns, "start"), list_offsets(client, owns, "end")
    there = [
        item
        for item in wanted
        if item.tip is not None and starts.get(item.place, 1 << 62) <= item.tip.offset < ends.get(item.place, 0)
    ]
    reader = SideReader(client, Pace(None))
    pieces = reader.read(there, starts) if there else {}
    reader.close()
    same = {own for own, piece in pieces.items() if piece.changed is None}
    return {place for place, (own, dummy) in known.items() if own in same}
