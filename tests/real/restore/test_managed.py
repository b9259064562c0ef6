# SPDX-License-Identifier: GPL-3.0-or-later
"""A region whose cluster its owner makes: the restore goes on from one that answers and is seen to be empty, and from
no other.
"""

from __future__ import annotations

import time

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.distinct import cluster_id
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import group_positions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.mm2_topics import read_witness
from kafka_dr_lab.journals import topic_ids
from kafka_dr_lab.landscape import GROUP, TOPICS
from tests.real.lab.playing import SOURCE, TARGET
from tests.support.offsets_lab import until

pytestmark = [pytest.mark.real, pytest.mark.full]
NEW_ID = "MadeAnewByItsOwner123A"


def managed(inventory):
    inventory["hosts"][SOURCE]["kafka_dr_platform"] = "managed"


def test_one_that_holds_records_is_refused_whatever_is_accepted(story):
    story.refused(
        "recreate_from_backup",
        "is made by its owner",
        "found records in flights.",
        change=managed,
        recreate_from_backup_accept_region_alive=True,
    )


def made_by_owner(story):
    """Its owner makes it at the same address, with users and topics, and without a record: another cluster with an id
    of its own.
    """
    described = story.lab.inventory.load()
    described["all"]["hosts"][SOURCE]["kafka_dr_kafka"]["cluster_id"] = NEW_ID
    story.lab.inventory.regions_file.write_text(yaml.safe_dump(described, sort_keys=False))
    story.lab.playbooks.run("lab.return_region", {"lab_region": SOURCE, "lab_made_by_owner": True})


def witnessed(story):
    return read_witness(KafkaClient(story.admin(TARGET)), "__kafka_dr_positions")


def test_one_that_does_not_answer_is_refused_and_an_empty_one_gone_on_from(story):
    before = story.lab.lose(SOURCE) and witnessed(story)
    done = story.run("recreate_from_backup", change=managed)
    assert (
        done.returncode != 0
        and "is made by its owner" in " ".join(done.stdout.split())
        and "Refused, nothing was changed" in done.stdout
    )
    assert story.module("ledger_info")["stage"] == "initial_setup"
    made_by_owner(story)
    # The witness beside the backup mirror sees a cluster without groups, and asks it every two seconds.
    time.sleep(10)
    assert before["groups"][GROUP]["positions"] and witnessed(story)["groups"] == before["groups"]
    assert "holds what europe kept of it" in story.went("recreate_from_backup", change=managed)
    found, kept = (topic_ids(story.admin(region), list(TOPICS)) for region in (SOURCE, TARGET))
    assert found == kept and all(kept.values())
    assert set(group_positions(KafkaClient(story.admin(SOURCE)), [GROUP])[GROUP])


def test_it_goes_on_as_one_that_a_stage_made(story):
    story.went("resume", change=managed)
    story.went("new_backup", change=managed)
    until(lambda: witnessed(story)["cluster"] == cluster_id(KafkaClient(story.admin(SOURCE))), 30)
    assert GROUP in witnessed(story)["groups"]
