# SPDX-License-Identifier: GPL-3.0-or-later
"""What others wrote, and what was lost meanwhile, neither stops a salvage without a way out nor takes records away."""

from __future__ import annotations

import json
import os
import uuid

import pytest
from confluent_kafka import Producer

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import describe_topics, topic_configs
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage import progress
from tests.support.transactions import end_transaction

from . import support
from .salvaging import held, salvage_here
from .support import NOW, some

pytestmark = pytest.mark.real

ROWS = some(60)


def lacking(pair, name=None, copied=40, config=None):
    """A topic of which the target lacks what follows ``copied`` records."""
    name = name or f"sva.{uuid.uuid4().hex[:8]}"
    support.create(pair["source"], {name: (1, {})})
    support.create(pair["target"], {name: (1, config or {})})
    support.write(pair["source"], {name: ROWS})
    support.write(pair["target"], {name: ROWS[:copied]})
    return name


def run(pair, topic, out, action="export", copied=40, **bounds):
    """A run in this process."""
    told = {"target": {topic: {"0": copied}}, **{name: {topic: {"0": end}} for name, end in bounds.items()}}
    return salvage_here(pair["source"], pair["target"], topic, told, out, [{"topics": ".*", "action": action}])


def refused(pair, topic, out, action="export", **bounds):
    with pytest.raises(KafkaDrError) as caught:
        run(pair, topic, out, action, **bounds)
    return str(caught.value)


def client(pair, region):
    return KafkaClient(pair[region].client, {}, 20, region)


@pytest.mark.parametrize("again", [False, True])
def test_what_is_all_that_is_left_is_not_replaced(pair, tmp_path, again):
    """The source lost, between two runs, what the first one had exported."""
    topic, out = lacking(pair), tmp_path / "out"
    assert run(pair, topic, out)["exported"] == 20
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    if again:
        support.drop(pair["source"], [topic])
        support.create(pair["source"], {topic: (1, {})})
        support.write(pair["source"], {topic: some(30, prefix="stray")})
    else:
        support.delete_before(pair["source"], topic, 0, 50)
    told = refused(pair, topic, out)
    assert "holds records that this run does not find any more" in told and f"fewer of {topic}-0" in told
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert run(pair, topic, tmp_path / "other")["complete"]


def test_a_topic_of_an_application_is_no_side_topic(pair, tmp_path):
    topic = lacking(pair)
    side = f"{topic}.salvaged"
    support.create(pair["target"], {side: (1, {"cleanup.policy": "compact"})})
    assert run(pair, topic, tmp_path / "first", "side_topic")["side_topic"] == 20
    other = lacking(pair)
    side = f"{other}.salvaged"
    support.create(pair["target"], {side: (1, {"cleanup.policy": "compact"})})
    support.write(pair["target"], {side: some(5, prefix="own")})
    told = refused(pair, other, tmp_path / "out", "side_topic")
    assert f"'{side}' on target holds records that no salvage wrote" in told and "export or replay" in told
    assert len(held(pair["target"], side)[0]) == 5
    assert topic_configs(client(pair, "target"), [side])[side] == {"cleanup.policy": "compact"}
    assert run(pair, topic, tmp_path / "first", "side_topic")["side_topic"] == 20


def test_a_side_topic_that_a_killed_run_began_is_gone_on_with(pair, tmp_path):
    """It holds nothing but what was aborted."""
    topic = lacking(pair)
    side = f"{topic}.salvaged"
    support.create(pair["target"], {side: (1, {})})
    support.write(pair["target"], {side: [row.but(group=-1) for row in ROWS[:5]]}, transactional=True)
    assert run(pair, topic, tmp_path / "out", "side_topic")["side_topic"] == 20


def test_a_name_that_is_too_long_is_told(pair, tmp_path):
    topic = lacking(pair, "x" * 245)
    told = refused(pair, topic, tmp_path / "out", "side_topic")
    assert "is no name for a topic: expected at most 249 characters, found 254" in told and "export or replay" in told


def test_a_copy_that_its_applications_made_again_gets_no_replay(pair, tmp_path):
    """What had been copied was deleted with the topic, on purpose perhaps."""
    topic = lacking(pair)
    support.drop(pair["target"], [topic])
    support.create(pair["target"], {topic: (1, {})})
    support.write(pair["target"], {topic: some(100, prefix="new", start=NOW + 80000)})
    told = refused(pair, topic, tmp_path / "out", "replay", mirrored_through=40)
    assert "cannot be replayed" in told and "it was emptied, or made again" in told
    assert len(held(pair["target"], topic)[0]) == 100
    assert run(pair, topic, tmp_path / "out", mirrored_through=40)["exported"] == 60
    support.drop(pair["target"], [topic])
    support.create(pair["target"], {topic: (1, {})})
    assert "cannot be replayed" in refused(pair, topic, tmp_path / "other", "replay", mirrored_through=40)


def test_a_record_that_is_too_old_has_a_way_out(pair, tmp_path):
    topic = lacking(pair, copied=0, config={"message.timestamp.before.max.ms": "1000"})
    told = refused(pair, topic, tmp_path / "out", "replay", copied=0)
    assert "message.timestamp.before.max.ms" in told and f"or give {topic} the action export" in told
    assert held(pair["target"], topic)[0] == []


def forged(**fields):
    return json.dumps({"format": 1, **fields}).encode()


@pytest.fixture
def entry(pair):
    """Writes to the topic of the progress as whoever may."""
    progress.ensure_topic(client(pair, "target"))
    producer, keys = Producer(pair["target"].client), []

    def write(key, value):
        keys.append(key)
        producer.produce(progress.TOPIC, key=key, value=value, partition=0)
        assert producer.flush(20) == 0

    yield write
    for key in {*keys}:
        write(key, None)


@pytest.mark.parametrize(
    ("at", "fields"),
    [
        ("", {"next": 10**30}),
        ("", {"next": float("inf")}),
        ("", {"next": -1}),
        ("@1", {"source": [[45, 10**30]], "target": [[0, 1]]}),
        ("@1", {"source": [[-5, 10]], "target": [[0, 1]]}),
        ("@1", {"source": [[5, -10]], "target": [[0, 1]]}),
        ("@1", {"source": [["5", 1]], "target": [[0, 1]]}),
        ("@1", {"source": 5, "target": [[0, 1]]}),
    ],
)
def test_numbers_that_are_no_offsets_are_named(pair, tmp_path, entry, at, fields):
    topic = lacking(pair)
    of = describe_topics(client(pair, "source"), [topic])[topic]["id"]
    entry(f"{of}-0{at}".encode(), forged(action="replay", target_topic=topic, target_topic_id="x", records=1, **fields))
    told = refused(pair, topic, tmp_path / "out", "replay")
    assert "has a record that no salvage wrote" in told and f"{of}-0{at}" in told
    assert run(pair, topic, tmp_path / "out")["exported"] == 20


def test_what_is_deep_is_named_and_taken_away(pair, tmp_path, entry):
    topic = lacking(pair)
    entry(b"a-1", b"[" * 100000)
    assert "has a record that no salvage wrote" in refused(pair, topic, tmp_path / "out", "replay")
    entry(b"a-1", None)
    assert run(pair, topic, tmp_path / "out", "replay")["replayed"] == 20


def test_what_was_not_written_is_not_said_to_be(pair, tmp_path, entry):
    """Entries that claim records of the copy."""
    topic = lacking(pair)
    of = describe_topics(client(pair, "source"), [topic])[topic]["id"]
    there = describe_topics(client(pair, "target"), [topic])[topic]["id"]
    claim = {"source": [[40, 20]], "target": [[0, 20]], "records": 20}
    entry(f"{of}-0@40".encode(), forged(action="replay", target_topic=topic, target_topic_id=there, **claim))
    told = run(pair, topic, tmp_path / "out", "replay")
    assert not told["complete"]
    assert f"give {topic} the action export" in " ".join(told["reasons"])
    assert run(pair, topic, tmp_path / "other")["complete"]


def test_a_transaction_that_a_stranger_left_open_is_named(pair, tmp_path):
    topic = lacking(pair)
    producer = Producer({**pair["target"].client, "transactional.id": uuid.uuid4().hex})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, b"open")
    producer.flush(30)
    told = refused(pair, topic, tmp_path / "out", "replay")
    assert f"What was written to {topic}-0 on target cannot be read: a transaction is open in it" in told
    end_transaction(producer, pair["target"].client, topic, commit=False)
    assert run(pair, topic, tmp_path / "out", "replay")["replayed"] == 20
    assert len(held(pair["target"], topic)[0]) == 60


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives directories away")
def test_a_directory_of_somebody_else_is_refused(pair, tmp_path):
    topic, out = lacking(pair), tmp_path / "out"
    out.mkdir()
    os.chown(out, 12345, 12345)
    assert "belongs to somebody else: expected a directory of root" in refused(pair, topic, out)
    assert list(out.iterdir()) == []
