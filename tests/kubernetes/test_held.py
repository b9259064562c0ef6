# SPDX-License-Identifier: GPL-3.0-or-later
"""Deletion is held off in a Kafka before its brokers start, and what stood there is given back: on a real API server,
as an account that has what the playbook ``rbac`` writes, and nothing else.
"""

from __future__ import annotations

import json

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import object_path
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.rbac import roles
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.rbac_hold import hold_roles
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.cluster import cluster_state
from kafka_dr_lab.kubernetes.operator.loop import Operator
from kafka_dr_lab.kubernetes.operator_process import DOWN
from kafka_dr_lab.plain_kafka import Kafka
from tests.kubernetes.playing import Regions, kafka_resources
from tests.kubernetes.test_roles import role

# Each play takes seconds, and one is needed for each step.
pytestmark = [pytest.mark.kubernetes, pytest.mark.full]

API, NODE = "kafka.strimzi.io/v1", "main-dual-0"
DELAY, CLEANER = "log.initial.task.delay.ms", "log.cleaner.enable"
HOLD, REMEMBERED = {DELAY: 31536000000, CLEANER: False}, "kafka-dr.streamsafe/held"
REGION = {"kafka_region": "north_america"}


class Held(Regions):
    """A region whose Kafka is there, and whose brokers no operator has started. The test plays the operator."""

    def __init__(self, cluster, directory, api_version=API, **config):
        super().__init__({"north_america": cluster, "europe": cluster}, directory, api_version)
        self.cluster, self.here = cluster, self.namespaces["north_america"]
        body = kafka_resources("main", api_version)[1]
        body["spec"]["kafka"]["config"] = {**body["spec"]["kafka"]["config"], **config}
        cluster.client.create(object_path(api_version, "kafkas", self.here), body)
        # Without an operator, the address comes from the inventory.
        self.hosts["north_america"]["kafka_dr_client"] = {"bootstrap.servers": "127.0.0.1:1"}

    def kafka_now(self):
        found = self.cluster.read(self.here, "main", "kafkas", API)
        return found["spec"]["kafka"].get("config"), (found["metadata"].get("annotations") or {}).get(REMEMBERED)

    def change(self, **patch):
        return self.cluster.merge(self.here, "main", patch, "kafkas", API)

    def render(self):
        """Write the broker's ConfigMap as its operator does."""
        config, dummy = self.kafka_now()
        text = "".join(f"{key}={str(value).lower()}\n" for key, value in config.items())
        body = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": NODE, "labels": {"strimzi.io/cluster": "main"}},
            "data": {"server.config": f"# Provided configuration\n{text}"},
        }
        path = object_path("v1", "configmaps", self.here)
        self.cluster.client.delete(f"{path}/{NODE}")
        self.cluster.client.create(path, body)

    def report(self):
        """Say Ready, as an operator that has taken up what the resource says."""
        found = self.cluster.read(self.here, "main", "kafkas", API)
        status = {
            "observedGeneration": found["metadata"]["generation"],
            "conditions": [{"type": "Ready", "status": "True"}],
        }
        path = object_path(API, "kafkas", self.here, "main", "status")
        self.cluster.client.request("PATCH", path, {"status": status}, content_type="application/merge-patch+json")

    def limit_rights(self):
        made = {
            one["metadata"]["namespace"]: one["rules"]
            + [
                rule
                for held in hold_roles(self.hosts, [self.mirror])
                if held["metadata"]["namespace"] == one["metadata"]["namespace"]
                for rule in held["rules"]
            ]
            for one in roles(self.hosts, [self.mirror])
        }
        for name, namespace in self.namespaces.items():
            identity = self.places[name].identity(self.directory, {namespace: made[namespace]})
            self.hosts[name]["kafka_dr_kubernetes"].update(identity)

    def hold(self, *verbs, check=False, fails=False, **more):
        """Play these verbs for the region; they learn what they need themselves. A wait ends after its first looks."""
        variables = {**REGION, "kafka_operator_timeout": 3, "kafka_ready_timeout": 2, **more}
        return self.play([role("kafka", verb, **variables) for verb in verbs], check, fails, learns=False)


@pytest.fixture
def held(new, tmp_path):
    """What the resource said of one of both settings before is to be given back."""
    made = Held(new, tmp_path, **{CLEANER: True})
    made.limit_rights()
    return made


def words(played):
    """What a play said, on one line."""
    return " ".join(played.output.split())


def test_it_is_held_off_and_what_stood_there_is_given_back_exactly(held):
    before = held.kafka_now()
    checked = held.hold("start_held", check=True)
    assert held.kafka_now() == before and checked.changed == 1, "a check says what would be, and changes nothing"
    assert f"+ {DELAY}: 31536000000" in words(checked)
    waited = held.hold("start_held", fails=True)
    assert "has not passed that on after 3 s. Waited for: a ConfigMap with the settings of a broker" in words(waited)
    config, remembered = held.kafka_now()
    assert {key: config[key] for key in HOLD} == HOLD and json.loads(remembered) == {DELAY: None, CLEANER: True}

    held.render()
    again = held.hold("start_held")
    assert again.changed == 0 and held.kafka_now() == (config, remembered)
    assert "let the nodes of the brokers of north_america start now" in words(again)

    waited = held.hold("end_hold", fails=True)
    assert held.kafka_now() == before
    assert "Waited for: the operator to take up generation" in words(waited)
    held.report()
    silent = held.hold("end_hold", fails=True)
    assert "delete nothing, although its settings let them" in words(silent) and held.kafka_now() == before


def test_what_somebody_else_has_set_is_left_to_them(held):
    held.change(spec={"kafka": {"config": {DELAY: "999999999999", CLEANER: "false"}}})
    held.render()
    kept = held.kafka_now()
    played = held.hold("start_held", "end_hold")
    assert "Somebody else has set that, and has to take it out after the stage failback" in words(played)
    assert "found that somebody has set that, and not the playbook start_held" in words(played)
    assert held.kafka_now() == kept and played.changed == 0


def test_what_would_not_last_is_refused_before_anything_is_changed(held):
    kept = held.kafka_now()
    held.change(metadata={"annotations": {"strimzi.io/pause-reconciliation": "true"}})
    assert "is paused, so its operator passes no settings on" in words(held.hold("start_held", fails=True))
    tool = {"strimzi.io/pause-reconciliation": None, "argocd.argoproj.io/tracking-id": "kafka:x"}
    held.change(metadata={"annotations": tool})
    assert "is kept by Argo CD, which may change it back" in words(held.hold("start_held", fails=True))
    assert held.kafka_now() == kept
    held.render()
    held.hold("start_held", fails=True, kafka_accept_managed=True)
    assert held.kafka_now()[0][CLEANER] is False
    held.cluster.client.delete(object_path(API, "kafkas", held.here, "main"))
    assert "is not there to hold deletion off in" in words(held.hold("start_held", fails=True))


def test_who_may_not_change_it_is_refused_at_the_start_and_told_at_the_end(new, tmp_path):
    made = Held(new, tmp_path)
    config = made.kafka_now()[0]
    Regions.limit_rights(made)
    refused = words(made.hold("start_held", fails=True))
    assert "no right to patch kafkas.kafka.strimzi.io 'main'; list configmaps" in refused
    # An administrator has held it off.
    made.change(
        metadata={"annotations": {REMEMBERED: json.dumps(dict.fromkeys(HOLD))}}, spec={"kafka": {"config": HOLD}}
    )
    ended = made.hold("end_hold")
    assert "no right to patch kafkas.kafka.strimzi.io 'main'" in words(ended)
    assert made.kafka_now()[0] == {**config, **HOLD} and ended.changed == 0


def test_fields_of_the_older_version_survive(old, tmp_path):
    """What only ``v1beta2`` knows is dropped where the resource is written through ``v1``."""
    older = "kafka.strimzi.io/v1beta2"
    made = Held(old, tmp_path, older)
    old.merge(made.here, "main", {"spec": {"kafka": {"replicas": 3}}}, "kafkas", older)
    made.hold("start_held", fails=True)
    spec = old.read(made.here, "main", "kafkas", older)["spec"]["kafka"]
    assert spec["replicas"] == 3 and spec["config"][CLEANER] is False


def test_real_brokers_start_held_and_delete_again(new, tmp_path):
    """Behind the stand-in operator: refused while brokers run, written while their node is down, and ended."""
    if new.plane is None:
        pytest.skip("needs the stand-in operator")
    operator = Operator(new.kubeconfig, tmp_path / "operator").start()
    made = Regions({"north_america": new, "europe": new}, tmp_path)
    here = made.namespaces["north_america"]
    try:
        made.play([role("kafka", "create", **REGION)])
        before = new.read(here, "main", "kafkas", API)["spec"]
        refused = made.role("kafka", "start_held", fails=True, **REGION)
        assert "run already, and were started without the hold" in refused.output
        assert new.read(here, "main", "kafkas", API)["spec"] == before

        (tmp_path / "operator" / DOWN).mkdir()
        (tmp_path / "operator" / DOWN / here).touch()
        # With its node; the disks stay.
        Kafka.kill(next(one for key, one in operator.brokers.items() if key[0] == here))
        assert "No broker has answered yet" in made.role("kafka", "start_held", **REGION).output
        (tmp_path / "operator" / DOWN / here).unlink()
        new.until(lambda: deletion_held(made) == {"1": True}, "the broker to start held", 60)
        assert "Its brokers run, and delete nothing" in made.role("kafka", "start_held", **REGION).output

        made.role("kafka", "end_hold", **REGION)
        assert deletion_held(made) == {"1": False}
        assert new.read(here, "main", "kafkas", API)["spec"] == before
    finally:
        operator.stop()


def deletion_held(regions):
    try:
        return cluster_state(regions.kafka("north_america"), ["deletion"])["deletion_held"]
    except KafkaDrError:
        return None
