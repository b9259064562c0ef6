# SPDX-License-Identifier: GPL-3.0-or-later
"""What the watch had seen beyond a manifest's end counts, whoever stands for the topic."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import report
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.comparison import Options
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.found import no_differences
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.pairs import Pair
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import beside_manifest, windows
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.closing import Wanted
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.reasons import (
    COMPACTED,
    GONE,
    HIDDEN,
    HIDDEN_COPY,
    LEADERLESS,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.standing import stand
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed, WatchState
from tests.support.following import records

NOW, DAY = 1_795_285_300_000, 86_400_000
PLACE = ("orders", 0)


def part_of(**more):
    """A partition of which the watch has read and proven 100 offsets."""
    anchor = {"source": 99, "target": 99, "digest": 7, "timestamp": NOW - DAY}
    proof = {"begins": (0, 0), "through": (100, 100), "examined": (100, 100), "read": 100, "records": 100}
    seen = {"source_end": 100, "source_high": 100, "target_start": 0}
    return Confirmed("orders", "s", "t", **{**proof, "anchor": anchor, **seen, **more})


def pair_of(topic, end, mirrored, beyond=0, lost=0, copy=100):
    """A partition that was compared with a manifest up to an offset, and whose copy was equal so far."""
    pair = Pair(topic, 0, (0, end), (0, copy + beyond))
    pair.mirrored_through = mirrored
    pair.left, pair.right = (
        cast(Any, SimpleNamespace(count=end, size=0)),
        cast(Any, SimpleNamespace(count=copy, size=0)),
    )
    pair.result = {**no_differences(), "offset_map": [[0, 0, copy]]}
    pair.result["counts"] |= {"beyond": beyond, "lost": lost}
    return pair


def proven(mirrored=100, reason=None, end=100, known=True, beyond=0, lost=0, copy=100, rows=(), **more):
    """The verdict, the number that was lost, and the reasons, where the watch does not stand for another partition.

    :param end: where the manifest ends; None where it has no such partition. :param beyond, lost: what its comparison
        found. :param copy: records that were found equal. :param rows: windows.
    """
    parts = {PLACE: part_of(**more), ("orders", 1): Confirmed("orders", "s", "t", stopped="its log is another one")}
    state = WatchState("m", "S", "T", at=NOW, round=9, partitions=parts, windows={PLACE: list(rows)})
    state.not_watched = {"orders": reason} if reason else {}
    survey = {"topic_id": "t", "partitions": [0, 1], "config": {"retention.ms": "-1"}, "bounds": {0: (0, 100)}}
    bounds = {"mirrored_through": {"orders": {} if mirrored is None else {"0": mirrored}}}
    closing = SimpleNamespace(
        state=state,
        wanted=Wanted("m", seen_at=NOW if known else 0),
        began=NOW / 1000,
        differences={},
        options=Options("orders", bounds=bounds),
        standing=stand(state, "orders", {"orders": [0]}, cast(Any, {"orders": survey}), NOW),
    )
    ids = {"source": "s", "target": "t"}
    topic = SimpleNamespace(name="orders", pairs=[], reasons=[], target=survey, id_on=ids.get)
    if end is not None:
        topic.pairs.append(pair_of(topic, end, mirrored, beyond, lost, copy))
    beside_manifest.amend(cast(Any, closing), cast(Any, SimpleNamespace(topics=[topic])))
    pairs = [pair for pair in topic.pairs if pair.number == 0]
    if not pairs:
        return "", 0, " ".join(topic.reasons)
    row = report._partition(pairs[0])
    return row["verdict"], row["lost"], " ".join(row["reasons"])


def test_what_was_seen_and_neither_read_nor_copied_is_lost():
    verdict, lost, reasons = proven(source_end=1000, source_high=1000)
    assert (verdict, lost) == ("PROVEN", 900) and "900 offsets from 100 on" in reasons


def test_what_was_copied_of_it_is_not_proven():
    verdict, lost, reasons = proven(400, beyond=300, source_end=1000, source_high=1000)
    assert (verdict, lost) == ("NOT_PROVABLE", 600) and "300 offsets that it had not read" in reasons


@pytest.mark.parametrize("mirrored", [100, 400, 1000, None])
def test_what_the_manifest_covers_is_neither_doubted_nor_counted(mirrored):
    """It was made after the watch had looked last."""
    found = proven(mirrored, end=1000, copy=1000, source_end=1000, source_high=1000)
    assert found[:2] == ("PROVEN", 0) and "offsets" not in found[2]


def test_what_its_comparison_counts_is_not_counted_again():
    assert proven(400, end=500, copy=400, lost=100, source_end=1000, source_high=1000)[:2] == ("PROVEN", 600)


def test_where_nobody_knows_how_far_the_mirror_came_it_may_have_copied_what_was_seen():
    verdict, lost, reasons = proven(None, source_end=1000, source_high=1000)
    assert (verdict, lost) == ("NOT_PROVABLE", 0) and "900 offsets that it had not read" in reasons


@pytest.mark.parametrize(
    ("mirrored", "broken", "verdict", "lost"),
    [(100, False, "PROVEN", 860), (130, False, "NOT_PROVABLE", 830), (100, True, "PROVEN", 900)],
)
def test_so_is_what_the_watch_had_read_and_the_mirror_had_not_copied(mirrored, broken, verdict, lost):
    """By its windows, which hold records and no offsets without any; by offsets where they are not whole."""
    rows = windows.make(records(range(60), 100), 100, 200, "")
    more = {"read": 200, "waiting": 61 if broken else 60, "chain": rows[-1].hash}
    assert proven(mirrored, rows=rows, source_end=1000, source_high=1000, **more)[:2] == (verdict, lost)


@pytest.mark.parametrize(("beyond", "lost"), [(0, 900), (900, 0)])
def test_what_the_copy_holds_beyond_is_not_lost(beyond, lost):
    found = proven(beyond=beyond, source_end=1000, source_high=1000)
    assert found[:2] == ("NOT_PROVABLE" if beyond else "PROVEN", lost)


def test_what_the_copy_has_from_before_the_manifest_is_none_of_it():
    """It counts as beyond the manifest too."""
    found = proven(copy=200, beyond=50, source_end=1000, source_high=1000)
    assert found[:2] == ("NOT_PROVABLE", 850)


@pytest.mark.parametrize(("end", "expected"), [(100, "up to 900 offsets from 100 on lay behind"), (1000, "")])
def test_what_lay_behind_an_open_transaction_is_named(end, expected):
    verdict, lost, reasons = proven(end=end, copy=end, source_high=1000)
    assert (verdict, lost) == ("PROVEN", 0) and expected in reasons and ("transaction" in reasons) == bool(expected)


@pytest.mark.parametrize("reason", [LEADERLESS, HIDDEN, HIDDEN_COPY])
@pytest.mark.parametrize(
    ("end", "days", "doubted"), [(100, 3, True), (60, 3, True), (130, 3, False), (100, 0, False), (130, 0, False)]
)
def test_what_came_while_nobody_could_look_is_not_shown_by_a_manifest_as_old(reason, end, days, doubted):
    """One that reaches further was made later, and what it proves is as old as it is."""
    verdict, dummy, reasons = proven(end, reason, end, copy=end, looked_at=NOW - days * DAY, **_read(end))
    assert verdict == ("NOT_PROVABLE" if doubted else "PROVEN")
    assert ("could look at the topic 259200 s before" in reasons) == doubted


def _read(end):
    """Of the watch, as little as a manifest has."""
    return {"read": min(end, 100), "through": (min(end, 100),) * 2, "examined": (min(end, 100),) * 2}


def test_a_topic_that_is_not_watched_is_proven_by_its_manifest():
    assert proven(reason=COMPACTED)[:2] == ("PROVEN", 0)


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        ({}, "PROVEN"),
        ({"source_high": 1000}, "NOT_PROVABLE"),
        ({"source_end": 1000, "source_high": 1000}, "NOT_PROVABLE"),
        ({"mirrored": 130}, "NOT_PROVABLE"),
    ],
)
def test_nobody_can_tell_what_became_of_the_rest_of_a_topic_that_was_deleted(more, verdict):
    assert proven(reason=GONE, looked_at=NOW - 3 * DAY, **more)[0] == verdict


def unread(**more):
    """A partition that the watch has not begun to read."""
    none = {"begins": None, "through": (0, 0), "examined": (0, 0), "read": 0, "records": 0, "anchor": None}
    return {**none, "source_end": 0, "source_high": 0, **more}


@pytest.mark.parametrize(
    ("more", "verdict", "expected"),
    [
        ({}, "", ""),
        ({"source_end": 50, "source_high": 50}, "NOT_PROVABLE", "50 offsets from 0 on, which the watch had seen"),
        ({"source_high": 50}, "", "partition 0: up to 50 offsets from 0 on lay behind"),
    ],
)
def test_a_partition_that_the_manifest_lacks_is_judged_where_the_watch_had_seen_something(more, verdict, expected):
    found = proven(0, end=None, **unread(**more))
    assert found[0] == verdict and expected in found[2]


@pytest.mark.parametrize("waiting", [100, 40, 0])
def test_what_windows_hold_is_lost_whatever_is_said_to_wait(waiting):
    """An older version kept the number of the round before."""
    rows = windows.make(records(range(100), 100), 100, 200, "")
    seen = {"source_end": 200, "source_high": 200, "read": 200}
    verdict, lost, dummy = proven(100, rows=rows, waiting=waiting, chain=rows[-1].hash, **seen)
    assert (verdict, lost) == ("PROVEN", 100)


@pytest.mark.parametrize("waiting", [0, 50])
@pytest.mark.parametrize(("examined", "lost"), [(100, 50), (150, 0)], ids=["not compared", "compared"])
def test_so_is_what_a_watch_that_was_stopped_had_read(examined, lost, waiting):
    seen = {"source_end": 150, "source_high": 150, "read": 150, "examined": (examined, 100)}
    assert proven(100, stopped="its log lost its end", waiting=waiting, **seen)[1] == lost
