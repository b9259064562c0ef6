# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mirror has to find in its own topics, so that it goes on after a restore instead of copying everything again.

The restored region becomes the mirror's source, the backup its target; the proof of the restore says which offset of
the one is which of the other. Connect's source offset of a partition is the last offset already copied
(``MirrorSourceTask`` seeks one beyond it). Offset syncs are what MirrorMaker 2 translates group positions with
(``OffsetSyncStore``): one at the first and at the last record of each run of equal distance says all that a run says.
"""

from __future__ import annotations

from typing import Any

from .._errors import RefusedError
from .._mm2.codec import OffsetSync
from .._mm2.codec_connect import SOURCE_CONNECTOR, SourceOffset
from .shapes import Partition, Run

# Pairs kept for each partition; with exactly-once every transaction is a run of its own, and MirrorMaker 2 holds 64 in
# memory.
MOST_PAIRS = 2000


def source_offsets(proof: dict[str, Any], alias: str, connector: str = SOURCE_CONNECTOR) -> list[SourceOffset]:
    """A :class:`SourceOffset` for every partition that holds anything.

    :param proof: what the ledger keeps of the proof of the restore: ``verdict``, ``complete``, ``topics[{topic,
        target_topic, partitions{number: {source[lo, hi), target[lo, hi)}}}]``; its target is the restored region.
    :param alias: the restored region's alias in the mirror.
    :raises RefusedError: the proof did not show a complete copy, or the copies have other names.
    """
    if not proof.get("complete"):
        raise RefusedError(
            "The proof does not show that both regions are equal",
            expected="a complete copy",
            found=proof.get("verdict"),
            remedy="Run the stage that makes the proof, recreate_from_backup or a planned failover, to its end",
        )
    renamed = [topic["topic"] for topic in proof["topics"] if topic["topic"] != topic["target_topic"]]
    if renamed:
        raise RefusedError(
            f"Topic {', '.join(renamed[:3])} has another name on the other side",
            expected="copies under the same names, which a mirror can continue",
            found=", ".join(topic["target_topic"] for topic in proof["topics"] if topic["topic"] in renamed[:3]),
            remedy="Leave topics that MirrorMaker 2 renames, such as those that end in heartbeats, out of the mirror",
        )
    return [
        SourceOffset(connector, alias, topic["target_topic"], int(number), part["target"][1] - 1)
        for topic in proof["topics"]
        for number, part in sorted(topic["partitions"].items(), key=lambda pair: int(pair[0]))
        if part["target"][1] > 0
    ]


def offset_syncs(proof: dict[str, Any], maps: dict[Partition, list[Run]]) -> list[OffsetSync]:
    """Pairs (restored region's offset, backup's offset), in the order of offsets for each partition.

    :param proof: as for :func:`source_offsets`.
    :param maps: ``{(topic, partition): [(backup offset, restored offset, count)]}``, the proof's offset map; partitions
        without one get no pairs, since their last offset may be a record whose copy lies before the backup's last one.
    """
    syncs = []
    for topic in proof["topics"]:
        for number, part in sorted(topic["partitions"].items(), key=lambda pair: int(pair[0])):
            runs = maps.get((topic["topic"], int(number)))
            if not runs or part["target"][1] <= 0:
                continue
            pairs = {}
            for backup, restored, count in runs:
                pairs[restored] = backup
                pairs[restored + count - 1] = backup + count - 1
            # Where control records end the log, a group at their offset has read everything; after it, all is new on
            # both sides.
            pairs.setdefault(part["target"][1] - 1, max(0, part["source"][1] - 1))
            syncs += [
                OffsetSync(topic["target_topic"], int(number), restored, pairs[restored])
                for restored in _thinned(sorted(pairs))
            ]
    return syncs


def _thinned(offsets: list[int]) -> list[int]:
    """At most :data:`MOST_PAIRS`: the newest half as they are, the older ones evenly."""
    if len(offsets) <= MOST_PAIRS:
        return offsets
    half = MOST_PAIRS // 2
    older = offsets[:-half]
    step = -(-len(older) // half)
    return older[::step] + offsets[-half:]
