# SPDX-License-Identifier: GPL-3.0-or-later
"""A new backup that is copied anew to a third region; the old one goes only when the new one is proven, and the third
region is the backup from then on.
"""

from __future__ import annotations

import pytest

from kafka_dr_lab import inventory
from kafka_dr_lab.landscape import MIRROR, TOPICS
from tests.real.lab.playing import SOURCE, TARGET
from tests.real.restore.story import restored

pytestmark = pytest.mark.full
ELSEWHERE = "asia"
TO_ELSEWHERE = {
    **MIRROR,
    "name": "north-america-to-asia",
    "target": ELSEWHERE,
    "config": {"worker": {"plugin.discovery": "service_load"}},
}
ANEW = {"new_backup_method": "recopy", "new_backup_copy_to": ELSEWHERE, "new_backup_delete_old": True}


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """A third region is there beside the two."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inventory, "CLUSTERS", (SOURCE, TARGET, ELSEWHERE))
        with restored(tmp_path_factory.mktemp("elsewhere") / "lab") as made:
            yield made


def with_third(described):
    described["vars"]["kafka_dr_mirrors"].append(TO_ELSEWHERE)


def names(story, region):
    return set(story.module("cluster_info", region=region, topics=r"flights\..*")["topics"])


def test_without_a_mirror_to_it_the_third_region_is_refused(story):
    story.refused("new_backup", f"No single mirror copies {SOURCE} to {ELSEWHERE}", **ANEW)


def test_copied_to_a_third_region_it_takes_the_old_ones_place(story):
    before = {topic: story.records(TARGET, topic) for topic in TOPICS}
    told = story.went("new_backup", change=with_third, **ANEW)
    assert (
        f"{ELSEWHERE} holds a proven backup of {SOURCE} again" in told
        and f"The old backup in {TARGET} was deleted." in told
    )
    assert names(story, ELSEWHERE) == set(TOPICS) and names(story, TARGET) == set()
    assert {topic: story.records(ELSEWHERE, topic) for topic in TOPICS} == before and any(
        any(one.values()) for one in before.values()
    )


def test_it_is_the_backup_from_then_on(story):
    """Its definition is kept there, its status is well there, and nothing of the region is kept where it was."""
    assert (story.lab.directory / "regions" / ELSEWHERE / "rebuild" / f"{SOURCE}.vault").exists()
    assert f"{SOURCE} is the active region" in story.went("resume", change=with_third)
    assert not story.kept().exists()
    status = story.went("backup_status", change=with_third, backup_status_backup=ELSEWHERE)
    assert f"Backup of {SOURCE} in {ELSEWHERE}: well" in status
    story.refused("resume", f"Nothing is kept of {SOURCE} in {TARGET} any more", change=with_third)
