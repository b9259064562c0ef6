# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes wrong beside the stages, on a real API server: it is gone for a while, a Secret is rotated or missing, a
namespace does not end.
"""

from __future__ import annotations

import base64
import signal
import threading
import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import object_path
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.rbac import roles
from kafka_dr_lab.kubernetes.operator.loop import Operator
from tests.kubernetes.playing import Regions
from tests.kubernetes.test_roles import SET_UP, ends, produce, role

pytestmark = [pytest.mark.kubernetes, pytest.mark.full]

MIRROR = {"mirror_described": "{{ described }}"}


@pytest.fixture(scope="module")
def regions(new, tmp_path_factory):
    """Two regions with a mirror that runs."""
    if new.plane is None:
        pytest.skip("needs the stand-in operator, and an API server that may be killed")
    directory = tmp_path_factory.mktemp("troubles")
    made = Regions({"north_america": new, "europe": new}, directory)
    made.hosts["north_america"].pop("kafka_dr_applications")
    made.operator = Operator(new.kubeconfig, directory / "operator", period=5).start()
    made.limit_rights()
    made.play(SET_UP[:-1])
    yield made
    made.operator.stop()


def secret(cluster, namespace, name):
    return base64.b64decode(cluster.read(namespace, name)["data"]["password"]).decode()


def delete(cluster, namespace, name):
    cluster.client.delete(object_path("v1", "secrets", namespace, name))


def test_a_secret_that_is_missing_is_told_in_the_operators_words_and_mended(regions):
    cluster, europe = regions.places["europe"], regions.namespaces["europe"]
    delete(cluster, europe, "north-america-kdr-mirror")
    cluster.until(
        lambda: (
            cluster.read(europe, "backup", "kafkamirrormaker2s", "kafka.strimzi.io/v1")["status"]["conditions"][0][
                "type"
            ]
            == "NotReady"
        ),
        "the operator to miss it",
    )
    played = regions.role("mirror", "start", fails=True, mirror_operator_timeout=6, **MIRROR)
    assert "Secret north-america-kdr-mirror not found" in played.output
    regions.play(
        [role("credentials", "carry", credentials_mirror="{{ described }}"), role("mirror", "start", **MIRROR)]
    )


def test_a_password_that_was_rotated_is_carried_and_the_mirror_goes_on(regions):
    cluster, america, europe = (
        regions.places["europe"],
        regions.namespaces["north_america"],
        regions.namespaces["europe"],
    )
    before = secret(cluster, america, "kdr-mirror")
    delete(cluster, america, "kdr-mirror")
    cluster.until(
        lambda: cluster.read(america, "kdr-mirror") is not None and secret(cluster, america, "kdr-mirror") != before,
        "another password",
    )
    regions.play([role("credentials", "carry", credentials_mirror="{{ described }}")])
    assert secret(cluster, europe, "north-america-kdr-mirror") == secret(cluster, america, "kdr-mirror") != before
    target = regions.kafka("europe")
    held = sum(ends(target).values())
    assert produce(regions.kafka("north_america", "shop-producer"), 50) == []
    cluster.until(lambda: sum(ends(target).values()) >= held + 50, "the records to arrive", 90)


def test_an_api_server_that_is_gone_in_the_middle_is_waited_for(regions):
    cluster, europe = regions.places["europe"], regions.namespaces["europe"]
    outcome = []

    def stop():
        try:
            outcome.append(regions.role("mirror", "stop", **MIRROR))
        except AssertionError as error:
            outcome.append(str(error))

    thread = threading.Thread(target=stop)
    thread.start()

    def told():
        mirror = cluster.read(europe, "backup", "kafkamirrormaker2s", "kafka.strimzi.io/v1")["spec"]["mirrors"][0]
        return mirror["sourceConnector"]["state"] == "stopped"

    cluster.until(told, "the mirror to be told", 90)
    cluster.plane.end("kube-apiserver", signal.SIGKILL)
    time.sleep(6)
    cluster.plane.start()
    thread.join(180)
    assert outcome and not isinstance(outcome[0], str), outcome
    status = cluster.read(europe, "backup", "kafkamirrormaker2s", "kafka.strimzi.io/v1")["status"]
    assert {one["connector"]["state"] for one in status["connectors"]} == {"STOPPED"}


def test_a_region_is_not_made_in_a_namespace_that_does_not_end(regions):
    cluster, america = regions.places["europe"], regions.namespaces["north_america"]
    path = object_path("v1", "configmaps", america)
    cluster.client.create(
        path,
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "stuck", "finalizers": ["example.com/never"]}},
    )
    # An account of another namespace outlives this one; its rights here do not.
    rules = {one["metadata"]["namespace"]: one["rules"] for one in roles(regions.hosts, [regions.mirror])}[america]
    limited = cluster.identity(regions.directory, {cluster.namespace("home"): [], america: rules})
    regions.hosts["north_america"]["kafka_dr_kubernetes"]["kubeconfig"] = cluster.kubeconfig
    cluster.client.delete(object_path("v1", "namespaces", name=america))
    cluster.until(
        lambda: cluster.read(america, "main", "kafkas", "kafka.strimzi.io/v1") is None, "the cluster to be gone", 60
    )
    assert cluster.client.get(object_path("v1", "namespaces", name=america))["status"]["phase"] == "Terminating"
    played = regions.role("kafka", "prepare", fails=True, kafka_region="north_america")
    assert "is being deleted: expected it gone" in played.output and "example.com/never" in played.output
    # A restore would find it too, and nothing is paused for it.
    regions.hosts["north_america"]["kafka_dr_kubernetes"]["backup"] = {
        "kubeconfig": cluster.kubeconfig,
        "namespace": cluster.namespace("kept"),
    }
    restore = {
        "name": "Restore",
        "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.recreate_from_backup"},
        "vars": {"recreate_from_backup_region": "north_america", "recreate_from_backup_from": "europe"},
    }
    for account, found in (({}, "is being deleted: expected it gone"), (limited, "no right to ")):
        regions.hosts["north_america"]["kafka_dr_kubernetes"].update(account)
        played = regions.play([restore], fails=True).output
        assert "Refused, nothing was changed" in played and found in " ".join(played.split())
        assert "RoleBinding" in " ".join(played.split())
        assert "recreate_from_backup_accept_access" in played
        assert "TASK [streamsafe.kafka_dr.ledger : begin" not in played
    cluster.client.request(
        "PATCH", f"{path}/stuck", {"metadata": {"finalizers": None}}, content_type="application/merge-patch+json"
    )
