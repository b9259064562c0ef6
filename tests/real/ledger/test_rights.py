# SPDX-License-Identifier: GPL-3.0-or-later
"""What each principal may do, tried with its own credentials on a real broker: what the table names, and nothing of all
the rest.

Source and target of the mirror are one broker here: a principal that has rights in both is two.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.access import service_acls

from .guarded import guarded
from .trying import CLUSTER, GROUPS, INTERNAL, LEDGER, MIRRORED, OTHER, POSITIONS, TOPICS, Tries, everything

pytestmark = pytest.mark.full
MIRROR = {
    "name": "backup",
    "source": "source",
    "target": "target",
    "topics": ["orders\\..*"],
    "groups": [".*"],
    "tuning": {"replication_factor": 1},
}
WIDE = {**MIRROR, "topics": [".*"]}
READER = [
    {"resource": "topic", "name": "orders.", "pattern": "prefixed", "operations": ["READ", "DESCRIBE"]},
    {"resource": "group", "name": "orders-", "pattern": "prefixed", "operations": ["READ", "DESCRIBE"]},
]
WRITER = [{"resource": "topic", "name": "orders.", "pattern": "prefixed", "operations": ["WRITE", "DESCRIBE"]}]
SEEN = {f"see the offsets of {group}" for group in GROUPS}
PRINCIPALS = {
    "stages": service_acls("stages", "stages"),
    "reader-in-source": service_acls("reader-in-source", "reader", MIRROR, "source"),
    "reader-in-target": service_acls("reader-in-target", "reader", MIRROR, "target"),
    "mirror-in-source": service_acls("mirror-in-source", "mirror", MIRROR, "source"),
    "mirror-in-target": service_acls("mirror-in-target", "mirror", MIRROR, "target"),
    "idle-in-target": service_acls("idle-in-target", "mirror", MIRROR, "target", idle=True),
    "wide-in-target": service_acls("wide-in-target", "mirror", WIDE, "target"),
    "proof-in-source": service_acls("proof-in-source", "proof", MIRROR, "source"),
    "proof-in-target": service_acls("proof-in-target", "proof", MIRROR, "target"),
    "witness-in-source": service_acls("witness-in-source", "witness", MIRROR, "source"),
    "witness-in-target": service_acls("witness-in-target", "witness", MIRROR, "target"),
    "consumer": service_acls("consumer", "application", own=READER),
    "producer": service_acls("producer", "application", own=WRITER),
    "fenced": [],
}


def of(topic, *doings):
    return {f"{doing} {topic}" for doing in doings}


def owned(*topics):
    """What MirrorMaker 2 does to a topic that it writes."""
    return {one for topic in topics for one in of(topic, "write", "read", "configure", "enlarge")}


COPIES = {"create orders.new", *(f"commit for {group}" for group in GROUPS), *SEEN, "see ACLs", "own transactions mm2"}
ALLOWED = {
    "stages": everything()
    - of(MIRRORED, "write")
    - of(OTHER, "write")
    - {"own transactions app", "own transactions mm2"},
    "reader-in-source": {
        *of(MIRRORED, "read"),
        *of(LEDGER, "read"),
        *of(POSITIONS, "read"),
        *of(INTERNAL, "read"),
        *SEEN,
        "see ACLs",
    },
    "reader-in-target": {
        *of(MIRRORED, "read"),
        *of(LEDGER, "read"),
        *of(POSITIONS, "read"),
        *of(INTERNAL, "read"),
        *SEEN,
        "see ACLs",
    },
    "mirror-in-source": {*of(MIRRORED, "read"), *SEEN, "see ACLs"},
    "mirror-in-target": {*owned(MIRRORED, INTERNAL), *COPIES},
    "idle-in-target": {*owned(INTERNAL), "see ACLs", "own transactions mm2"},
    "wide-in-target": {*owned(MIRRORED, OTHER, INTERNAL), *COPIES, "create brand.new"},
    "proof-in-source": {*of(MIRRORED, "read"), *SEEN, "see ACLs"},
    "proof-in-target": {*of(MIRRORED, "read"), *SEEN, "see ACLs"},
    "witness-in-source": {*SEEN, "see ACLs"},
    "witness-in-target": {*of(POSITIONS, "read", "write")},
    "consumer": {*of(MIRRORED, "read"), "commit for orders-group", "see the offsets of orders-group"},
    "producer": of(MIRRORED, "write"),
    "fenced": set(),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    broker, of_user = guarded(tmp_path_factory.mktemp("rights"), "kafka", list(PRINCIPALS))
    admin = KafkaClient(broker.client)
    try:
        tries = Tries(broker.client, of_user)
        for acls in PRINCIPALS.values():
            if acls:
                ensure_acls(admin, acls, "present", False)
        yield tries
    finally:
        broker.stop()


def test_the_table_is_about_everything_that_is_tried():
    assert set(ALLOWED) == set(PRINCIPALS)
    for name, allowed in ALLOWED.items():
        assert not allowed - everything(), name
    assert len(TOPICS) == 5 and CLUSTER and GROUPS


@pytest.mark.parametrize("principal", PRINCIPALS)
def test_it_may_do_what_the_table_says_and_nothing_else(world, principal):
    answers = world.all_of(principal)
    allowed = {what for what, said in answers.items() if said == "done"}
    assert allowed == ALLOWED[principal], {
        what: said for what, said in answers.items() if (said == "done") != (what in ALLOWED[principal])
    }
    strange = {what: said for what, said in answers.items() if said != "done" and "AUTHORIZATION_FAILED" not in said}
    assert not strange, "denied by something else than its rights"
