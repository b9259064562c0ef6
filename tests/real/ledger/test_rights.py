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
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import returned

from .guarded import guarded
from .trying import (
    CLUSTER,
    COPY,
    GROUPS,
    INTERNAL,
    LEDGER,
    MIRRORED,
    OTHER,
    POSITIONS,
    TOPICS,
    WINDOWS,
    Tries,
    everything,
)

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
RENAMED = {**WIDE, "policy": "default"}
READER = [
    {"resource": "topic", "name": "orders.", "pattern": "prefixed", "operations": ["READ", "DESCRIBE"]},
    {"resource": "group", "name": "orders-", "pattern": "prefixed", "operations": ["READ", "DESCRIBE"]},
]
WRITER = [{"resource": "topic", "name": "orders.", "pattern": "prefixed", "operations": ["WRITE", "DESCRIBE"]}]
SEEN = {f"see the offsets of {group}" for group in GROUPS}
PRINCIPALS = {
    "stages": service_acls("stages", "stages"),
    "salvaging": service_acls("salvaging", "stages"),
    "reader-in-source": service_acls("reader-in-source", "reader", MIRROR, "source"),
    "reader-in-target": service_acls("reader-in-target", "reader", MIRROR, "target"),
    "mirror-in-source": service_acls("mirror-in-source", "mirror", MIRROR, "source"),
    "mirror-in-target": service_acls("mirror-in-target", "mirror", MIRROR, "target"),
    "idle-in-target": service_acls("idle-in-target", "mirror", MIRROR, "target", idle=True),
    "wide-in-target": service_acls("wide-in-target", "mirror", WIDE, "target"),
    "wide-in-source": service_acls("wide-in-source", "mirror", WIDE, "source"),
    "renamed-in-target": service_acls("renamed-in-target", "mirror", RENAMED, "target"),
    "connect-in-target": service_acls("connect-in-target", "mirror", MIRROR, "target", connect_group="workers"),
    "proof-in-source": service_acls("proof-in-source", "proof", MIRROR, "source"),
    "proof-in-target": service_acls("proof-in-target", "proof", MIRROR, "target"),
    "wide-proof-in-target": service_acls("wide-proof-in-target", "proof", WIDE, "target"),
    "witness-in-source": service_acls("witness-in-source", "witness", MIRROR, "source"),
    "witness-in-target": service_acls("witness-in-target", "witness", MIRROR, "target"),
    "wide-witness-in-source": service_acls("wide-witness-in-source", "witness", WIDE, "source"),
    "wide-witness-in-target": service_acls("wide-witness-in-target", "witness", WIDE, "target"),
    "watch-in-source": service_acls("watch-in-source", "watch", MIRROR, "source"),
    "watch-in-target": service_acls("watch-in-target", "watch", MIRROR, "target"),
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
    - of(COPY, "write")
    - of(OTHER, "write")
    - {"own transactions app", "own transactions mm2", "own transactions connect"},
    "reader-in-source": {
        *of(MIRRORED, "read"),
        *of(LEDGER, "read"),
        *of(POSITIONS, "read"),
        *of(INTERNAL, "read"),
        *of(WINDOWS, "read"),
        *SEEN,
        "see ACLs",
    },
    "reader-in-target": {
        *of(MIRRORED, "read"),
        *of(LEDGER, "read"),
        *of(POSITIONS, "read"),
        *of(INTERNAL, "read"),
        *of(WINDOWS, "read"),
        *SEEN,
        "see ACLs",
    },
    "mirror-in-source": {*of(MIRRORED, "read"), *SEEN, "see ACLs"},
    "mirror-in-target": {*owned(MIRRORED, INTERNAL), *COPIES},
    "idle-in-target": {*owned(INTERNAL), "see ACLs", "own transactions mm2"},
    "wide-in-target": {
        *owned(MIRRORED, COPY, OTHER, INTERNAL),
        *COPIES,
        "create source.orders.new",
        "create brand.new",
    },
    "wide-in-source": {one for topic in TOPICS for one in of(topic, "read")} | SEEN | {"see ACLs"},
    "renamed-in-target": {*owned(COPY, INTERNAL), "create source.orders.new", "see ACLs", "own transactions mm2"},
    "connect-in-target": {*owned(MIRRORED, INTERNAL), *COPIES, "own transactions connect"},
    "proof-in-source": {*of(MIRRORED, "read"), *SEEN, "see ACLs"},
    "proof-in-target": {*of(MIRRORED, "read"), *of(WINDOWS, "read"), *SEEN, "see ACLs"},
    "wide-proof-in-target": {one for topic in TOPICS for one in of(topic, "read")} | SEEN | {"see ACLs"},
    "witness-in-source": {*SEEN, "see ACLs"},
    "witness-in-target": {*of(POSITIONS, "read", "write")},
    "wide-witness-in-source": {*SEEN, "see ACLs"},
    "wide-witness-in-target": {*of(POSITIONS, "read", "write")},
    "watch-in-source": {*of(MIRRORED, "read"), *SEEN, "see ACLs"},
    "watch-in-target": {
        *of(MIRRORED, "read"),
        *of(INTERNAL, "read"),
        *of(POSITIONS, "read"),
        *of(WINDOWS, "read", "write", "configure"),
        *SEEN,
        "see ACLs",
        "own transactions watch",
    },
    "consumer": {*of(MIRRORED, "read"), "commit for orders-group", "see the offsets of orders-group"},
    "producer": of(MIRRORED, "write"),
    "fenced": set(),
}
# Outside a salvage, before it and afterwards.
ALLOWED["salvaging"] = ALLOWED["stages"]


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
    assert len(TOPICS) == 7 and CLUSTER and GROUPS


@pytest.mark.parametrize("principal", PRINCIPALS)
def test_it_may_do_what_the_table_says_and_nothing_else(world, principal):
    answers = world.all_of(principal)
    allowed = {what for what, said in answers.items() if said == "done"}
    assert allowed == ALLOWED[principal], {
        what: said for what, said in answers.items() if (said == "done") != (what in ALLOWED[principal])
    }
    strange = {what: said for what, said in answers.items() if said != "done" and "AUTHORIZATION_FAILED" not in said}
    assert not strange, "denied by something else than its rights"


def test_for_the_time_of_a_salvage_the_stages_write_to_its_topics_and_to_no_others(world):
    """And not afterwards: the stage failback gives these rights, and takes them away."""
    side = f"{MIRRORED}.salvaged"
    lent = [
        right
        for action in ("replay", "side_topic", "export")
        for right in returned.rights([MIRRORED], ["salvaging"], [{"topics": ".*", "action": action}])
    ]
    assert [right["name"] for right in lent] == [MIRRORED, side]
    admin = KafkaClient(world.administrator)
    assert "AUTHORIZATION_FAILED" in world.write_to("salvaging", side)
    ensure_acls(admin, lent, "present", False)
    answers = world.all_of("salvaging")
    meanwhile = {what for what, said in answers.items() if said == "done"}
    assert meanwhile == ALLOWED["stages"] | of(MIRRORED, "write")
    assert world.write_to("salvaging", side) == "done"
    ensure_acls(admin, lent, "absent", False)
    assert {what for what, said in world.all_of("salvaging").items() if said == "done"} == ALLOWED["stages"]
    assert "AUTHORIZATION_FAILED" in world.write_to("salvaging", side)
