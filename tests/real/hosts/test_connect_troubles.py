# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Kafka Connect cluster in trouble: a worker killed, a connector that fails, strangers at the door, positions
carried elsewhere.
"""

from __future__ import annotations

import json

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec_connect import (
    SourceOffset,
    encode_source_offset,
)
from tests.support.kafka import own_clusters

from .connecting import Cluster, Mirror, only
from .mirrors import create, send, until
from .secured import PASSWORD, Authority

pytestmark = [pytest.mark.real, pytest.mark.full]


@pytest.fixture(scope="module")
def two_clusters(tmp_path_factory):
    with own_clusters(tmp_path_factory.mktemp("clusters")) as made:
        yield made


@pytest.fixture(scope="module")
def cluster(two_clusters, tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("troubled"), two_clusters["target"], "kdr-troubled")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def mirror(cluster, two_clusters):
    """A mirror that has copied a hundred records."""
    made = Mirror("troubled", two_clusters)
    create(made.clients["source"], made.topic, partitions=2)
    send(made.clients["source"], made.topic, [b"first-%d" % number for number in range(100)])
    cluster.ensure(made.described())
    until(lambda: len(made.values("target")) == 100, "100 records on the target", 120)
    return made


def test_https_with_a_client_certificate(cluster, mirror):
    certificate, key = cluster.authority.issue("stages")
    tls = {"urls": cluster.secure, "ca_pem": cluster.authority.pem}
    trusted = cluster.module("connect_connectors_info", **tls, certificate_pem=certificate, key_pem=key)
    assert set(trusted.get("connectors", [])) == set(mirror.names.values()), trusted
    stranger = cluster.module(
        "connect_connectors_info",
        urls=cluster.secure,
        ca_pem=Authority("other").pem,
        certificate_pem=certificate,
        key_pem=key,
    )
    assert stranger["error"] == "authentication" and "not trusted" in stranger["msg"]
    bare = cluster.module("connect_connectors_info", **tls, timeout=10)
    assert bare["failed"] and "certificate_pem" in bare["msg"]


def test_a_failed_connector_is_told_with_the_workers_reason_and_no_secret(cluster):
    """A cluster that does not answer; a password is given in clear, so that it could be shown."""
    config = {
        "connector.class": "MirrorHeartbeat",
        "source.cluster.alias": "source",
        "target.cluster.alias": "target",
        "target.cluster.bootstrap.servers": "no-such-host.invalid:1",
    }
    failing = only("failing", config=config, config_secrets={"target.cluster.ssl.key.password": PASSWORD})
    told = cluster.module("connect_connectors", connectors=failing, timeout=60)
    assert told["failed"] and told["error"] == "error", told
    assert (
        "failing" in told["msg"]
        and "bootstrap" in told["failures"][0]["reason"]
        and PASSWORD[-6:] not in json.dumps(told)
    )
    again = cluster.module("connect_connectors", connectors=failing, restart_failed=False)
    assert again["failed"] and "restart_failed" in again["msg"]
    assert cluster.ensure(only("failing"), state="absent")["deleted"] == ["failing"]


def test_a_worker_is_killed_and_the_other_goes_on(cluster, mirror):
    cluster.ensure(mirror.described())
    victim = cluster.workers[0]
    victim.kill()
    changed = cluster.ensure(mirror.described(**{"offset.lag.max": 4}), timeout=120)
    assert changed["updated"] == [mirror.names["source"]]
    send(mirror.clients["source"], mirror.topic, [b"third"])
    until(lambda: mirror.values("target")[-1] == b"third", "a record sent after the loss of a worker", 90)
    seen = cluster.seen(mirror.names["source"])
    assert {task["worker"] for task in seen["tasks"]} == {cluster.workers[1].url.removeprefix("http://")}
    victim.start()
    until(
        lambda: not cluster.module("connect_connectors_info", urls=[victim.url], timeout=5).get("failed"),
        "the worker to be back",
        60,
    )


def test_positions_are_carried_to_a_connector_made_anew(cluster, mirror):
    """Read, the connector deleted, another one made stopped, its positions set, and it goes on: nothing is copied
    twice.
    """
    name, other, had = mirror.names["source"], "other.MirrorSourceConnector", len(mirror.values("target"))
    cluster.ensure(only(name), state="stopped")
    carried = cluster.module("connect_connectors_info", names=[name], offsets=True)["connectors"][name]["offsets"]
    assert [one for one in carried if one["partition"]["topic"] == mirror.topic]
    cluster.ensure(only(name), state="absent")
    again = [
        {**one, "name": other, "offsets": carried, "state": "stopped"}
        for one in mirror.described()
        if one["name"] == name
    ]
    made = cluster.ensure(again)
    assert made["created"] == made["offsets_set"] == [other] and made["connectors"][other]["state"] == "STOPPED"
    cluster.ensure(only(other))
    send(mirror.clients["source"], mirror.topic, [b"carried"])
    until(lambda: mirror.values("target")[-1] == b"carried", "a record sent afterwards", 90)
    assert len(mirror.values("target")) == had + 1
    # The first one knows the last record no more than the other told: it is not started again.
    cluster.ensure(only(other), state="absent")


def test_seeded_positions_are_where_it_goes_on(cluster, two_clusters):
    """As after a restore: rows written for the connector by its name, and nothing before them is copied."""
    mirror = Mirror("seeded", two_clusters)
    create(mirror.clients["source"], mirror.topic)
    send(mirror.clients["source"], mirror.topic, [b"%d" % number for number in range(20)])
    row = SourceOffset(mirror.names["source"], "source", mirror.topic, 0, 14)
    write(
        KafkaClient(mirror.clients["target"], {}, 30),
        "mm2-offsets.source.internal",
        [(None, *encode_source_offset(row))],
    )
    cluster.ensure(mirror.described())
    until(lambda: len(mirror.values("target")) >= 5, "the five records after the seeded position", 60)
    assert mirror.values("target") == mirror.values("source")[15:]
