# SPDX-License-Identifier: GPL-3.0-or-later
"""The mirror's own offsets count for the topic that they are of, and for no other one by its name."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import mirrored
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.track import Track
from tests.support.following import PLACE


class Mirror:
    """What a mirror notes, and what a watch takes of it. ``last``: the last offset that was copied."""

    def __init__(self, monkeypatch, conflicts=()):
        self.last, self.reads, self.conflicts = {}, 0, list(conflicts)
        monkeypatch.setattr(mirrored, "read_source_offsets", self.read)
        self.offsets = mirrored.MirrorOffsets(None, "offsets", "a")

    def read(self, client, topic, alias):
        self.reads += 1
        return {"offsets": dict(self.last), "conflicts": self.conflicts}

    def copied(self, now, last, end, source_id="old"):
        """A round: what is believed then of a topic of that id, which ends there."""
        self.last = {} if last is None else {PLACE: last}
        tracks = {PLACE: Track(PLACE, Confirmed("t", source_id, "b"))}
        self.offsets.look(now, tracks)
        return self.offsets.copied(tracks, {} if end is None else {PLACE: end}).get(PLACE)


def test_an_offset_counts_once_it_has_moved_under_the_watch(monkeypatch):
    mirror = Mirror(monkeypatch)
    assert [mirror.copied(*step) for step in ((0, 49, 50), (5, 59, 60), (10, 69, 70), (12, 79, 80), (20, 89, 90))] == [
        None,
        None,
        70,
        70,
        90,
    ]
    assert mirror.reads == 3


def test_an_offset_that_was_read_before_the_topic_was_seen_to_be_another_one_is_no_first_one(monkeypatch):
    mirror = Mirror(monkeypatch)
    assert mirror.copied(0, 999, 1200) is None
    # The former topic's last offset was noted meanwhile, and of the new one nothing.
    assert mirror.copied(7, 1099, 5000, "new") is None
    assert mirror.copied(11, 1099, 5000, "new") is None
    assert mirror.copied(21, 1109, 5000, "new") == 1110


@pytest.mark.parametrize("late", [999, 1099])
def test_an_offset_beyond_the_end_of_a_topic_is_not_of_it(monkeypatch, late):
    mirror = Mirror(monkeypatch)
    assert mirror.copied(0, 999, 1200) is None
    assert mirror.copied(10, 999, 300, "new") is None
    assert mirror.copied(20, late, 310, "new") is None
    # The mirror has begun with the new one.
    assert mirror.copied(30, 309, 320, "new") is None
    assert mirror.copied(40, 314, 320, "new") == 315
    assert mirror.copied(41, 314, None, "new") is None


def test_a_mirror_that_goes_back_has_to_move_again(monkeypatch):
    mirror = Mirror(monkeypatch)
    assert [mirror.copied(10 * at, last, 500) for at, last in enumerate((99, 199, 149, 149, 159))] == [
        None,
        200,
        None,
        None,
        160,
    ]


def test_what_two_partitions_of_the_offsets_say_is_not_believed(monkeypatch):
    mirror = Mirror(monkeypatch, [PLACE])
    assert [mirror.copied(10 * at, last, 500) for at, last in enumerate((99, 199))] == [None, None]


def test_nothing_is_read_where_nobody_named_the_offsets(monkeypatch):
    mirror = Mirror(monkeypatch)
    mirror.offsets.topic = None
    assert [mirror.copied(10 * at, last, 500) for at, last in enumerate((99, 199))] == [None, None]
    assert not mirror.reads
