# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics of a restored region that are deleted, as a refusal advises, come back whole."""

from __future__ import annotations

import pytest
from confluent_kafka import Producer

from kafka_dr_lab.landscape import TOPICS
from tests.real.lab.playing import SOURCE
from tests.real.restore.story import restored

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    with restored(tmp_path_factory.mktemp("rubbish") / "lab") as lab:
        yield lab


def test_what_is_deleted_as_advised_is_brought_back(story):
    producer = Producer(story.admin(SOURCE))
    producer.produce(TOPICS[0], b"rubbish", partition=0)
    assert producer.flush(30) == 0
    story.refused("resume", f"{TOPICS[0]}-0 ends at")
    done = story.run("recreate_from_backup")
    told = " ".join(done.stdout.split())
    assert done.returncode != 0 and "if what it holds is rubbish, delete these topics" in told, told[-3000:]
    for future in story.admin_client(SOURCE).delete_topics(list(TOPICS)).values():
        future.result(30)
    assert "PROVEN" in story.went("recreate_from_backup")
