# SPDX-License-Identifier: GPL-3.0-or-later
"""What stops a salvage, with nothing changed; and what it goes on from."""

from __future__ import annotations

import json
import os
import resource
import time
import uuid

import pytest
from confluent_kafka import Producer

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.producing import FencedError

from . import support
from .salvaging import Salvaging, fields, held, salvage_here
from .support import NOW, some

pytestmark = pytest.mark.real

ROWS = some(60)
REPLAY = [{"topics": ".*", "action": "replay"}]


@pytest.fixture
def salvaging(pair, spark, tmp_path):
    return Salvaging(support.Job(tmp_path, pair["source"], pair["target"], spark))


@pytest.fixture
def topic(pair):
    """A topic of which the target lacks the last third."""
    name = f"svr.{uuid.uuid4().hex[:8]}"
    for cluster, rows in ((pair["source"], ROWS), (pair["target"], ROWS[:40])):
        support.create(cluster, {name: (1, {})})
        support.write(cluster, {name: rows})
    return name


def here(pair, topic, out, actions=()):
    """A run in this process, of a copy that ended at 40."""
    return salvage_here(pair["source"], pair["target"], topic, {"target": {topic: {"0": 40}}}, out, actions)


def refused(pair, topic, out, actions=()):
    with pytest.raises(KafkaDrError) as caught:
        here(pair, topic, out, actions)
    return str(caught.value)


def test_an_open_transaction_of_the_source_is_named(pair, topic, tmp_path):
    producer = Producer({**pair["source"].client, "transactional.id": uuid.uuid4().hex})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, b"open")
    producer.flush(30)
    told = refused(pair, topic, tmp_path / "out")
    assert "is not at rest" in told and f"{topic}-0 ends at 61, and is stable to 60" in told
    producer.abort_transaction(30)
    assert here(pair, topic, tmp_path / "out")["salvaged"] == 20


def test_without_the_end_of_the_copy_nothing_is_told(pair, topic, salvaging):
    code, summary, told = salvaging.run(topic, {"mirrored_through": {topic: {"0": 40}}})
    assert code == 2
    assert f"none for {topic}-0" in told
    assert not summary["complete"] and summary["salvaged"] == 0
    assert not (salvaging.job.directory / "out").exists()


def test_another_runs_files_are_left_alone(pair, topic, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    assert "holds files of something else" in refused(pair, topic, out)
    assert [path.name for path in out.iterdir()] == ["notes.txt"]
    (out / "notes.txt").unlink()
    here(pair, topic, out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    told = refused(pair, topic, out, [{"topics": "x", "action": "none"}])
    assert "holds files of something else" in told
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert here(pair, topic, out)["exported"] == 20
    assert len(json.loads((out / "salvage.json").read_text())["files"]) == 1
    assert len(list((out / "data").iterdir())) == 1


def test_a_place_that_cannot_be_written_is_named(pair, topic, tmp_path):
    (tmp_path / "file").write_text("")
    told = refused(pair, topic, tmp_path / "file" / "out", REPLAY)
    assert f"{tmp_path}/file/out cannot be written" in told
    assert len(held(pair["target"], topic)[0]) == 40


def test_a_full_place_is_named_and_nothing_is_changed(pair, tmp_path):
    name = f"svr.{uuid.uuid4().hex[:8]}"
    rows = [row.but(value=os.urandom(8000)) for row in ROWS]
    for cluster, held_there in ((pair["source"], rows), (pair["target"], rows[:40])):
        support.create(cluster, {name: (1, {})})
        support.write(cluster, {name: held_there})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        told = refused(pair, name, tmp_path / "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert f"{tmp_path}/out cannot be written" in told
    assert not (tmp_path / "out").exists()


def test_a_record_larger_than_the_target_accepts_is_named_before_anything_is_written(pair, tmp_path):
    name = f"svr.{uuid.uuid4().hex[:8]}"
    rows = [*ROWS[:50], ROWS[50].but(value=b"x" * 3000), *ROWS[51:]]
    support.create(pair["source"], {name: (1, {})})
    support.create(pair["target"], {name: (1, {"max.message.bytes": 2000})})
    support.write(pair["source"], {name: rows})
    support.write(pair["target"], {name: rows[:40]})
    told = refused(pair, name, tmp_path / "out", REPLAY)
    assert f"{name}-0@50 is larger than '{name}' accepts: expected at most 2000 bytes" in told
    assert "Raise max.message.bytes" in told
    assert len(held(pair["target"], name)[0]) == 40
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("over", [0, 1])
def test_the_limit_of_a_record_is_exact(pair, tmp_path, over):
    name = f"svr.{uuid.uuid4().hex[:8]}"
    lost = [ROWS[40].but(value=b"x" * (size + over)) for size in (1000, 1850)]
    header = len("source/") + len(name) + len("-0@41")
    # By hand: 61 for the batch, 2 for its length, 6 for the record's numbers, then each field with its length.
    fixed = 61 + 2 + 3 + (1 + len(lost[1].key)) + 2 + 1
    fixed += sum(1 + len(key) + 1 + len(value) for key, value in lost[1].headers) + 1 + len("kafka-dr-salvaged") + 1
    support.create(pair["source"], {name: (1, {})})
    support.create(pair["target"], {name: (1, {"max.message.bytes": fixed + 1850 + header})})
    support.write(pair["source"], {name: [*ROWS[:40], *lost]})
    support.write(pair["target"], {name: ROWS[:40]})
    if over:
        assert f"{name}-0@41 is larger" in refused(pair, name, tmp_path / "out", REPLAY)
    else:
        assert here(pair, name, tmp_path / "out", REPLAY)["replayed"] == 2


def test_another_way_than_begun_is_refused(pair, topic, tmp_path):
    assert here(pair, topic, tmp_path / "out", REPLAY)["replayed"] == 20
    told = refused(pair, topic, tmp_path / "other", [{"topics": ".*", "action": "side_topic"}])
    assert "were salvaged in another way already" in told
    assert here(pair, topic, tmp_path / "third")["exported"] == 20


def test_a_topic_that_was_made_again_begins_anew(pair, topic, tmp_path):
    """The progress of the old topic says nothing of the new one."""
    assert here(pair, topic, tmp_path / "out", REPLAY)["replayed"] == 20
    support.drop(pair["source"], [topic])
    support.create(pair["source"], {topic: (1, {})})
    strays = some(7, prefix="stray", start=NOW + 80000)
    support.write(pair["source"], {topic: strays})
    told = here(pair, topic, tmp_path / "again", REPLAY)
    assert (told["complete"], told["replayed"]) == (True, 7)
    rows = held(pair["target"], topic)[0]
    assert [row[1:4] for row in rows[60:]] == [row[:3] for row in fields(strays)]


def test_what_the_copy_deleted_meanwhile_is_not_written_again(pair, topic, tmp_path):
    here(pair, topic, tmp_path / "out", REPLAY)
    support.delete_before(pair["target"], topic, 0, 50)
    told = refused(pair, topic, tmp_path / "out", REPLAY)
    assert f"Records of {topic}-0 cannot be replayed: expected to know which of them had been copied" in told
    assert len(held(pair["target"], topic)[0]) == 10


def test_a_run_that_was_taken_over_names_the_other_one(pair, topic):
    """librdkafka says of further calls only that there was a fatal error."""
    client = KafkaClient(pair["target"].client, {}, 20, "target")
    first, second = (client.producer(transactional_id=f"kafka-dr-salvage-{topic}", linger_ms=0) for dummy in range(2))
    first.init_transactions()
    first.begin_transaction()
    first.produce(topic, b"before")
    first.flush()
    second.init_transactions()
    with pytest.raises(FencedError, match="Another run writes there"):
        for dummy in range(200):
            first.produce(topic, b"after", on_delivery=lambda error, message: None)
            time.sleep(0.05)
    first.abort_transaction()
