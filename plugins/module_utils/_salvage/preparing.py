# SPDX-License-Identifier: GPL-3.0-or-later
"""What has to hold before anything is read: the source is at rest, and it is known where the copy ended."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from .._digest.shapes import SideSpec
from .._errors import RefusedError, UsageError
from .._proof import bounds as proof_bounds
from .._proof.comparison import Comparison, Options, prepare
from .._proof.pairs import Pair, Topic
from .._values.listing import named
from .._values.moment import AHEAD_SECONDS

POLL_SECONDS = 0.5
# Every difference decides about records.
ALL = 1 << 62


@dataclass(frozen=True)
class Wanted:
    """What a salvage is asked: see the command line of the Spark job."""

    topics: str
    bounds: dict[str, Any]
    actions: Any
    out: str
    rename: str = "identity"
    wait_seconds: float = 30


def at_rest(source: SideSpec, target: SideSpec, wanted: Wanted) -> Comparison:
    """The comparison, once every transaction of the source is decided and nobody writes there.

    :raises RefusedError: that does not become so. :raises KafkaDrError: a side does not answer, or the bounds do not
        say where the copy ended.
    """
    given = proof_bounds.check_bounds(wanted.bounds)
    # The source is read to its end, whatever a proof would have been told.
    used = {name: part for name, part in given.items() if name in ("target", "mirrored_through")}
    options = Options(wanted.topics, wanted.rename, bounds=used, max_differences=ALL, wait_seconds=0)
    until = time.monotonic() + wanted.wait_seconds
    while True:
        comparison = prepare(source, target, options)
        open_ones = unsettled(comparison)
        if not open_ones:
            break
        if time.monotonic() > until:
            raise RefusedError(
                f"{comparison.source.name} is not at rest",
                expected="the last stable offset of every partition to be its end",
                found=named(open_ones),
                remedy="Fence it, end or abort the transactions that are open there, and run this again",
            )
        time.sleep(POLL_SECONDS)
    for pair in comparison.pairs:
        _doubt_what_was_copied(pair, comparison.source.name)
    _bound_the_rest(comparison, given.get("complete", False))
    for topic in comparison.topics:
        config = _copys_config(topic)
        # What the copy lacks, its own retention has deleted, whatever the source's is.
        topic.expire_as(config)
        if "compact" in (config.get("cleanup.policy") or "") and "compact" not in topic.mode:
            # Where the copy was compacted, what is not there may have been.
            topic.mode = f"compact,{topic.mode}"
    return comparison


def unsettled(comparison: Comparison) -> list[str]:
    """Partitions of the source whose end is not the last stable offset that will be read to, in words."""
    pairs = {pair.partition_on("source"): pair for pair in comparison.pairs if _on_source(pair)}
    ends = comparison.source.ends(pairs, "read_uncommitted")
    return [
        f"{topic}-{number} ends at {ends.get((topic, number), 'no offset')}, and is stable to {pair.source_range[1]}"
        for (topic, number), pair in sorted(pairs.items())
        if ends.get((topic, number)) != pair.source_range[1]
    ]


def remembers_deletions(topic: Topic, bounds: dict[str, Any]) -> bool:
    """Whether the copy still has the tombstone of each key that was deleted since the copy ended: the cleaner keeps one
    for ``delete.retention.ms`` at least. Where nobody knows when that was, it may not: a moment that lies ahead is one
    of a clock that runs fast, and says nothing.
    """
    kept, ended = _copys_config(topic).get("delete.retention.ms"), bounds.get("ended_at")
    if kept is None or ended is None:
        return False
    age, ahead = time.time() * 1000 - ended, AHEAD_SECONDS * 1000
    return bool(-ahead <= age < int(kept) - ahead)


def expires_before(topic: Topic) -> int:
    """The time (milliseconds) before which the copy's retention deletes what is written at once; 0 for none."""
    if topic.retention_ms is None or not topic.timestamps:
        return 0
    return int(time.time() * 1000) - topic.retention_ms


def _copys_config(topic: Topic) -> dict[str, Any]:
    return topic.target["config"] if topic.target else {}


def _on_source(pair: Pair) -> bool:
    return pair.number in pair.topic.source["partitions"]


def _doubt_what_was_copied(pair: Pair, source: str) -> None:
    through, end = pair.mirrored_through, pair.source_range[1]
    if through is not None and through > end:
        pair.reasons.append(
            f"{source} ends at {end}, before the offset {through} to which it had been copied: "
            "it lost records, or the topic was made again"
        )
        pair.mirrored_through = None


def _bound_the_rest(comparison: Comparison, complete: bool) -> None:
    """Without the end of the copy, what was written after it would be taken for the copy.

    :param complete: whether the bounds name all that was there: of the rest nothing was copied.
    :raises UsageError: it is not given.
    """
    missing = []
    for pair in comparison.pairs:
        target = pair.topic.target
        if pair.target_bounded or target is None or pair.number not in target["partitions"]:
            continue
        if complete:
            pair.came_later, pair.copy_end = True, 0
            pair.target_range[1] = pair.target_range[0]
        elif pair.target_range[1]:
            missing.append(f"{pair.topic.target_name}-{pair.number}")
        pair.target_bounded = True
    if missing:
        raise UsageError(
            f"The bounds do not say where the copy on {comparison.target.name} ended",
            expected='an offset in "target" for every partition that has records',
            found=f"none for {named(missing)}",
            remedy="Take the ends that the failover wrote to the ledger (step ends, target)",
        )
