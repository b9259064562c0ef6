# SPDX-License-Identifier: GPL-3.0-or-later
"""A source that does not answer the controller, and no witness: what a real mirror brings from it meanwhile says that
it lives, and what the mirror writes by itself, or had fetched before, does not.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka import writer
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.mm2_topics import (
    read_last_heartbeat,
    read_offset_syncs,
    read_source_offsets,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import witness
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.source_life_info import source_life_info
from tests.real.hosts.mirrors import Mirror, create, ends, send, until
from tests.support.kafka import Kafka, clusters, free_ports
from tests.support.offsets_lab import common

pytestmark = pytest.mark.real
TOPIC, OFFSETS = "orders.items", "mm2-offsets.na.internal"
MIRROR = {
    "name": "backup",
    "source": "na",
    "target": "eu",
    "topics": ["orders\\..*"],
    "groups": [".*"],
    "tuning": {"replication_factor": 1},
}
# Heartbeats are copied where a pattern names them.
WITH_HEARTBEATS = {**MIRROR, "topics": ["orders\\..*", "heartbeats"]}
# What was copied by then is noted within the seconds of one look.
SOON = {"eu.exactly.once.source.support": "disabled", "eu.offset.flush.interval.ms": "2000"}
# Connect writes its offsets only when it stops, so that heartbeats alone are seen.
SELDOM = {"eu.exactly.once.source.support": "disabled", "eu.offset.flush.interval.ms": "600000"}
# What the way back needs to emit heartbeats to the source, and nothing else.
EMITTING = {
    "eu->na.emit.heartbeats.enabled": "true",
    "eu->na.heartbeats.topic.replication.factor": "1",
    **{f"na.{topic}.storage.replication.factor": "1" for topic in ("config", "offset", "status")},
}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Kafka]]:
    made = clusters(["na", "eu"], tmp_path_factory.mktemp("lives"))
    create(made["na"].client, TOPIC)
    yield made
    for one in made.values():
        one.stop()


def asked(pair: dict[str, Kafka], positions_topic: str = "no_witness") -> dict[str, Any]:
    """What the module says where nothing listens at the address by which the controller knows the source."""
    words = {
        "source_client": {"bootstrap.servers": f"127.0.0.1:{free_ports(1)[0]}"},
        "source_alias": "na",
        "target_alias": "eu",
        "positions_topic": positions_topic,
        "read": ["topics"],
        "source_timeout": 6,
    }
    answer = source_life_info(common(None, pair["eu"], **words), False)
    assert not answer["reachable"] and answer["alive"] == bool(answer["seen"]), answer
    assert not (answer["seen"] and answer["ended"]), answer
    return answer


@contextmanager
def mirror(
    pair: dict[str, Kafka], directory: Path, override: dict[str, Any], described: dict[str, Any] | None = None
) -> Iterator[None]:
    made = Mirror(directory, described or MIRROR, {name: one.client for name, one in pair.items()}, override=override)
    try:
        yield made.start() and None
    finally:
        made.stop()


@contextmanager
def written(pair: dict[str, Kafka], pause: float = 0.5) -> Iterator[None]:
    """A source in use: a record every half second, or after each pause of so many seconds."""
    ended = threading.Event()

    def write() -> None:
        while not ended.wait(pause):
            send(pair["na"].client, TOPIC, [b"order"])

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def copied(pair: dict[str, Kafka]) -> int:
    """The last offset of the source that Connect has noted; -1 where none."""
    found = read_source_offsets(KafkaClient(pair["eu"].client), OFFSETS, "na")
    return found["offsets"].get((TOPIC, 0), -1) if found else -1


def pairs(pair: dict[str, Kafka]) -> int:
    """How many pairs of offsets the mirror has written."""
    return len(read_offset_syncs(KafkaClient(pair["eu"].client), "mm2-offset-syncs.na.internal") or ())


def witnessed_at(pair: dict[str, Kafka], topic: str, moment: float) -> None:
    """Write what a witness that saw the source every two seconds wrote till then."""
    rows = [witness.encode_round(int(one * 1000), 0, 1, 1) for one in (moment - 2, moment)]
    writer.write(KafkaClient(pair["eu"].client), topic, [(0, *row) for row in rows])


def heartbeat(pair: dict[str, Kafka], topic: str, source: str, target: str) -> int | None:
    return read_last_heartbeat(KafkaClient(pair["eu"].client), topic, source, target)


def test_a_mirror_that_goes_on_copying_says_that_the_source_lives(pair, tmp_path):
    with mirror(pair, tmp_path, {}):
        with written(pair):
            until(lambda: copied(pair) >= 0, "offsets of the mirror", 120)
            # Between two notes of its offsets there may be pairs alone.
            (seen,) = until(
                lambda: [sign for sign in asked(pair)["seen"] if sign.startswith("the mirror copied ")],
                "records that were copied meanwhile",
            )
            assert seen.endswith(f" records of {TOPIC}-0 meanwhile"), seen
        until(lambda: copied(pair) == ends(pair["na"].client, TOPIC)[1] - 1, "a mirror that has copied all")
        own = heartbeat(pair, "heartbeats", "na", "eu")
        answer = asked(pair)
        assert not answer["alive"], "a mirror that copies nothing tells nothing of the source"
        assert heartbeat(pair, "heartbeats", "na", "eu") != own, "not even by the heartbeats that it emits itself"


@pytest.mark.full
def test_a_mirror_that_seldom_notes_its_offsets_is_heard_by_its_pairs(pair, tmp_path):
    """Without exactly-once Connect writes its offsets once in a flush interval, which may be longer than any wait."""
    with mirror(pair, tmp_path, SELDOM):
        with written(pair, 0.05):
            until(lambda: pairs(pair) > 2, "pairs of the mirror", 120)

            def by_pairs() -> list[str]:
                """Signs of a look in which Connect noted nothing; it does where it starts its tasks again."""
                before = copied(pair)
                seen = asked(pair)["seen"]
                return seen if copied(pair) == before else []

            # A machine that is busy may copy nothing in the seconds of one look.
            (seen,) = until(by_pairs, "a sign of life")
            assert seen.startswith("the mirror noted "), seen
        until(lambda: ends(pair["eu"].client, TOPIC)[1] >= ends(pair["na"].client, TOPIC)[1], "a mirror at the end")
        # The pair of the last record comes after its copy.
        until(lambda: not asked(pair)["alive"], "a mirror that copies nothing, and so tells nothing of the source")


@pytest.mark.parametrize(
    "witnessed", [True, pytest.param(False, marks=pytest.mark.full)], ids=["witness", "no witness"]
)
def test_what_a_mirror_had_fetched_when_its_source_was_lost_is_no_sign_of_life(pair, tmp_path, witnessed):
    """Where a witness that would be heard was there till then; otherwise the first sign stands."""
    create(pair["eu"].client, topic := f"witnessed.{witnessed}")

    def lost() -> list[str]:
        """What arrived although the source was lost right after the mirror noted its offsets."""
        before = copied(pair)
        until(lambda: copied(pair) > before, "offsets of the mirror", 120)
        if witnessed:
            witnessed_at(pair, topic, time.time())
        os.kill(pair["na"].process.pid, signal.SIGSTOP)
        try:
            answer = asked(pair, topic)
        finally:
            os.kill(pair["na"].process.pid, signal.SIGCONT)
        assert not (answer["alive"] and witnessed), answer
        return answer["ended"] if witnessed else answer["seen"]

    with mirror(pair, tmp_path, SOON), written(pair, 0.05):
        # A machine that is busy may note nothing in the seconds of one look.
        until(lost, "something that arrived late", 180)


@pytest.mark.full
def test_a_source_that_is_seldom_written_to_lives_where_its_witness_died_before(pair, tmp_path):
    create(pair["eu"].client, topic := "witnessed.a.minute.ago")
    with mirror(pair, tmp_path, {}):
        send(pair["na"].client, TOPIC, [b"order"])
        until(lambda: copied(pair) == ends(pair["na"].client, TOPIC)[1] - 1, "a mirror that has copied all", 120)
        witnessed_at(pair, topic, time.time() - 60)
        # Further apart than the rest of a source whose witness was heard just before.
        orders = [threading.Timer(moment, send, (pair["na"].client, TOPIC, [b"order"])) for moment in (2, 19)]
        for order in orders:
            order.start()
        answer = asked(pair, topic)
        for order in orders:
            order.join()
    assert answer["alive"], answer


def test_heartbeats_that_were_written_to_the_source_say_that_it_lives(pair, tmp_path):
    """The mirror the other way emits them there, and this one copies them."""
    with mirror(pair, tmp_path, {**SELDOM, **EMITTING}, WITH_HEARTBEATS):
        until(lambda: heartbeat(pair, "na.heartbeats", "eu", "na"), "copied heartbeats", 120)
        before = copied(pair)
        answer = asked(pair)
        # Copies of heartbeats may be noted in pairs as well.
        assert answer["seen"] and answer["seen"][-1].startswith("a heartbeat of it came "), answer
        assert copied(pair) == before
        pair["na"].kill()
        until(lambda: not asked(pair)["alive"], "a source that is taken for lost", 60, pause=0)
