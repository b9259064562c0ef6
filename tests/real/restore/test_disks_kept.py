# SPDX-License-Identifier: GPL-3.0-or-later
"""A region whose brokers are down and whose disks are whole is not restored into its own records; the way out that is
named brings every record home, once.
"""

from __future__ import annotations

import pytest
from confluent_kafka.admin import AdminClient

from kafka_dr_lab.journals import topic_ids
from kafka_dr_lab.lab import Lab
from kafka_dr_lab.landscape import TOPICS
from tests.real.lab.kept import ids, nothing_is_lost_or_twice
from tests.real.lab.playing import SOURCE, TARGET
from tests.real.restore.story import Story

pytestmark = [pytest.mark.real, pytest.mark.full]
REFUSED = f"{SOURCE} is not empty: expected a cluster without records of the mirror's topics, found records in "
AGAIN = f"{SOURCE} answers and holds records in "


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    directory = tmp_path_factory.mktemp("kept") / "lab"
    try:
        story = Story(directory)
        story.went("initial_setup")
        story.lab.lose(SOURCE, keep=True)
        yield story
    finally:
        Lab(directory).down()


def counts(story, region):
    return topic_ids(story.admin(region), list(TOPICS))


def test_it_is_refused_before_a_record_is_copied(story):
    done = story.run("recreate_from_backup")
    text = " ".join(done.stdout.split())
    assert done.returncode != 0 and REFUSED in text and "run failover to europe" in text, text[-3000:]
    held = counts(story, SOURCE)
    assert {count for counter in held.values() for count in counter.values()} == {1}
    # Run again, now that it answers.
    done = story.run("recreate_from_backup")
    text = " ".join(done.stdout.split())
    assert done.returncode != 0 and AGAIN in text and "run failover to europe" in text, text[-3000:]
    assert counts(story, SOURCE) == held


@pytest.mark.full
def test_the_way_out_saves_what_only_it_has(story, tmp_path):
    only_there = ids(story, SOURCE) - ids(story, TARGET)
    story.lab.lose(SOURCE, keep=True)
    regions = {"failover_source": SOURCE, "failover_target": TARGET}
    done = story.stage("failover", {**regions, "failover_accept_open_stage": True})
    assert done.returncode == 0, done.stdout[-3000:]
    story.lab.start_again(SOURCE)
    AdminClient(story.admin(SOURCE)).list_topics(timeout=120)
    back = {"failback_region": SOURCE, "failback_from": TARGET, "failback_salvage_directory": str(tmp_path / "salvage")}
    back["failback_salvage"] = [{"topics": ".*", "action": "replay"}]
    done = story.stage("failback", back)
    assert done.returncode == 0, done.stdout[-3000:]
    nothing_is_lost_or_twice(story, only_there)
