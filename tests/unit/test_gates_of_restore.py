# SPDX-License-Identifier: GPL-3.0-or-later
"""What a restore refuses with where nobody saw that the region is empty: the way out must not lead to harm."""

from __future__ import annotations

import pytest

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


HELD = {"topics": {"orders": {"id": "t1", "offsets": {"0": {"start": 0, "end": 5}}}}, "cluster_id": "A"}


@pytest.mark.parametrize(
    ("steps", "lives"),
    [
        ({}, True),
        ({"paused": {}, "ends": {}}, True),
        ({"bringing_back": {"cluster_id": "A", "topics": {"orders": "t0"}}}, True),
        ({"bringing_back": {"cluster_id": "C", "topics": {"orders": "t1"}}}, True),
        ({"bringing_back": {"cluster_id": "A", "topics": {"orders": "t1"}}}, False),
        # The restore mirror has made it.
        ({"bringing_back": {"cluster_id": "A", "topics": {}}}, False),
    ],
)
def test_a_run_that_goes_on_finds_a_region_that_is_back(tmp_path, steps, lives):
    about = "na from eu"
    done = {step: {"found": found} for step, found in steps.items()}
    ledger = {"open": True, "stage": "recreate_from_backup", "about": about, "done": {"recreate_from_backup": done}}
    more = {"recreate_from_backup_region": "na", "recreate_from_backup_from": "eu"}
    more |= {"recreate_from_backup_mirror": MIRROR, "__recreate_from_backup_about": about}
    more["recreate_from_backup_require"] = [{"query": "`false`", "message": "a gate of this test"}]
    more |= {"__recreate_from_backup_region": {**REGION, **HELD}, "definition_kept": {}}
    more["__recreate_from_backup_backup"] = {"cluster_id": "B", "topics": {}}
    said = refused(tmp_path, "recreate_from_backup", "region_lost", ledger=ledger, **more)
    told = [line for line in said if "answers and holds records in orders" in line]
    assert bool(told) == lives, said
    assert all("run failover to eu with failover_accept_open_stage=true" in line for line in told)
