# SPDX-License-Identifier: GPL-3.0-or-later
"""The gates of the stage that brings a region back, over what its preflight found."""

from __future__ import annotations

import pytest

from tests.unit.test_gates_of_stages import MIRROR, refused

pytestmark = pytest.mark.slow

ENDS = {
    "offset": 5,
    "at": "2026-01-01T00:00:00Z",
    "found": {"source": {"orders": {"0": 7}}, "target": {"orders": {"0": 7}}},
}
LEDGER = {
    "stage": "failover",
    "ends": {"na to eu": ENDS},
    "last": {"failover": {"about": "na to eu", "offset": 9}},
    "done": {},
    "clearing": {},
}
STATE = {"state": "with_data", "topics": {"orders": "holds"}, "holding": ["orders"], "told": [], "cluster_id": "A"}
# As the tasks before the gates leave it, for a region that is back with records.
FOUND = {
    "failback_region": "na",
    "failback_from": "eu",
    "failback_mirror": MIRROR,
    "kafka_dr_mirrors": [MIRROR],
    "__failback_moving": False,
    "__failback_ended": False,
    "__failback_together": True,
    "__failback_lacks": "",
    "__failback_back": {**MIRROR, "name": "backup-back"},
    "__failback_there": {"active_region": "", "open": False, "owner": ""},
    "__failback_left_last": "na to eu",
    "__failback_returned": {**STATE, "known_cluster_id": "A"},
    "__failback_drift": [],
    "__failback_both": {"results": [{"topics": {"orders": {}}}, {"acls": []}]},
    "__failback_directories": {
        "results": [{"stat": {"exists": True, "isdir": True, "writeable": True}}, {"stat": {"exists": True}}]
    },
    "failback_salvage_directory": "/salvage",
    "preflight_clusters": {"na": "A", "eu": "B"},
}


# The region is no longer the one that was left, but was copied from it.
FURTHER = {
    "kafka_dr_mirrors": [{**MIRROR, "source": "asia"}, {**MIRROR, "name": "further", "source": "asia", "target": "na"}],
    "__failback_left_last": "asia to eu",
    "__failback_ends": ENDS["found"],
    "__failback_platforms": [{"name": "host", "tells_client": False}],
}


def said(directory, ledger=None, **more):
    # One that is always closed, so that there is something to read.
    require = [{"query": "`false`", "message": "a gate of this test"}]
    lines = refused(
        directory, "failback", ledger={**LEDGER, **(ledger or {})}, **{**FOUND, "failback_require": require, **more}
    )
    return [line for line in lines if "a gate of this test" not in line]


def test_a_region_that_is_back_with_its_data_may_be_gone_on_with(tmp_path):
    assert said(tmp_path) == []
    assert said(tmp_path, failback_salvage_directory="s3://bucket/x?region=y") == []


@pytest.mark.parametrize(
    ("active", "ends", "words"),
    [
        ("na", {}, "Exchange failback_region and failback_from"),
        ("na", {"na to eu": ENDS}, "The applications are home: nothing is left to be done"),
        ("asia", {"na to eu": ENDS}, "Name the region where the applications work"),
    ],
)
def test_the_region_where_the_applications_work_has_to_be_named(tmp_path, active, ends, words):
    lines = said(tmp_path, {"active_region": active, "ends": ends})
    assert len(lines) == 2 - len(ends) and words in lines[0], lines


def test_two_names_for_one_cluster_are_refused_by_the_regions_names(tmp_path):
    """Nothing was found out of the region then: the task that would is skipped."""
    lines = said(tmp_path, preflight_clusters={"na": "A", "eu": "A"}, __failback_returned={"skipped": True})
    assert len(lines) == 1 and "are the same cluster (A, A): expected 2" in lines[0], lines


@pytest.mark.parametrize(
    ("last", "words"),
    [
        ("asia to eu", "found asia to eu. Name the region that was left"),
        # That failover would say that nothing is left to be done.
        ("", "found none. If that ledger was deleted, save first what only na has"),
    ],
)
def test_a_region_that_was_not_left_is_refused(tmp_path, last, words):
    lines = said(tmp_path, __failback_left_last=last)
    assert len(lines) == 1 and words in lines[0], lines


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"failback_salvage": [{"topics": "orders", "action": "none"}]}, "-e failback_accept_loss=true"),
        ({"failback_salvage_directory": ""}, "a directory that can be written to, found none"),
        ({"failback_salvage_directory": "s3://key:secret@bucket/x"}, "found s3://***@bucket/x. Name one"),
        ({"failback_salvage_directory": "nosuch://x/y"}, "to be a URI (file, s3, gs, hdfs, abfs) without"),
        (
            {"__failback_directories": {"results": [{"stat": {"exists": False}}, {"stat": {"exists": False}}]}},
            "found /salvage",
        ),
        (
            {"__failback_directories": {"results": [{"stat": {"exists": True, "writeable": True}}, {"stat": {}}]}},
            "found /salvage",
        ),
        ({"__failback_directories": {"results": [{"msg": "Not a directory"}, {"stat": {}}]}}, "found /salvage"),
        (
            {"__failback_returned": {**STATE, "state": "other", "known_cluster_id": ""}},
            "expected a position witness that saw its id",
        ),
        ({"__failback_lacks": "na has no user"}, "found na has no user. Complete the inventory"),
        ({"failback_mirror": {**MIRROR, "policy": "default"}}, "names copies otherwise"),
        ({"preflight_clusters": {"na": "A", "eu": "A"}}, "are the same cluster (A, A)"),
        (
            {"kafka_dr_mirrors": [MIRROR, {**MIRROR, "name": "further", "target": "asia"}]},
            '{"failback_accept_other_mirrors": ["further"]}',
        ),
        ({"__failback_together": False, "groups": {}}, "expected both regions on hosts"),
        ({**FURTHER, "failback_home": True}, "which the applications never left"),
        ({**FURTHER, "__failback_platforms": [{"name": "kubernetes", "tells_client": True}]}, "found kubernetes"),
        (
            {**FURTHER, "__failback_returned": {**STATE, "state": "other", "known_cluster_id": "X", "copied_from": ""}},
            "is not known to be a copy of asia: expected its position witness to have seen the cluster X, found none",
        ),
        ({**FURTHER, "__failback_left_last": "na to eu"}, "asia is not the region that the applications left for eu"),
        ({"credentials_rights": {"unfenceable": {"User:*": "may write"}}}, "would be deleted"),
    ],
)
def test_what_would_lose_records_is_refused(tmp_path, more, words):
    lines = said(tmp_path, **more)
    assert len(lines) == 1 and words in lines[0], lines


TURNED = {"done": {"failover": {"turned": {}, "protecting": {}, "protected": {}}}}


def test_a_mirror_that_was_turned_round_leads_to_the_region_that_was_left_alone(tmp_path):
    """A further copy that read from that region has no mirror once that is lost."""
    (line,) = said(tmp_path, TURNED)
    assert "has turned the mirror round" in line, line
    assert said(tmp_path, TURNED, **FURTHER) == []
    replayed = [{"topics": ".*", "action": "replay"}]
    (line,) = said(tmp_path, TURNED, **FURTHER, failback_salvage=replayed)
    assert "Name export or side_topic" in line, line


SIDE = [{"topics": "orders", "action": "side_topic"}]
READS = {
    "principal": "app",
    "resource": "topic",
    "name": "ord",
    "pattern": "prefixed",
    "operations": ["READ"],
    "permission": "allow",
    "host": "*",
}


def test_who_would_pick_up_a_side_topic_is_named(tmp_path):
    both = {"results": [{"topics": {"orders": {}}}, {"acls": [READS]}]}
    wide = {**FOUND["__failback_back"], "topics": ["orders.*"]}
    more = {"failback_salvage": SIDE, "__failback_both": both, "__failback_back": wide}
    (line,) = said(tmp_path, **more)
    assert "backup-back would copy orders.salvaged" in line and "User:app may read orders.salvaged" in line, line
    assert said(tmp_path, **more, failback_accept_side_topics=["backup-back", "User:app"]) == []
    assert said(tmp_path, **{**more, "failback_salvage": [{"topics": ".*", "action": "replay"}]}) == []


def test_what_holds_no_records_needs_no_place_for_them(tmp_path):
    empty = {**STATE, "state": "empty", "holding": [], "known_cluster_id": ""}
    none = [{"topics": "orders", "action": "none"}]
    assert said(tmp_path, __failback_returned=empty, failback_salvage_directory="", failback_salvage=none) == []


def test_a_stage_that_is_open_in_the_regions_own_ledger_counts(tmp_path):
    lines = said(tmp_path, __failback_there={"active_region": "", "open": True, "owner": "stage failover (eu to na)"})
    assert len(lines) == 1 and "found stage failover (eu to na) in the ledger of na" in lines[0], lines


CUT_OFF = {"stage": "failback", "open": True, "about": "na from eu", "last": {**LEDGER["last"], "failback": {}}}
BEFORE = {"returned": {"found": STATE}, "salvaged": {"found": {"complete": True}}}
EMPTY_NOW = {**STATE, "state": "empty", "holding": [], "known_cluster_id": "A", "cluster_id": "Z"}


@pytest.mark.parametrize(
    ("done", "more", "words"),
    [
        (
            BEFORE,
            {"__failback_returned": {**STATE, "state": "other", "known_cluster_id": "A"}},
            "is not known to be the",
        ),
        (BEFORE, {"failback_salvage": [{"topics": "x", "action": "none"}]}, "-e failback_accept_loss=true"),
        (BEFORE, {"failback_salvage_directory": ""}, "a directory that can be written to, found none"),
        (
            {**BEFORE, "clearing": {}},
            {"__failback_returned": EMPTY_NOW},
            "(Z) is another one than this stage has begun",
        ),
    ],
)
def test_a_run_that_goes_on_looks_again(tmp_path, done, more, words):
    """Until topics are deleted nothing is decided, and then it is decided of this cluster."""
    lines = said(tmp_path, {**CUT_OFF, "done": {"failback": done}}, **more)
    assert len(lines) == 1 and words in lines[0], lines


@pytest.mark.parametrize(
    ("done", "now"),
    [(BEFORE, {**STATE, "known_cluster_id": "A"}), (BEFORE, EMPTY_NOW), ({**BEFORE, "clearing": {}}, STATE)],
)
def test_a_run_that_was_cut_off_is_gone_on_with(tmp_path, done, now):
    assert (
        said(tmp_path, {**CUT_OFF, "done": {"failback": done}}, __failback_returned={"known_cluster_id": "", **now})
        == []
    )
