# SPDX-License-Identifier: GPL-3.0-or-later
"""A fence on a cluster of several brokers: each is asked, one that does not answer is no answer, one that allows more
than the others is named.
"""

from __future__ import annotations

import os
import signal
import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.broker_acls import acls_by_broker
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topic_changes import ensure_topics
from tests.real.ledger.guarded import guarded, joined, password

from . import fencing

pytestmark = pytest.mark.real
USERS = ("shop", "boss", "stages")
SUPERS = {"super.users": "User:ANONYMOUS;User:stages"}
# Long enough for a broker that is frozen to stay one of the cluster's.
STAYS = {"broker.session.timeout.ms": 180000}
RIGHTS = [
    {"principal": one, "resource": "topic", "name": "orders.", "pattern": "prefixed", "operations": ["WRITE", "READ"]}
    for one in ("shop", "unheard")
]


class Cluster:
    """Two brokers of one cluster; only the second one takes the user boss for a super-user."""

    def __init__(self, base):
        self.first, self.client = guarded(base / "1", "several", USERS, {**SUPERS, **STAYS})
        self.second = joined(base / "2", self.first, 2, USERS, {"super.users": SUPERS["super.users"] + ";User:boss"})

    def look(self, *names, timeout=10, **more):
        """What ``fence_info`` finds of these principals, as the stages' user asks."""
        principals = [
            {"name": one, "username": one, "password": password(one) if one in USERS else None} for one in names
        ]
        asked = {"fenced": True, "timeout": timeout, "known": ["stages", "unheard"], **more}
        return fencing.looked(self.client("stages"), principals, **asked)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("brokers"))
    ensure_topics(
        KafkaClient(made.client("stages"), None, 30),
        [{"name": "orders.x", "partitions": 2, "replication_factor": 1}],
        "present",
        False,
    )
    ensure_acls(KafkaClient(made.client("stages"), None, 30), RIGHTS, "present", False)
    yield made
    made.second.kill()
    made.first.kill()


def test_every_broker_is_asked_and_the_one_that_allows_more_is_named(cluster):
    found = cluster.look("shop", "boss")
    assert found["asked"] == {"User:shop": 2, "User:boss": 2} and not found["ready"], found
    assert [one for one in found["left"] if "boss" in one] == [
        "broker 2 lets User:boss ALTER and ALTER_CONFIGS and CREATE and DELETE and WRITE orders.x",
        "broker 2 lets User:boss ALTER and ALTER_CONFIGS and CLUSTER_ACTION cluster:kafka-cluster",
    ]
    assert "is a super-user" in found["unfenceable"]["User:boss"] and "User:shop" not in found["unfenceable"]


def test_a_broker_that_does_not_answer_is_never_taken_for_one_that_lets_nobody_write(cluster):
    ensure_acls(KafkaClient(cluster.client("stages"), None, 30), [], "absent", False, ["shop"])
    assert cluster.look("shop")["ready"]
    os.kill(cluster.second.process.pid, signal.SIGSTOP)
    try:
        # On a busy machine every question may go to the frozen one: it is not named then, and nothing is ready either.
        named, end, looks = False, time.monotonic() + 180, 0
        while not named and (time.monotonic() < end or not looks):
            looks += 1
            try:
                found = cluster.look("shop", timeout=5)
            except KafkaDrError:
                # The stages' own questions may have gone to the frozen one; that is refused as it is.
                continue
            assert not found["ready"], found
            # Where the principal's first question went to the frozen one, no broker told it anything.
            assert any("did not tell User:shop what it may do" in one for one in found["left"]), found
            named = any(one.startswith("broker 2 did not tell User:shop") for one in found["left"])
        assert not named or found["asked"] == {"User:shop": 1}
    finally:
        os.kill(cluster.second.process.pid, signal.SIGCONT)
    end = time.monotonic() + 60
    while not cluster.look("shop")["ready"]:
        assert time.monotonic() < end
        time.sleep(1)


def test_the_acls_are_read_from_every_broker_for_whom_nobody_can_ask(cluster):
    found = cluster.look("unheard")
    assert (
        found["copies"] == 2
        and not found["ready"]
        and "User:unheard ALLOW WRITE topic:orders. PREFIXED" in found["left"]
    ), found
    here = KafkaClient(cluster.client("stages"), None, 10)
    assert {
        broker: {one[0] for one in acls if one[0] == "User:unheard"} for broker, acls in acls_by_broker(here)[0].items()
    } == {1: {"User:unheard"}, 2: {"User:unheard"}}
    ensure_acls(here, [], "absent", False, ["unheard"])
    end = time.monotonic() + 30
    while not cluster.look("unheard")["ready"]:
        assert time.monotonic() < end
