# SPDX-License-Identifier: GPL-3.0-or-later
"""The first pass: read ranges of both sides into chunks."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from .._digest import chunks
from .._digest.shapes import OffsetRange, Partition
from . import plan, worker
from .pairs import Pair
from .shapes import SideName, Task

if TYPE_CHECKING:
    from .comparison import Comparison

ATTEMPTS = 3
SIDES: tuple[SideName, SideName] = ("source", "target")

PairSide = tuple[Pair, SideName]
# Chunks of each range of a pair's side, as they travel, with the offset that the range begins at.
Parts = dict[PairSide, list[tuple[int, tuple[bytes, bytes]]]]


def both_sides(pairs: list[Pair]) -> list[PairSide]:
    """Each pair on both sides."""
    return [(pair, side) for pair in pairs for side in SIDES]


def digest(comparison: Comparison, wanted: list[PairSide]) -> None:
    """Read ranges into chunks; where retention deletes meanwhile, a range begins where the log begins now."""
    for dummy in range(ATTEMPTS):
        wanted = [(pair, side) for pair, side in wanted if pair.error is None]
        parts, gone = _digest_once(comparison, wanted)
        for pair, side in wanted:
            if (pair, side) not in gone:
                pieces = sorted(parts.get((pair, side), []), key=lambda piece: piece[0])
                pair.keep(side, chunks.concatenate([chunks.Chunks.from_bytes(*piece) for dummy2, piece in pieces]))
        if not gone:
            return
        restart(comparison, gone)
        wanted = [pair_side for pair_side in wanted if pair_side in gone]
    for pair, side in wanted:
        pair.error = {"kind": "range_gone", "message": f"the log of the {side} kept being deleted while it was read"}


def _digest_once(comparison: Comparison, wanted: list[PairSide]) -> tuple[Parts, set[PairSide]]:
    """What could be read, and of what a range is gone; other errors are kept with their pair."""
    tasks, total = _tasks(comparison, wanted)
    owners = {(side, pair.partition_on(side)): pair for pair, side in wanted}
    parts: Parts = {}
    gone: set[PairSide] = set()
    order = sorted(tasks, key=lambda task: -sum(part.length for part in task["ranges"]))
    for result in worker.answers(comparison.engine, order, "read", total):
        task = tasks[result["id"]]
        side = task["name"]
        if "error" in result:
            _note_error(result["error"], side, [owners[(side, part[:2])] for part in task["ranges"]], gone)
            continue
        for topic, number, low, piece in result["value"]:
            parts.setdefault((owners[(side, (topic, number))], side), []).append((low, piece))
    return parts, gone


def _note_error(error: dict[str, Any], side: SideName, pairs: list[Pair], gone: set[PairSide]) -> None:
    for pair in pairs:
        if error["kind"] == "range_gone":
            gone.add((pair, side))
        else:
            pair.error = error


def _tasks(comparison: Comparison, wanted: list[PairSide]) -> tuple[list[Task], int]:
    """Tasks for an engine, each at the index that is its ``id``, and how many records they read at most."""
    ranges: dict[SideName, list[OffsetRange]] = {"source": [], "target": []}
    for pair, side in wanted:
        low, high = pair.range_on(side)
        ranges[side].append(OffsetRange(*pair.partition_on(side), low, high, pair.topic.timestamps))
    total = sum(part.length for listed in ranges.values() for part in listed)
    tasks: list[Task] = []
    for side, listed in ranges.items():
        share = sum(part.length for part in listed)
        width = max(1, round(comparison.engine.parallelism * share / total)) if total else 1
        for group in plan.split(listed, width):
            spec = comparison.spec(side)
            tasks.append({"id": len(tasks), "work": "digest", "side": spec, "name": side, "ranges": group})
    return tasks, total


def restart(comparison: Comparison, gone: Collection[PairSide]) -> None:
    """Let ranges begin where the logs begin now."""
    for side in SIDES:
        pairs = [pair for pair, name in gone if name == side]
        names: dict[Pair, Partition] = {pair: pair.partition_on(side) for pair in pairs}
        starts = comparison.side(side).starts(names.values()) if pairs else {}
        for pair in pairs:
            pair.restart(side, starts.get(names[pair]))
