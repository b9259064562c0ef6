# SPDX-License-Identifier: GPL-3.0-or-later
"""A real mirror of everything: it copies, it picks up new topics, and it has no way to the ledger."""

from __future__ import annotations

import json
import time

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import AuthorizationError, KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls, ensure_acls, flatten
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.offsets import topic_offsets
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topic_changes import ensure_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger import ledger
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.append import append
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.writers import expected, strangers
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.access import service_acls
from tests.support.kafka import MirrorMaker

from .guarded import guarded, password

pytestmark = pytest.mark.real
LEDGER, POSITIONS = "__kafka_dr_ledger", "__kafka_dr_positions"
DESCRIBED = {"name": "all", "source": "a", "target": "b", "topics": [".*"], "policy": "identity"}
USERS = ("mirror", "stages", "witness")


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    base = tmp_path_factory.mktemp("denied")
    source, dummy = guarded(base / "a", "a", USERS)
    target, of = guarded(base / "b", "b", USERS)
    made = {"source": source, "target": target, "of": of, "base": base, "admin": KafkaClient(target.client)}
    yield made
    for one in (made.get("mirror"), source, target):
        if one is not None:
            one.stop()


def mirror(base, source, client):
    sasl = {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": (
            "org.apache.kafka.common.security.plain.PlainLoginModule required "
            f'username="mirror" password="{password("mirror")}";'
        ),
    }
    return MirrorMaker(
        base / "mm2",
        {
            "clusters": "a,b",
            "a.bootstrap.servers": source.bootstrap,
            "b.bootstrap.servers": client["bootstrap.servers"],
            **{"b." + key: value for key, value in sasl.items()},
            "a->b.enabled": "true",
            "b->a.enabled": "false",
            "a->b.topics": ".*",
            "a->b.topics.exclude": r".*[\-\.]internal,.*\.replica,__.*",
            "replication.policy.class": "org.apache.kafka.connect.mirror.IdentityReplicationPolicy",
            "replication.factor": 1,
            "checkpoints.topic.replication.factor": 1,
            "heartbeats.topic.replication.factor": 1,
            "offset-syncs.topic.replication.factor": 1,
            "offset.storage.replication.factor": 1,
            "status.storage.replication.factor": 1,
            "config.storage.replication.factor": 1,
            "refresh.topics.interval.seconds": 2,
            "a->b.sync.topic.acls.enabled": "true",
            "a->b.sync.topic.acls.interval.seconds": 2,
            "a->b.offset-syncs.topic.location": "target",
            "a->b.emit.heartbeats.enabled": "true",
        },
    ).start()


def await_copy(client, topic, count, seconds=90):
    end, found = time.monotonic() + seconds, None
    while time.monotonic() < end:
        try:
            # A client that asked for a topic before it was there may go on saying so.
            found = topic_offsets(KafkaClient(client.config), {topic: 1})[topic]["0"]["end"]
        except KafkaDrError:
            found = None
        if found == count:
            return
        time.sleep(0.3)
    raise AssertionError(f"{topic} has {found} of {count} records")


def fill(source, topic, count=20):
    admin = AdminClient(source.client)
    admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(30)
    producer = Producer(source.client)
    for number in range(count):
        producer.produce(topic, b"%d" % number)
    assert producer.flush(30) == 0


WIDE = service_acls("mirror", "mirror", DESCRIBED, "target")
DENIALS = [rule for rule in WIDE if rule.get("permission") == "deny"]
SECRETS = ["the secret of these tests"]
BEGIN = {
    "run": "1",
    "stage": "failover",
    "step": "stage",
    "state": "started",
    "region": "",
    "about": "a to b",
    "found": {},
    "fenced": True,
    "by": "stages",
    "collection": "0",
}


def test_a_mirror_of_everything_copies_and_cannot_reach_the_ledger(world):
    only_denials_keep_the_mirror_from_the_ledger(world["admin"], world["of"])
    nobody_else_writes_to_the_ledger(world["of"])
    fill(world["source"], "orders")
    world["mirror"] = mirror(world["base"], world["source"], world["of"]("mirror"))
    await_copy(world["admin"], "orders", 20)
    fill(world["source"], "made.later")
    await_copy(world["admin"], "made.later", 20)
    denials_of_the_source_stay_there(world)
    assert not [
        line for line in world["mirror"].tail(400).splitlines() if "AuthorizationException" in line and "__" in line
    ]


def only_denials_keep_the_mirror_from_the_ledger(admin, of):
    """Without its denials a mirror of everything may write to all of them; with them nobody but their owners may."""
    region = {
        "kafka_dr_users": [{"name": name, "purpose": name} for name in USERS],
        "kafka_dr_super_users": ["ANONYMOUS"],
    }
    allowed = expected(region, LEDGER, POSITIONS)
    without = [rule for rule in WIDE if rule not in DENIALS]
    ensure_acls(
        admin,
        [*service_acls("stages", "stages"), *service_acls("witness", "witness", DESCRIBED, "target"), *without],
        "present",
        False,
    )
    found = strangers(admin, allowed)
    assert len(found) == len(allowed) == 4 and all(
        "User:mirror may " in one and "topic:* LITERAL" in one for one in found
    ), found
    ensure_topics(
        admin, [{"name": POSITIONS, "partitions": 1, "replication_factor": 1, "configs": {}}], "present", False
    )
    append(KafkaClient(of("stages")), LEDGER, BEGIN, False, secrets=SECRETS, after="")
    # To synchronize ACLs it has to be allowed to; the collection leaves that off.
    ensure_acls(
        admin, [*WIDE, {"principal": "mirror", "resource": "cluster", "operations": ["ALTER"]}], "present", False
    )
    assert ("User:mirror", "topic", "__", "PREFIXED", "ALL", "DENY", "*") in describe_acls(admin, ["mirror"]), (
        "read back from the cluster"
    )
    assert strangers(admin, allowed) == []


def nobody_else_writes_to_the_ledger(of):
    """The mirror is refused at both topics, the witness at the ledger."""
    forged = json.dumps({**BEGIN, "step": "active_region", "state": "active", "region": "elsewhere"}).encode()
    thief = KafkaClient(of("mirror"), timeout=10)
    for topic in (LEDGER, POSITIONS):
        with pytest.raises(AuthorizationError):
            write(thief, topic, [(0, None, forged)])
    with pytest.raises(AuthorizationError):
        write(KafkaClient(of("witness"), timeout=10), LEDGER, [(0, None, forged)])
    assert len(ledger.read_ledger(KafkaClient(of("stages")), LEDGER, SECRETS).entries) == 1


def denials_of_the_source_stay_there(world):
    """The source was a target itself once; what was denied there stays there, while the mirror copies what it copies of
    ACLs.
    """
    admin = world["admin"]
    ensure_acls(
        KafkaClient(world["source"].client),
        [
            {
                "principal": "earlier",
                "resource": "topic",
                "name": "__",
                "pattern": "prefixed",
                "operations": ["ALL"],
                "permission": "deny",
            },
            {"principal": "reader", "resource": "topic", "name": "orders", "operations": ["READ"]},
        ],
        "present",
        False,
    )
    end = time.monotonic() + 60
    while not describe_acls(admin, ["reader"]):
        assert time.monotonic() < end, "the mirror synchronizes no ACLs at all"
        time.sleep(0.5)
    found = [rule for rule in describe_acls(admin) if rule[5] == "DENY"]
    assert found == flatten(DENIALS), "and no other denial came with the mirror"
