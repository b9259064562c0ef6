# SPDX-License-Identifier: GPL-3.0-or-later
"""A region whose cluster its owner makes: the restore goes on from one that answers and is seen to be empty, and from no other."""

from __future__ import annotations

import pytest

from kafka_dr_lab.inventory import TOPICS
from kafka_dr_lab.journals import topic_ids
from kafka_dr_lab.lab import Lab
from tests.real.lab.playing import SOURCE, TARGET
from tests.real.restore.story import Story

pytestmark = [pytest.mark.real, pytest.mark.full]


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    directory = tmp_path_factory.mktemp("managed") / "lab"
    try:
        made = Story(directory)
        made.went("initial_setup")
        yield made
    finally:
        Lab(directory).down()


def managed(inventory):
    inventory["hosts"][SOURCE]["kafka_dr_platform"] = "managed"


def test_one_that_holds_records_is_refused_whatever_is_accepted(story):
    story.refused("recreate_from_backup", "is made by its owner", "found records in flights.", change=managed, recreate_from_backup_accept_region_alive=True)


def test_one_that_does_not_answer_is_refused_and_an_empty_one_gone_on_from(story):
    story.lab.lose(SOURCE)
    done = story.run("recreate_from_backup", change=managed)
    assert done.returncode != 0 and "is made by its owner" in " ".join(done.stdout.split()) and "Refused, nothing was changed" in done.stdout
    assert story.module("ledger_info")["stage"] == "initial_setup"
    # Its owner makes it, with users and topics, and without a record.
    story.lab.bring_back(SOURCE)
    assert "holds what europe kept of it" in story.went("recreate_from_backup", change=managed)
    found, kept = (topic_ids(story.admin(region), list(TOPICS)) for region in (SOURCE, TARGET))
    assert found == kept and all(kept.values())
