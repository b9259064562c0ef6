# SPDX-License-Identifier: GPL-3.0-or-later
"""The connectors of a mirror on a real Kafka Connect cluster of two workers, kept through its REST interface."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._connect.connectors import Connectors
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._connect.http import Workers
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec_connect import SourceOffset, encode_source_offset
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.connectors import connector_names, mirror_connectors
from kafka_dr_lab.playbook import collections_path
from tests.support.connect import ConnectWorker
from tests.support.jars import jar
from tests.support.kafka import ROOT, free_ports

from .mirrors import create, exists, read, send, until
from .secured import PASSWORD, Authority

pytestmark = pytest.mark.real

MIRROR = {"name": "backup", "source": "source", "target": "target", "topics": ["connect\\..*"], "groups": ["connect-.*"],
          "tuning": {"replication_factor": 1, "refresh_seconds": 2, "checkpoint_seconds": 1}}
NAMES = connector_names(MIRROR)
TOPIC = "connect.items"
USER = {"username": "stages", "password": "rest'pass word"}


class Cluster:
    """Two workers: HTTP and HTTPS with client certificates, both with users and passwords."""

    def __init__(self, directory, target):
        self.authority = Authority("connect authority")
        (directory / "users.properties").write_text(f"{USER['username']}: {USER['password']}\n")
        login = directory / "login.conf"
        login.write_text('KafkaConnect { org.apache.kafka.connect.rest.basic.auth.extension.PropertyFileLoginModule required '
                         f'file="{directory / "users.properties"}"; }};\n')
        extension = jar("org.apache.kafka", "connect-basic-auth-extension", "4.3.1")
        self.workers, self.secure = [], []
        for name in ("one", "two"):
            certificate, key = self.authority.issue(name)
            worker = ConnectWorker(directory / name, name, {"bootstrap.servers": target.bootstrap}, "kdr-connect",
                                   options=(f"-Djava.security.auth.login.config={login}",), jars=(extension,))
            port = free_ports(1)[0]
            worker.properties.update({
                "rest.extension.classes": "org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension",
                "listeners": f"{worker.url},https://127.0.0.1:{port}",
                "listeners.https.ssl.keystore.type": "PEM", "listeners.https.ssl.keystore.key": key,
                "listeners.https.ssl.keystore.certificate.chain": certificate,
                "listeners.https.ssl.truststore.type": "PEM", "listeners.https.ssl.truststore.certificates": self.authority.pem,
                "listeners.https.ssl.client.auth": "required",
            })
            self.workers.append(worker.start())
            self.secure.append(f"https://127.0.0.1:{port}")
        self.urls = [worker.url for worker in self.workers]
        for worker in self.workers:
            worker.await_ready(lambda url=worker.url: Workers({"urls": [url], "timeout": 5, **USER}).get("connectors") is not None, 90)

    def module(self, name: str, check: bool = False, **arguments) -> dict:
        """Run one module as Ansible does: its file, arguments on standard input, JSON back."""
        arguments = {"urls": self.urls, "timeout": 60, **USER, **arguments, "_ansible_check_mode": check, "_ansible_diff": True}
        done = subprocess.run([sys.executable, str(ROOT / "plugins" / "modules" / f"{name}.py")], input=json.dumps({"ANSIBLE_MODULE_ARGS": arguments}),
                              capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(collections_path())}, check=False)
        assert done.stdout.strip(), done.stderr
        result = json.loads(done.stdout.strip().splitlines()[-1])
        result.pop("invocation", None)
        assert USER["password"] not in json.dumps(result)
        return result

    def ensure(self, connectors, **options) -> dict:
        result = self.module("connect_connectors", connectors=connectors, **options)
        assert not result.get("failed"), result["msg"]
        return result

    def refused(self, connectors, **options) -> dict:
        result = self.module("connect_connectors", connectors=connectors, **options)
        assert result.get("failed"), result
        return result

    def seen(self, name=NAMES["source"]):
        return Connectors(Workers({"urls": self.urls, "timeout": 30, **USER})).one(name)

    def offsets(self, name=NAMES["source"]):
        return Connectors(Workers({"urls": self.urls, "timeout": 30, **USER})).offsets(name)


@pytest.fixture(scope="module")
def cluster(two_clusters, tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("connect"), two_clusters["target"])
    yield made
    for worker in made.workers:
        worker.stop(5)


@pytest.fixture(scope="module")
def source(two_clusters):
    client = two_clusters["source"].client
    create(client, TOPIC, partitions=2)
    send(client, TOPIC, [b"first-%d" % number for number in range(100)])
    return client


@pytest.fixture(scope="module")
def target(two_clusters):
    return two_clusters["target"].client


def described(two_clusters, **config) -> list[dict]:
    mirror = dict(MIRROR, config={"source": config} if config else {})
    return mirror_connectors(mirror, {name: one.client for name, one in two_clusters.items()}, "${file:/nowhere/{mirror}:{region}.{key}}")


def only(name, **more):
    return [{"name": name, **more}]


def values(client, partition=0):
    return [one.value() for one in read(client, TOPIC, partition)] if exists(client, TOPIC) else []


def test_check_mode_tells_what_would_be_created_and_creates_nothing(cluster, two_clusters, source):
    told = cluster.module("connect_connectors", check=True, connectors=described(two_clusters))
    assert told["changed"] and told["created"] == list(NAMES.values())
    assert told["diff"]["before"] == {} and set(told["diff"]["after"]) == set(NAMES.values())
    assert cluster.module("connect_connectors_info")["connectors"] == {}


def test_three_connectors_are_made_in_one_call_and_copy(cluster, two_clusters, source, target):
    made = cluster.ensure(described(two_clusters))
    assert made["created"] == list(NAMES.values()) and made["changed"]
    assert all(one["state"] == "RUNNING" for one in made["connectors"].values())
    until(lambda: len(values(target)) == 100, "100 records on the target", 90)
    again = cluster.ensure(described(two_clusters))
    assert not again["changed"] and again["diff"] == {"before": {}, "after": {}}


def test_exactly_once_and_positions_beside_the_copies(two_clusters, target):
    assert exists(target, "mm2-offsets.source.internal") and exists(target, "__transaction_state")


def test_an_update_changes_what_differs_and_says_it(cluster, two_clusters):
    wanted = described(two_clusters, **{"offset.lag.max": 3})
    told = cluster.module("connect_connectors", check=True, connectors=wanted)
    assert cluster.seen()["config"]["offset.lag.max"] == "10", "check mode changed it"
    done = cluster.ensure(wanted)
    assert done["updated"] == told["updated"] == [NAMES["source"]] and done["created"] == []
    before, after = (done["diff"][side][NAMES["source"]]["config"] for side in ("before", "after"))
    assert {key for key in before | after if before.get(key) != after.get(key)} == {"offset.lag.max"}
    assert cluster.seen()["config"]["offset.lag.max"] == "3"
    assert not cluster.ensure(wanted)["changed"]


def test_pause_stop_and_resume(cluster, source, target):
    name = NAMES["source"]
    assert cluster.ensure(only(name), state="paused")["moved"] == [name]
    seen = cluster.seen()
    assert seen["state"] == "PAUSED" and seen["tasks"] and {task["state"] for task in seen["tasks"]} == {"PAUSED"}
    assert not cluster.ensure(only(name), state="paused")["changed"]
    assert cluster.module("connect_connectors", check=True, connectors=only(name), state="stopped")["moved"] == [name]
    assert cluster.seen()["state"] == "PAUSED", "check mode stopped it"
    stopped = cluster.ensure(only(name), state="stopped")
    assert stopped["connectors"][name] == {"state": "STOPPED", "tasks": []}
    count = len(values(target))
    send(source, TOPIC, [b"second-%d" % number for number in range(50)])
    assert len(values(target)) == count, "a stopped connector copied"
    info = cluster.module("connect_connectors_info", names=[name], until="stopped", offsets=True)
    assert info["ready"] and info["connectors"][name]["offsets"]
    assert not cluster.module("connect_connectors_info", names=[name], until="running")["ready"]
    assert cluster.ensure(only(name))["moved"] == [name]
    until(lambda: len(values(target)) == 150, "the records sent meanwhile")
    assert values(target) == values(source)


def test_offsets_are_set_only_when_stopped_and_then_copying_goes_on_from_them(cluster, source, target):
    name = NAMES["source"]
    back = {"partition": {"cluster": "source", "partition": 0, "topic": TOPIC}, "offset": {"offset": 139}}
    assert "stopped" in cluster.refused(only(name, offsets=[back]))["msg"]
    told = cluster.module("connect_connectors", check=True, connectors=only(name, offsets=[back]), state="stopped")
    assert told["offsets_set"] == [name] and back not in cluster.offsets()
    done = cluster.ensure(only(name, offsets=[back]), state="stopped")
    assert done["offsets_set"] == [name] and back in cluster.offsets()
    assert done["diff"]["before"][name]["offsets"] != done["diff"]["after"][name]["offsets"]
    assert not cluster.ensure(only(name, offsets=[back]), state="stopped")["changed"]
    cluster.ensure(only(name))
    # Offset 139 counts as copied: 140 to 149 come again.
    until(lambda: len(values(target)) == 160, "the ten records after offset 139 once more")
    assert values(target)[150:] == values(source)[140:]


def test_a_worker_is_killed_and_the_other_goes_on(cluster, two_clusters, source, target):
    victim = cluster.workers[0]
    victim.kill()
    changed = cluster.ensure(described(two_clusters, **{"offset.lag.max": 4}), timeout=120)
    assert changed["updated"] == [NAMES["source"]]
    send(source, TOPIC, [b"third"])
    until(lambda: values(target)[-1] == b"third", "a record sent after the loss of a worker", 90)
    seen = cluster.seen()
    assert {task["worker"] for task in seen["tasks"]} == {cluster.workers[1].url.removeprefix("http://")}
    victim.start()


def test_errors_name_the_thing_and_the_way_out(cluster, two_clusters):
    wrong = cluster.refused(only("x", config={"connector.class": "org.example.Missing"}))
    assert "org.example.Missing" in wrong["msg"] and "MirrorSourceConnector" in wrong["expected"]
    bad = cluster.refused(only("x", config={"connector.class": "MirrorHeartbeat", "tasks.max": "many"}))
    assert "tasks.max" in bad["msg"] and "nothing was changed" in bad["msg"]
    assert "does not exist" in cluster.refused(only("nobody"))["msg"]
    assert cluster.refused(only(NAMES["source"]), password="wrong")["error"] == "authentication"
    assert cluster.refused(only(NAMES["source"]), urls=["http://127.0.0.1:1"])["error"] == "unreachable"
    assert cluster.seen("x") is None


def test_a_failed_task_is_told_with_the_workers_reason_and_no_secret(cluster, two_clusters):
    """A source that does not let us in; the password is given in clear, so that it could be shown."""
    config = {"connector.class": "MirrorHeartbeat", "source.cluster.alias": "source", "target.cluster.alias": "target",
              "target.cluster.bootstrap.servers": "127.0.0.1:1", "producer.override.bootstrap.servers": "127.0.0.1:1"}
    failing = only("failing", config=config, config_secrets={"target.cluster.sasl.jaas.config": f'x password="{PASSWORD}"'})
    told = cluster.module("connect_connectors", connectors=failing, timeout=45)
    assert told["failed"], told
    assert "failing" in told["msg"] and told["error"] in ("error", "timeout") and PASSWORD[-6:] not in json.dumps(told)
    cluster.ensure(only("failing"), state="absent", timeout=120)


def test_https_with_a_client_certificate(cluster):
    certificate, key = cluster.authority.issue("stages")
    tls = {"urls": cluster.secure, "ca_pem": cluster.authority.pem}
    trusted = cluster.module("connect_connectors_info", **tls, certificate_pem=certificate, key_pem=key)
    assert set(trusted.get("connectors", [])) == set(NAMES.values()), trusted
    stranger = cluster.module("connect_connectors_info", urls=cluster.secure, ca_pem=Authority("other").pem, certificate_pem=certificate, key_pem=key)
    assert stranger["error"] == "authentication" and "not trusted" in stranger["msg"]
    bare = cluster.module("connect_connectors_info", **tls, timeout=10)
    assert bare["failed"] and "certificate_pem" in bare["msg"]


def test_positions_are_carried_to_a_connector_made_anew(cluster, two_clusters, source, target):
    """Read, the connector deleted with its positions, made again stopped, set, and it goes on: nothing is copied twice."""
    name, had = NAMES["source"], len(values(target))
    cluster.ensure(only(name), state="stopped")
    carried = cluster.module("connect_connectors_info", names=[name], offsets=True)["connectors"][name]["offsets"]
    assert [one for one in carried if one["partition"]["topic"] == TOPIC]
    cluster.ensure(only(name, reset_offsets=True), state="stopped")
    cluster.ensure(only(name), state="absent")
    again = [{**one, "offsets": carried, "state": "stopped"} for one in described(two_clusters) if one["name"] == name]
    made = cluster.ensure(again)
    assert made["created"] == made["offsets_set"] == [name] and made["connectors"][name]["state"] == "STOPPED"
    cluster.ensure(only(name))
    send(source, TOPIC, [b"carried"])
    until(lambda: values(target)[-1] == b"carried", "a record sent afterwards", 90)
    assert len(values(target)) == had + 1


def test_reset_and_removal(cluster):
    told = cluster.ensure([{"name": name, "reset_offsets": True} for name in NAMES.values()], state="stopped")
    assert NAMES["source"] in told["offsets_set"] and cluster.offsets() == []
    assert cluster.module("connect_connectors", check=True, connectors=only(NAMES["source"]), state="absent")["deleted"] == [NAMES["source"]]
    assert cluster.seen() is not None
    gone = cluster.ensure([{"name": name} for name in NAMES.values()], state="absent")
    assert sorted(gone["deleted"]) == sorted(NAMES.values()) and gone["diff"]["after"] == {}
    assert not cluster.ensure([{"name": name} for name in NAMES.values()], state="absent")["changed"]


def test_seeded_positions_are_where_it_goes_on(cluster, two_clusters, source, target):
    """As after a restore: rows written for the connector by its name, and nothing before them is copied again."""
    end = len(values(source))
    had = len(values(target))
    row = SourceOffset(NAMES["source"], "source", TOPIC, 0, end - 6)
    write(KafkaClient(target, {}, 30), "mm2-offsets.source.internal", [(None, *encode_source_offset(row))])
    cluster.ensure(described(two_clusters))
    until(lambda: len(values(target)) == had + 5, "the five records after the seeded position", 60)
    assert values(target)[had:] == values(source)[end - 5:]
    cluster.ensure([{"name": name} for name in NAMES.values()], state="absent")
