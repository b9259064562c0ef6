# SPDX-License-Identifier: GPL-3.0-or-later
"""A new backup that is copied anew beside the old one; the old one goes only when the new one is proven."""

from __future__ import annotations

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import NewTopic

from kafka_dr_lab.landscape import TOPICS
from tests.real.lab.playing import SOURCE, TARGET
from tests.real.restore.story import restored

pytestmark = pytest.mark.full
ANEW = {
    "name": "north-america-again",
    "source": SOURCE,
    "target": TARGET,
    "topics": [r"flights\..*"],
    "groups": ["flights-dashboard.*"],
    "policy": "default",
    "tuning": {"replication_factor": 1, "refresh_seconds": 5, "checkpoint_seconds": 2, "tasks_max": 2},
    "config": {"worker": {"plugin.discovery": "service_load"}},
}
COPIES = [f"{SOURCE}.{topic}" for topic in TOPICS]


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    with restored(tmp_path_factory.mktemp("recopy") / "lab") as made:
        yield made


def held(story):
    return set(story.module("cluster_info", topics=r".*flights\..*")["topics"])


def test_beside_the_old_backup_it_needs_names_of_its_own(story):
    story.refused("new_backup", "needs names of its own", "found none", new_backup_method="recopy")
    story.refused(
        "new_backup",
        "needs names of its own",
        "found identity",
        new_backup_method="recopy",
        new_backup_copy_mirror={**ANEW, "policy": "identity"},
    )


def test_records_of_somebody_else_are_not_mixed_in(story):
    admin = story.admin_client(TARGET)
    next(iter(admin.create_topics([NewTopic(COPIES[0], 3, 1)]).values())).result(30)
    producer = Producer(story.admin(TARGET))
    producer.produce(COPIES[0], b"not mine")
    assert producer.flush(30) == 0
    story.refused(
        "new_backup",
        f"{COPIES[0]} in europe holds records already",
        new_backup_method="recopy",
        new_backup_copy_mirror=ANEW,
    )
    next(iter(admin.delete_topics([COPIES[0]]).values())).result(30)


def test_the_old_backup_stands_until_the_new_one_is_proven(story):
    more = {"new_backup_method": "recopy", "new_backup_copy_mirror": ANEW, "new_backup_delete_old": True}
    story.kill_in("new_backup", "Start the mirror", **more)
    assert held(story) == {*TOPICS, *COPIES}
    # A record is gone from the copy: it is not proven, and the old backup stays.
    offsets = story.module("cluster_info", read=["offsets"], topics=COPIES[0].replace(".", r"\."))["topics"][COPIES[0]][
        "offsets"
    ]
    number = next(int(number) for number, one in offsets.items() if one["end"] > one["start"] + 1)
    next(iter(story.admin_client(TARGET).delete_records([TopicPartition(COPIES[0], number, 1)]).values())).result(30)
    done = story.run("new_backup", **more)
    assert done.returncode != 0 and "(LOSS)" in done.stdout, done.stdout
    assert set(TOPICS) <= held(story)
    assert (
        story.module("cluster_info", read=["topics", "configs"], topics=TOPICS[0])["topics"][TOPICS[0]]["configs"][
            "retention.ms"
        ]
        == "-1"
    )


def test_copied_anew_it_takes_the_old_ones_place(story):
    more = {"new_backup_method": "recopy", "new_backup_copy_mirror": ANEW, "new_backup_delete_old": True}
    story.refused("new_backup", "begun and not proven", "new_backup_discard_unproven=true", **more)
    told = story.went("new_backup", **more, new_backup_discard_unproven=True)
    assert "Everything was copied anew. The old backup in europe was deleted." in told
    assert held(story) == set(COPIES)
    for topic in TOPICS:
        assert story.records(SOURCE, topic) == story.records(TARGET, f"{SOURCE}.{topic}") and any(
            story.records(SOURCE, topic).values()
        )


def test_again_changes_nothing_and_applications_can_resume(story):
    told = story.went("new_backup", new_backup_method="recopy", new_backup_copy_mirror=ANEW, new_backup_delete_old=True)
    assert "holds a proven backup" in told and held(story) == set(COPIES)
    story.refused("new_backup", "made by recopy: expected none yet, or the same method")
    assert "north_america is the active region" in story.went("resume")
