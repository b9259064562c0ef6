# SPDX-License-Identifier: GPL-3.0-or-later
"""Wait for a target that is still catching up with the source, and read what it gets meanwhile."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from .._digest import chunks
from . import first_pass
from .pairs import Pair

if TYPE_CHECKING:
    from .comparison import Comparison

POLL_SECONDS = 0.25


def wait(comparison: Comparison) -> None:
    """Wait until the end of the source is on the target, or the target stands still, or time is up."""
    options = comparison.options
    end = time.monotonic() + options.wait_seconds
    quiet_since = time.monotonic()
    while time.monotonic() < end:
        behind = [pair for pair in comparison.pairs if is_behind(pair)]
        if not behind:
            return
        names = {pair: pair.partition_on("target") for pair in behind}
        ends = comparison.target.ends(names.values())
        grown = {pair: ends[name] for pair, name in names.items() if ends.get(name, 0) > pair.target_range[1]}
        if grown:
            quiet_since = time.monotonic()
            _read_on(comparison, grown)
        elif time.monotonic() - quiet_since > options.settle_seconds:
            return
        else:
            time.sleep(POLL_SECONDS)


def is_behind(pair: Pair) -> bool:
    """Whether the end of the source is not on the target, and the target might still get it."""
    target = pair.topic.target
    if pair.error or pair.target_bounded or target is None or pair.number not in target["partitions"]:
        return False
    if not len(pair.left.rows) or chunks.equal(pair.left, pair.right):
        return False
    if not len(pair.right.rows):
        return True
    # Under live traffic the target runs on beyond the frozen end, and its last chunk is never that of the source.
    if pair.right.count >= pair.left.count:
        return False
    last = pair.left.rows[-1:]
    same_chunk = (pair.right.rows["sum"] == last["sum"]) & (pair.right.rows["count"] == last["count"])
    return not same_chunk.any() and bool(last["last_digest"][0] != pair.right.rows["last_digest"][-1])


def _read_on(comparison: Comparison, ends: dict[Pair, int]) -> None:
    """Read what the targets of these pairs got, up to their new ends."""
    before = {pair: (pair.right, pair.target_range[0]) for pair in ends}
    for pair, end in ends.items():
        pair.target_range = [pair.target_range[1], end]
    first_pass.digest(comparison, [(pair, "target") for pair in ends])
    for pair, (older, low) in before.items():
        pair.right = chunks.concatenate([older, pair.right])
        pair.target_range[0] = low
