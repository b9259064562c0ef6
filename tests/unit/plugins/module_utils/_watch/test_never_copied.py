# SPDX-License-Identifier: GPL-3.0-or-later
"""What the watch saw at the source, and neither it nor the mirror had read, is lost, and a proof says how much."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import report
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.comparison import Options
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.found import no_differences
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import closed_report
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.closing import Closing, Wanted
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.reasons import (
    GONE,
    HIDDEN,
    HIDDEN_COPY,
    LEADERLESS,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.standing import stand
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed, WatchState

NOW = int(time.time() * 1000)
DAY = 86_400_000
PLACE = ("orders", 0)


def compared(lost, mirrored, beyond=0):
    """A partition whose windows were compared, and of them so many records were lost. :param beyond: of the copy."""
    result = {**no_differences(), "offset_map": [[99, 99, 1]]}
    result["counts"] |= {"lost": lost, "beyond": beyond}
    held = {"number": 0, "reasons": [], "undecided": False, "target_moved": False, "target_started": 0, "error": None}
    found = {"target_cut": False, "left": SimpleNamespace(count=1), "right": SimpleNamespace(count=1)}
    return cast(Any, SimpleNamespace(**held, **found, result=result, mirrored_through=mirrored))


def proven(reason, looked=None, mirrored=100, lost=0, source=None, known=True, beyond=0, ended=0, **more):
    """The verdict, the number that was lost, and the reasons.

    :param looked: seconds since it was looked at last; None where the last round did. :param source: where a proof is
        asked to end. :param known: whether anybody knows when the source was seen last: now. :param beyond: records of
        the copy that were not compared. :param ended: seconds since the last round.
    """
    anchor = {"source": 99, "target": 99, "digest": 7, "timestamp": NOW - DAY}
    read = {"begins": (0, 0), "through": (100, 100), "examined": (100, 100), "read": 100, "records": 100}
    seen = {"source_end": 100, "source_high": 100, "target_start": 0}
    looked_at = None if looked is None else NOW - looked * 1000
    part = Confirmed("orders", "s", "t", **{**read, **seen, "anchor": anchor, "looked_at": looked_at, **more})
    not_watched = {"orders": reason} if reason else {}
    state = WatchState("m", "S", "T", at=NOW - ended * 1000, round=9, not_watched=not_watched, partitions={PLACE: part})
    copy = {"topic_id": "t", "partitions": [0], "config": {"retention.ms": "-1"}, "bounds": {0: (0, 100)}}
    target = cast(Any, {"orders": copy})
    bounds = {
        "mirrored_through": {"orders": {"0": mirrored}},
        **({"source": {"orders": {"0": source}}} if source else {}),
    }
    closing = cast(
        Any,
        SimpleNamespace(
            state=state,
            wanted=Wanted("m", seen_at=NOW if known else 0),
            options=Options("orders", bounds=bounds),
            began=NOW / 1000,
            differences={},
            topics=["orders"],
            standing=stand(state, "orders", {"orders": [0]}, target, NOW),
        ),
    )
    if closing.standing.left_out:
        return "NOT_PROVABLE", 0, closing.standing.left_out["orders"]
    Closing._doubt_unseen(closing, closing.standing, target)
    pair = compared(lost, mirrored, beyond)
    closed_report.amend(closing, cast(Any, SimpleNamespace(name="orders")), pair)
    return report._judge(pair, pair.result)[0], pair.result["counts"]["lost"], " ".join(pair.reasons)


@pytest.mark.parametrize(
    ("mirrored", "more", "lost"),
    [
        (100, {}, 0),
        (100, {"source_end": 1000}, 900),
        # What the windows hold is counted by the comparison.
        (100, {"source_end": 1000, "read": 130, "lost": 30}, 900),
        (100, {"source_end": 1000, "source": 150}, 50),
        (100, {"source_end": 1000, "source": 100}, 0),
    ],
)
@pytest.mark.parametrize(("reason", "looked"), [(None, None), (LEADERLESS, 30), (HIDDEN_COPY, 30), (HIDDEN, 30)])
def test_what_was_seen_and_neither_read_nor_copied_is_lost(reason, looked, mirrored, more, lost):
    verdict, count, reasons = proven(reason, looked, mirrored, **more)
    assert (verdict, count) == ("PROVEN", lost)
    left = lost - more.get("lost", 0)
    assert ("had not been copied" in reasons) == bool(left) and (not left or f"{left} offsets" in reasons)


def test_what_was_copied_of_it_is_not_proven_and_the_rest_is_lost():
    verdict, lost, reasons = proven(None, mirrored=400, source_end=1000)
    assert (verdict, lost) == ("NOT_PROVABLE", 600)
    assert "300 offsets that it had not read" in reasons and "600 offsets from 400 on" in reasons


@pytest.mark.parametrize("end", [100, 1000])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("reason", [LEADERLESS, HIDDEN_COPY, HIDDEN])
def test_what_came_while_nobody_could_look_is_not_called_complete(reason, known, end):
    """Nobody knows how much it was: the mirror could not look either."""
    verdict, dummy, reasons = proven(reason, 259_200, known=known, source_end=end)
    assert verdict == "NOT_PROVABLE" and "259200 s" in reasons


def test_of_a_partition_alone_too_that_the_last_rounds_did_not_look_at():
    assert proven(None, 259_200)[0] == "NOT_PROVABLE" and proven(None, 30)[0] == "PROVEN"


def test_after_a_topic_was_deleted_nothing_comes():
    assert proven(GONE, 259_200)[0] == "PROVEN"


def test_lost_records_that_windows_held_are_named_beside_those_that_nobody_read(monkeypatch):
    rows = [[130, "00", 1], [131, "00", 1]]
    monkeypatch.setattr(closed_report, "_lost", lambda *words: rows)
    part = Confirmed("orders", "s", "t", read=132, source_end=140)
    bounds = {"mirrored_through": {"orders": {"0": 130}}}
    state, options = WatchState("m", partitions={PLACE: part}), Options("orders", bounds=bounds)
    closing = cast(Any, SimpleNamespace(state=state, topics=["orders"], options=options))
    found = {"partition": 0, "lost": 10, "beyond": 0}
    closed_report._name_proven(closing, "orders", found)
    assert (found["lost_records"], found["lost_records_left_out"]) == (rows, 8)
