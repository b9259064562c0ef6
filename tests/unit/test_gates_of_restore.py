# SPDX-License-Identifier: GPL-3.0-or-later
"""What a restore, and the resume after it, refuse with: the way out must not lead to harm."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from tests.unit.plugins.module_utils._ledger.test_fold import entry
from tests.unit.test_gates_of_stages import MIRROR, refused

pytestmark = pytest.mark.slow

REGION = {"reachable": True, "alive": True, "error": "", "reason": "", "seen": [], "topics": {}, "hidden": []}
GRANT = "Give the user of the stages DESCRIBE on all topics there"
CORRECT = "Correct kafka_dr_client and kafka_dr_client_secrets of "


@pytest.mark.parametrize(
    ("answer", "words", "way"),
    [
        ({"hidden": ["orders"]}, "na answers and hides from this job whether it has orders", GRANT),
        ({"error": "authentication", "reason": "wrong password"}, "does not accept this job: wrong password", CORRECT),
        (
            {"topics": {"orders": {"offsets": {"0": {"start": 0, "end": 5}}}}},
            "na answers and holds records in orders",
            "if what it holds is rubbish, delete these topics",
        ),
        (
            {"reachable": False, "error": "timeout", "seen": ["the witness saw it"]},
            "but the witness saw it",
            "nothing is to be restored",
        ),
    ],
)
def test_a_region_that_was_not_seen_to_be_empty_is_not_made_again(tmp_path, answer, words, way):
    more = {"recreate_from_backup_region": "na", "recreate_from_backup_from": "eu"}
    more["recreate_from_backup_mirror"] = MIRROR
    more["__recreate_from_backup_region"] = {**REGION, **answer}
    (said,) = refused(tmp_path, "recreate_from_backup", "region_lost", **more)
    assert words in said and way in said, said
    assert ("delete these topics" in said) == ("topics" in answer), said


@pytest.mark.parametrize(
    ("answer", "way"),
    [
        ({"hidden": ["orders"]}, GRANT),
        ({"error": "authentication", "reason": "wrong password"}, CORRECT),
        ({"topics": {"orders": {"offsets": {"0": {"start": 0, "end": 5}}}}}, "Have it made anew"),
        ({"reachable": False, "error": "timeout", "reason": "no answer"}, "Have it made anew"),
    ],
)
def test_an_owner_is_not_asked_to_make_a_region_anew_of_which_nothing_was_seen(tmp_path, answer, way):
    more = {"recreate_from_backup_region": "localhost", "recreate_from_backup_from": "eu"}
    more |= {"recreate_from_backup_mirror": MIRROR, "kafka_dr_platform": "managed"}
    more["__recreate_from_backup_region"] = {**REGION, **answer}
    (said,) = refused(tmp_path, "recreate_from_backup", "made_by_owner", **more)
    assert way in said, said
    assert ("made anew" in said) == (way == "Have it made anew"), said


def going_on(directory, region, done):
    """With what a run is refused that goes on, beside a gate of this test."""
    about = "na from eu"
    ledger = {"open": True, "stage": "recreate_from_backup", "about": about, "done": {"recreate_from_backup": done}}
    more = {"recreate_from_backup_region": "na", "recreate_from_backup_from": "eu"}
    more |= {"recreate_from_backup_mirror": MIRROR, "__recreate_from_backup_about": about}
    more["recreate_from_backup_require"] = [{"query": "`false`", "message": "a gate of this test"}]
    more |= {"__recreate_from_backup_region": region, "definition_kept": {}}
    more["__recreate_from_backup_backup"] = {"cluster_id": "B", "topics": {}}
    return refused(directory, "recreate_from_backup", "region_lost", ledger=ledger, **more)


HELD = {"topics": {"orders": {"id": "t1", "offsets": {"0": {"start": 0, "end": 5}}}}, "cluster_id": "A"}


@pytest.mark.parametrize(
    ("steps", "lives"),
    [
        ({}, True),
        ({"paused": {}, "ends": {}}, True),
        ({"bringing_back": {"cluster_id": "A", "topics": {"orders": "t0"}}}, True),
        ({"bringing_back": {"cluster_id": "C", "topics": {"orders": "t1"}}}, True),
        ({"bringing_back": {"cluster_id": "A", "topics": {"orders": "t1"}}}, False),
        # Disks of before have the same cluster id, and nothing shows that the restore mirror has made it.
        ({"bringing_back": {"cluster_id": "A", "topics": {}}}, True),
    ],
)
def test_a_run_that_goes_on_finds_a_region_that_is_back(tmp_path, steps, lives):
    said = going_on(tmp_path, {**REGION, **HELD}, {step: {"found": found} for step, found in steps.items()})
    told = [line for line in said if "answers and holds records in orders" in line]
    assert bool(told) == lives, said
    assert all("run failover to eu with failover_accept_open_stage=true" in line for line in told)


def test_a_run_that_goes_on_does_not_take_silence_for_a_region_of_its_own(tmp_path):
    """It lives, and does not answer here. A cluster that is half made answers, and may know nobody yet."""
    silent = {**REGION, "reachable": False, "error": "timeout", "seen": ["the witness saw it"]}
    assert any("but the witness saw it" in line for line in going_on(tmp_path, silent, {}))
    half_made = {**REGION, "error": "authentication", "reason": "wrong password"}
    assert not any("wrong password" in line for line in going_on(tmp_path, half_made, {}))


ABOUT = "na from eu"
PROOF = {
    "source": "eu",
    "target": "na",
    "complete": True,
    "verdict": "PROVEN",
    "topics": [
        {
            "topic": "orders",
            "target_topic": "orders",
            "target_topic_id": "ID",
            "partitions": {"0": {"source": [0, 7], "target": [0, 7]}},
        }
    ],
}


def restored(named):
    """The ledger of the backup, whose region was restored and proven, and whose resume was cut off.

    :param named: whether it had named the region by then.
    """
    restore = [
        entry("1", "stage", "started", stage="recreate_from_backup", about=ABOUT),
        entry("1", "active_region", "active", stage="recreate_from_backup", about="none", region="none"),
        entry("1", "proof", "proven", stage="recreate_from_backup", found=PROOF, fenced=False),
        entry("1", "stage", stage="recreate_from_backup", about=ABOUT),
        entry("2", "stage", "started", stage="resume", about=ABOUT),
    ]
    naming = [entry("2", "active_region", "active", stage="resume", about="na", region="na")] if named else []
    return fold([{"found": {}, "at": "", **one, "offset": at} for at, one in enumerate([*restore, *naming])])


@pytest.mark.parametrize("named", [False, True])
def test_a_resume_that_was_cut_off_looks_at_the_region_again_until_it_has_named_it(tmp_path, named):
    """From then on its applications may have written."""
    known = restored(named)
    assert known["open"] and known["active_region"] == ("na" if named else "none")
    said = refused(
        tmp_path,
        "resume",
        "proven",
        ledger=known,
        resume_region="na",
        resume_from="eu",
        resume_mirror=MIRROR,
        resume_require=[{"query": "`false`", "message": "a gate of this test"}],
        __resume_region={"topics": {}},
        __resume_watch_found={},
    )
    refusals = [line for line in said if "orders was made anew" in line]
    assert bool(refusals) is not named, said
    assert all("recreate_from_backup_accept_open_stage" in line for line in refusals), said
