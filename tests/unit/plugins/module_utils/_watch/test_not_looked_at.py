# SPDX-License-Identifier: GPL-3.0-or-later
"""What was proven of a topic that could not be looked at in the last rounds stays proven, and no more than that."""

from __future__ import annotations

import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.comparison import Options
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import (
    beside_manifest,
    closed_report,
    rounds,
    rows,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.closing import Wanted
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.looking import Pairing, Survey
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.reasons import (
    COMPACTED,
    GONE,
    HIDDEN_COPY,
    LEADERLESS,
    STAMPED,
    UNSEEN,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.side import WindowSide
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.standing import stand
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed, WatchState
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.summary import proven_through
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.tracks import (
    note_looked,
    restored,
    synchronise,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.unseen import held_to

NOW = int(time.time() * 1000)
MINUTE, DAY = 60_000, 86_400_000
PLACE = ("orders", 0)
MORE_PARTITIONS = "1 partitions on the source, 2 on the target"


def part(**more):
    """A partition of which 100 records are proven, and that was looked at last ten minutes ago."""
    anchor = {"source": 99, "target": 99, "digest": 7, "timestamp": NOW - DAY}
    proven = {"begins": (0, 0), "through": (100, 100), "examined": (100, 100), "read": 100, "records": 100}
    seen = {"source_end": 100, "source_high": 100, "target_start": 0, "looked_at": NOW - 10 * MINUTE}
    return Confirmed("orders", "s", "t", **{**proven, "anchor": anchor, **seen, **more})


def state_of(reason, found=None, **more):
    watched = {"orders": reason} if reason else {}
    return WatchState("m", "S", "T", at=NOW, round=9, not_watched=watched, partitions={PLACE: found or part()}, **more)


def stood(reason, found=None, topic_id="t", start=0):
    config = {"retention.ms": str(7 * DAY)}
    copy = {"topic_id": topic_id, "partitions": [0], "config": config, "bounds": {0: (start, 100)}}
    return stand(state_of(reason, found), "orders", {"orders": [0]}, cast(Any, {"orders": copy}), NOW)


@pytest.mark.parametrize("reason", UNSEEN)
def test_what_could_not_be_looked_at_is_compared_by_its_windows(reason):
    found = stood(reason)
    assert (found.topics, found.left_out, found.lacking()) == (["orders"], {}, {})
    assert found.unseen == {"orders": reason}
    side = WindowSide.__new__(WindowSide)
    side.state = state_of(reason)
    assert side.topics(".*") == ["orders"]
    assert proven_through(state_of(reason)) == {"orders": {"0": [100, 100]}}


@pytest.mark.parametrize("reason", [COMPACTED, STAMPED, MORE_PARTITIONS, "what a later version says"])
def test_what_the_watch_cannot_stand_for_is_left_out(reason):
    found = stood(reason)
    assert (found.topics, found.left_out, found.unseen) == ([], {"orders": reason}, {})
    side = WindowSide.__new__(WindowSide)
    side.state = state_of(reason)
    assert side.topics(".*") == [] and proven_through(state_of(reason)) == {}


@pytest.mark.parametrize("reason", UNSEEN)
def test_what_a_former_version_could_not_look_at_is_left_out(reason):
    """Nobody knows when that was."""
    assert stood(reason, part(looked_at=None)).left_out == {"orders": reason}


@pytest.mark.parametrize(
    "more",
    [
        {"waiting": 3, "read": 103},
        {"through": (90, 90)},
        {"source_end": 110, "source_high": 110},
        # A transaction was open: nobody knows whether it was committed.
        {"source_high": 150},
    ],
)
def test_of_a_topic_that_its_owner_deleted_all_has_to_be_proven(more):
    assert stood(GONE, part(**more)).left_out == {"orders": GONE}
    assert stood(LEADERLESS, part(**more)).topics == ["orders"]


def test_a_partition_that_is_stopped_is_named_as_ever():
    assert stood(LEADERLESS, part(stopped="its log is another one", looked_at=None)).faults == {
        PLACE: "its log is another one"
    }


@pytest.mark.parametrize("more", [{"topic_id": "another"}, {"start": 50}])
def test_its_copy_has_to_be_whole(more):
    assert stood(GONE, **more).lacking() and stood(LEADERLESS, **more).lacking()


def closing(mirrored, seen=0, manifest=None, **more):
    """Of a proof that begins now. :param seen: seconds since the source was seen last."""
    bounds = {} if mirrored is None else {"mirrored_through": {"orders": {"0": mirrored}}}
    wanted = Wanted("m", seen_at=NOW - seen * 1000, manifest=manifest)
    options = Options("orders", bounds={**bounds, **more})
    return cast(Any, SimpleNamespace(state=state_of(LEADERLESS), wanted=wanted, options=options, began=NOW / 1000))


@pytest.mark.parametrize("reason", UNSEEN)
@pytest.mark.parametrize(
    ("mirrored", "seen", "doubted"),
    [
        # All that was copied was read, and the copy is as it was; nobody knows what the source got since.
        (100, 0, True),
        (100, 590, False),
        # The mirror went on, or nobody knows how far it came.
        (103, 0, True),
        (None, 0, True),
        # The source was seen last when it was looked at last: these are the records of the last seconds.
        (103, 590, False),
        (None, 590, False),
    ],
)
def test_what_came_since_it_was_looked_at_is_not_shown(reason, mirrored, seen, doubted):
    found = closed_report.unseen(closing(mirrored, seen), PLACE, part(), reason, 100)
    if reason == GONE and mirrored == 100:
        # After its owner had deleted it, nothing came.
        doubted = False
    if reason == GONE and mirrored == 103:
        doubted = True
    assert bool(found) == doubted


@pytest.mark.parametrize(("manifest", "doubted"), [(None, False), (cast(Any, {"kind": "manifest"}), True)])
def test_what_the_copy_holds_beyond_is_for_the_manifest_where_there_is_one(manifest, doubted):
    """Without one, the comparison itself finds it."""
    assert bool(closed_report.unseen(closing(100, manifest=manifest), PLACE, part(), GONE, 105)) == doubted
    assert (
        closed_report.unseen(closing(100, manifest=manifest, target={"orders": {"0": 100}}), PLACE, part(), GONE, 105)
        is None
    )


def test_the_watch_was_silent_of_what_it_did_not_look_at():
    assert closed_report.silent(closing(100)) == ""
    assert "600 s before the source was seen last" in closed_report.silent(closing(100), NOW - 10 * MINUTE)


@pytest.mark.parametrize(
    ("topic_id", "ends", "further"),
    [
        ("s", {0: 60}, False),
        ("s", {0: 100}, True),
        ("s", {0: 130}, True),
        ("s", {0: 60, 1: 5}, True),
        ("s", {}, False),
        ("another", {0: 60}, True),
    ],
)
def test_a_manifest_that_reaches_as_far_is_gone_by(topic_id, ends, further):
    bounds = {number: (0, end) for number, end in ends.items()}
    saved = cast(Any, {"topic_id": topic_id, "config": {}, "partitions": list(ends), "bounds": bounds})
    assert beside_manifest.reaches_further(saved, {0: part()}) == further


# -- when a partition was looked at last -------------------------------------------------------------------------------


def followed(*, looked, before, found=None):
    tracks = restored(WatchState("m", at=NOW, round=9, partitions={PLACE: found or part(looked_at=None)}))
    note_looked(tracks, {PLACE} if looked else set(), before)
    return tracks[PLACE]


def test_when_a_partition_was_looked_at_last_is_kept_from_then_on():
    track = followed(looked=False, before=NOW - 5000)
    assert track.part.looked_at == NOW - 5000 and track.dirty
    note_looked({PLACE: track}, set(), NOW)
    assert track.part.looked_at == NOW - 5000, "later rounds did not look either"
    track.dirty = False
    note_looked({PLACE: track}, {PLACE}, NOW)
    assert track.part.looked_at is None and track.dirty


def test_nothing_is_kept_of_what_each_round_looks_at_or_what_is_stopped():
    assert not followed(looked=True, before=5).dirty
    stopped = followed(looked=False, before=5, found=part(looked_at=None, stopped="its log is another one"))
    assert stopped.part.looked_at is None and not stopped.dirty


@pytest.mark.parametrize(("proven_at", "expected"), [(NOW - DAY, NOW - DAY), (None, 0)], ids=["proven", "never"])
def test_what_a_former_version_left_out_was_looked_at_when_it_was_proven(proven_at, expected):
    found = part(looked_at=None, proven_at=proven_at, since=77)
    track = restored(state_of(LEADERLESS, found))[PLACE]
    assert track.part.looked_at == expected and track.dirty


def test_when_it_was_looked_at_comes_back_as_it_was_written():
    name, value = rows.confirmed_row("m", PLACE, part(), 1)
    assert rows.fold([(0, name, value, None)])["m"].partitions[PLACE].looked_at == NOW - 10 * MINUTE


@pytest.mark.parametrize("reason", [LEADERLESS, HIDDEN_COPY])
def test_nothing_of_a_former_topic_counts_for_one_that_was_made_again_unseen(reason):
    tracks = restored(state_of(reason))
    synchronise(tracks, Survey({}, {"orders": reason}, {"orders": "again"}), NOW)
    note_looked(tracks, set(), NOW)
    found = stood(reason, tracks[PLACE].part)
    assert tracks[PLACE].part.records == 0 and tracks[PLACE].part.begins is None
    assert proven_through(state_of(reason, tracks[PLACE].part)) == {} and found.left_out == {"orders": reason}


def test_a_topic_that_comes_back_is_looked_at_again():
    tracks = restored(state_of(GONE))
    synchronise(tracks, Survey({PLACE: Pairing("orders", "s", "t")}, {}), NOW)
    note_looked(tracks, {PLACE}, NOW)
    assert tracks[PLACE].part == replace(part(), looked_at=None) and tracks[PLACE].dirty


@pytest.mark.parametrize(("reason", "kept"), [(LEADERLESS, True), (GONE, True), (COMPACTED, False)])
def test_which_topics_the_state_holds_to(reason, kept):
    assert held_to(state_of(reason)) == ({"orders"} if kept else set())


@pytest.mark.parametrize("away", ["left out", "doubted"])
def test_a_round_keeps_what_it_did_not_look_at(monkeypatch, away):
    """With the logs themselves away: what it reads of them is given."""
    written = []
    watch = rounds.Watch.__new__(rounds.Watch)
    watch.options, watch.state = rounds.Options("m", "orders"), state_of(None, part(looked_at=None, proven_at=1))
    watch.tracks, watch.dropped, watch.rounds = restored(watch.state), {}, 0
    watch.state.at, watch.state.seconds = NOW - 5000, 2.0
    clock = SimpleNamespace(now_ms=lambda: NOW)
    watch.keeper = cast(Any, SimpleNamespace(look=lambda now: None, clock=clock, write=written.extend))
    doubted = {PLACE: ""} if away == "doubted" else {}
    watch.portions = cast(Any, SimpleNamespace(read=lambda *words: None, doubted=doubted, records=0))
    watch.expiry = watch.scrubber = cast(Any, SimpleNamespace(step=lambda *words: None))
    watch.witness = cast(Any, SimpleNamespace(last_round=lambda now: None))
    active = [watch.tracks[PLACE]] if away == "doubted" else []
    ends = SimpleNamespace(source_high={}, target_high={}, target_decided=lambda track: False)
    watch.mirrored = cast(Any, SimpleNamespace(look=lambda *words: None, copied=lambda *words: {}))
    for name, answer in (("_look", None), ("_look_for_acceptance", None), ("_ends", (active, ends))):
        monkeypatch.setattr(watch, name, lambda *words, answer=answer: answer)
    watch.round()
    kept = rows.fold([(at, *row, None) for at, row in enumerate(written)])["m"]
    assert kept.partitions[PLACE].looked_at == NOW - 7000
    written.clear()
    watch.round()
    assert [rows.key("watch", "m")] == [name for name, dummy in written], "it is written once"
    if away == "doubted":
        doubted.clear()
        watch.round()
        assert watch.state.partitions[PLACE].looked_at is None
