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
