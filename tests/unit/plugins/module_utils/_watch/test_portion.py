# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a round reads, and what is known then."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import portion
from tests.support.following import follow

BOUNDS = {"start": 0, "high": 60, "end": 60}


class NoReader:
    """Nothing is new for it."""

    def read(self, wanted, starts):
        return {}


def reading():
    portions = portion.Portions.__new__(portion.Portions)
    portions.readers, portions.doubted, portions._back = dict.fromkeys(("source", "target"), NoReader()), {}, {}
    portions._verified, portions._moving = {}, set()
    return portions


@pytest.mark.parametrize(("end", "whole"), [(60, True), (64, False)])
@pytest.mark.parametrize("full", [False, True])
def test_a_target_that_is_not_read_to_its_end_lacks_nothing_yet(monkeypatch, end, whole, full):
    track = follow(list(range(100, 160)), list(range(100, 160))).track
    monkeypatch.setattr(portion, "AHEAD", 0 if full else 9)
    monkeypatch.setattr(portion, "BATCH", 2)
    monkeypatch.setattr(portion, "_share", lambda unread: 2)
    ends = portion.Ends({track.copy: 0}, {track.copy: end}, {track.copy: end}, {}, {}, {})
    reading()._read_target([track], ends)
    assert (track.target_whole, track.target_read_whole) == (whole, whole or full)


@pytest.mark.parametrize("known", [{"start", "high"}, {"start", "end"}, {"high", "end"}, set()])
@pytest.mark.parametrize("side", ["source", "target"])
def test_a_partition_whose_bounds_were_not_all_told_is_not_judged(side, known):
    """A topic that is made just now is known to one request and not to the other."""
    track = follow(list(range(100, 160)), list(range(100, 160))).track
    portions, place = reading(), track.place if side == "source" else track.copy
    start, high, end = ({place: bound} if name in known else {} for name, bound in BOUNDS.items())
    if side == "source":
        ends = portion.Ends({}, {}, {}, high, end, start)
        portions._read_source([track], ends)
        assert not ends.source_decided(track)
    else:
        ends = portion.Ends(start, high, end, {}, {}, {})
        portions._read_target([track], ends)
        assert not ends.target_decided(track)
    assert portions.doubted == {track.place: ""}


@pytest.mark.parametrize(
    ("unread", "share"),
    [
        ([3_000, *[1] * 1_000], portion.BATCH),
        ([500_000], portion.BATCH),
        ([500_000] * 8, portion.TOTAL // 8),
        ([300, *[100_000] * 6, 400_000, 500_000], (portion.TOTAL - 300 - 600_000) // 2),
        ([10_000] * 5_000, 1_000),
        ([], portion.BATCH),
    ],
)
def test_what_partitions_with_little_to_read_leave_over_goes_to_the_others(unread, share):
    assert portion._share(unread) == share
