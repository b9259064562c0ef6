# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger on a real broker: two runs at once, entries of every size, records that others wrote, and answers that are
none.
"""

from __future__ import annotations

import json
import threading
import uuid

import pytest
from confluent_kafka import KafkaError, Producer
from confluent_kafka.admin import ConfigResource, ResourceType

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import (
    FormatError,
    KafkaDrError,
    RefusedError,
    TimedOutError,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger import ledger
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.accept import accept
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.append import append
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.parts import LARGEST
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.topic import ensure_ledger_topic
from tests.support.slow_link import behind_slow_link

from .entries import SECRETS, begin, entry, head, put, write

pytestmark = pytest.mark.real


@pytest.fixture
def client(broker):
    return KafkaClient(broker.client, timeout=20)


@pytest.fixture
def topic():
    return "__kafka_dr_ledger-" + uuid.uuid4().hex[:8]


def test_a_run_whose_preflight_is_out_of_date_does_not_begin(client, topic):
    seen_by_both = head(client, topic)
    first = write(client, topic, entry("1", "stage", "started", stage="recreate_from_backup"), seen_by_both)
    write(client, topic, entry("1", "active_region", "active", stage="recreate_from_backup", region="none"), first)
    with pytest.raises(
        RefusedError, match=r"changed since this run read it.*recreate_from_backup, step active_region active"
    ):
        write(client, topic, entry("2", "stage", "started"), seen_by_both)
    with pytest.raises(RefusedError, match="changed since"):
        append(client, topic, entry("2", "stage", "started"), True, secrets=SECRETS, after=seen_by_both)
    assert fold(ledger.read_ledger(client, topic, SECRETS).entries)["run"] == "1"


def test_of_two_runs_that_begin_at_the_same_moment_one_does(client, broker, topic):
    seen_by_all, outcomes = head(client, topic), []

    def run(name):
        try:
            outcomes.append(
                ("begun", write(KafkaClient(broker.client), topic, entry(name, "stage", "started"), seen_by_all))
            )
        except RefusedError as error:
            outcomes.append(("refused", str(error)))

    threads = [threading.Thread(target=run, args=(str(number),)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(kind for kind, dummy in outcomes) == ["begun", "refused", "refused", "refused"], outcomes
    assert len(ledger.read_ledger(client, topic, SECRETS).entries) == 1


def test_proofs_at_night_do_not_end_a_failover(client, broker, topic):
    known, failed, stop = begin(client, topic, "1"), [], threading.Event()

    def nightly():
        other = KafkaClient(broker.client)
        while not stop.is_set():
            try:
                append(other, topic, entry("night", "proof", "proven", fenced=False), False, secrets=SECRETS)
            except KafkaDrError as error:
                failed.append(str(error))

    thread = threading.Thread(target=nightly)
    thread.start()
    try:
        for number in range(8):
            known = write(client, topic, entry("1", f"step-{number}"), known)
    finally:
        stop.set()
        thread.join()
    read = fold(ledger.read_ledger(client, topic, SECRETS).entries)
    assert read["run"] == "1" and {f"step-{number}" for number in range(8)} <= set(read["done"]["failover"])
    assert read["proofs"] and not [one for one in failed if "only writer" not in one]


def test_the_active_region_is_not_named_beside_a_run(client, topic):
    begin(client, topic, "1")
    with pytest.raises(RefusedError, match="owned by another run"):
        write(client, topic, entry("2", "active_region", "active", fenced=False), None)


def test_an_error_of_the_topic_is_no_empty_ledger(client, broker, topic, monkeypatch):
    assert ledger.read_ledger(client, topic, SECRETS).entries == []
    begin(client, topic, "1")
    real = KafkaClient.result

    def failing(self, future, what):
        if what.startswith("describe topic"):
            raise KafkaDrError(f"Cannot {what}", code=KafkaError(KafkaError.LEADER_NOT_AVAILABLE).name())
        return real(self, future, what)

    monkeypatch.setattr(KafkaClient, "result", failing)
    with pytest.raises(KafkaDrError, match="Cannot describe topic"):
        ledger.read_ledger(client, topic, SECRETS)


def test_an_entry_of_a_hundred_thousand_partitions(client, broker, topic):
    ends = {
        f"some.topic.with-a-name.{number}": {str(part): 1_000_000_000 + part for part in range(100)}
        for number in range(1000)
    }
    found = {"source": ends, "target": ends, "lost": {"total": 0, "partitions": ends}}
    known = write(client, topic, entry("1", found=found, step="stage", state="started"), "")
    known = write(client, topic, entry("1", found=found), known)
    write(client, topic, entry("1", "positions"), known)
    entries = ledger.read_ledger(client, topic, SECRETS).entries
    assert [one["step"] for one in entries] == ["stage", "ends", "positions"] and entries[1]["found"] == found
    consumer = KafkaClient(broker.client).consumer()
    try:
        from confluent_kafka import TopicPartition

        consumer.assign([TopicPartition(topic, 0, 0)])
        sizes = []
        while True:
            message = consumer.poll(5)
            if message.error():
                break
            sizes.append(len(message.value()))
    finally:
        consumer.close()
    print(f"records {len(sizes)}, bytes {sum(sizes)}, largest {max(sizes)}")
    assert sum(sizes) > 6_000_000 and max(sizes) <= LARGEST
    shown = append(client, topic, entry("1", "again", found=found), False, secrets=SECRETS, after=head(client, topic))[
        "diff"
    ]["after"]
    assert len(shown) < 1000 and "bytes, in the ledger" in shown


def test_what_is_large_arrives_over_a_slow_link(tmp_path, topic):
    ends = {f"topic-{number}": {str(part): part * 7919 * number for part in range(100)} for number in range(1000)}
    with behind_slow_link(tmp_path, 60_000) as reached:
        client = KafkaClient(reached, timeout=20)
        known = begin(client, topic, "1")
        write(client, topic, entry("1", found={"source": ends, "target": ends}), known)
        entries = ledger.read_ledger(client, topic, SECRETS).entries
    assert [one["step"] for one in entries] == ["stage", "ends"] and entries[1]["found"]["target"] == ends


def test_a_record_that_is_too_large_for_librdkafka_is_one_of_our_errors(client, broker, topic):
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write as write_records

    begin(client, topic, "1")
    with pytest.raises(KafkaDrError, match=r"Cannot write a record of 2000000 bytes to '__kafka_dr_ledger-"):
        write_records(client, topic, [(0, None, b"x" * 2_000_000)])
    with pytest.raises(KafkaDrError, match="is not there"):
        write_records(KafkaClient(broker.client, timeout=10), "is not there", [(0, None, b"x")])


def test_what_was_forged_while_a_run_writes_ends_it(client, broker, topic):
    known = begin(client, topic, "1")
    forged = {**entry("9", "active_region", "active", region="elsewhere"), "at": "2030-01-01T00:00:00Z"}
    put(broker, topic, json.dumps(forged).encode())
    for job in (SECRETS, []):
        with pytest.raises(FormatError, match=r"offset 2 names no entry before it.*elsewhere, run 9"):
            ledger.read_ledger(client, topic, job)
    with pytest.raises(FormatError, match="ledger_pass_over=2 "):
        write(client, topic, entry("1"), known)


def test_a_ledger_is_used_again_once_somebody_decided(client, broker, topic):
    known = begin(client, topic, "1")
    put(broker, topic, b"{}", None, b"\xff" * 10)
    with pytest.raises(FormatError, match="ledger_pass_over=2-4 ") as error:
        ledger.read_ledger(client, topic, SECRETS)
    assert [one["offset"] for one in error.value.facts["faults"]] == [2, 3, 4]
    who = {key: value for key, value in entry("repair").items() if key not in ("step", "state", "found")}
    for passed, said in (([2, 3], "offset 4 is no entry"), ([2, 3, 4, 0], "Nothing is wrong with offset 0")):
        with pytest.raises(KafkaDrError, match=said):
            accept(client, topic, {"passed": passed, "kept": []}, who, False, SECRETS)
    with pytest.raises(RefusedError, match="cannot be kept"):
        accept(client, topic, {"passed": [2, 3], "kept": [4]}, who, False, SECRETS)
    with pytest.raises(RefusedError, match="cannot sign"):
        accept(client, topic, {"passed": [2, 3, 4], "kept": []}, who, False)
    accept(client, topic, {"passed": [2, 3, 4], "kept": []}, who, True, SECRETS)
    with pytest.raises(FormatError):
        ledger.read_ledger(client, topic, SECRETS)
    accept(client, topic, {"passed": [2, 3, 4], "kept": []}, who, False, SECRETS)
    with pytest.raises(RefusedError, match="changed since"):
        write(client, topic, entry("1"), known)
    assert write(client, topic, entry("1"), head(client, topic)), "the run goes on once it has read what was decided"


def test_a_signed_ledger_is_not_written_without_the_secret(client, topic):
    begin(client, topic, "1")
    chain = ledger.read_ledger(client, topic)
    assert not chain.authentic and ledger.known(chain, [])["verification"].startswith(
        "The ledger is signed and was not verified"
    )
    with pytest.raises(RefusedError, match="cannot sign"):
        write(client, topic, entry("1"), head(client, topic, []), secrets=[])
    with pytest.raises(FormatError, match="forged"):
        ledger.read_ledger(client, topic, ["another secret, wrong one"])


def test_an_old_ledger_is_taken_over_once(client, broker, topic):
    ensure_ledger_topic(client, topic, 1)
    old = [
        {**one, "at": "2020-01-01T00:00:00Z"}
        for one in (entry("0", "stage", "started"), entry("0", "active_region", "active", region="asia"))
    ]
    put(broker, topic, *[json.dumps(one).encode() for one in old])
    before = ledger.known(ledger.read_ledger(client, topic, SECRETS), SECRETS)
    assert before["active_region"] == "asia" and "2 entries of the ledger are not signed" in before["verification"]
    write(client, topic, entry("1", "stage", "started"), before["head"]["hash"])
    after = ledger.known(ledger.read_ledger(client, topic, SECRETS), SECRETS)
    assert after["verified"] and after["verification"] == "" and after["active_region"] == "asia"
    put(broker, topic, json.dumps(old[1]).encode())
    with pytest.raises(FormatError, match="names no entry before it"):
        ledger.read_ledger(client, topic, SECRETS)


def test_a_ledger_that_was_made_again_from_copies_is_not_authentic(client, broker, topic):
    begin(client, topic, "1")
    consumer = client.consumer()
    try:
        from confluent_kafka import TopicPartition

        consumer.assign([TopicPartition(topic, 0, 0)])
        value = consumer.poll(10).value()
    finally:
        consumer.close()
    client.result(next(iter(client.admin.delete_topics([topic]).values())), "delete")
    again = topic + "-again"
    ensure_ledger_topic(client, again, 1)
    put(broker, again, value)
    with pytest.raises(FormatError, match="forged"):
        ledger.read_ledger(client, again, SECRETS)


def test_an_open_transaction_hides_nothing(client, broker, topic):
    """Behind a transaction that somebody holds open, committed entries are not seen by readers of committed records."""
    known = begin(client, topic, "1")
    hanging = Producer({**broker.client, "transactional.id": "hanging-" + topic, "transaction.timeout.ms": 60000})
    hanging.init_transactions(20)
    hanging.begin_transaction()
    hanging.produce(topic, b"{}", partition=0)
    hanging.flush(20)
    impatient = KafkaClient(broker.client, timeout=2)
    with pytest.raises(TimedOutError, match="a transaction is open in it"):
        ledger.read_ledger(impatient, topic, SECRETS)
    with pytest.raises(TimedOutError, match="a transaction is open in it"):
        write(impatient, topic, entry("1"), known)
    hanging.abort_transaction(20)
    assert write(client, topic, entry("1"), known)


def test_the_topic_is_kept_for_ever(client, topic):
    begin(client, topic, "1")
    resource = ConfigResource(ResourceType.TOPIC, topic)
    described = client.result(client.admin.describe_configs([resource])[resource], "describe")
    assert {
        key: described[key].value
        for key in ("retention.ms", "retention.bytes", "cleanup.policy", "min.insync.replicas")
    } == {"retention.ms": "-1", "retention.bytes": "-1", "cleanup.policy": "delete", "min.insync.replicas": "1"}
