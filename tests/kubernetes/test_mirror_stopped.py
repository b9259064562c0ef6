# SPDX-License-Identifier: GPL-3.0-or-later
"""The module that stops a mirror, against operators that drop changes, leave failed connectors alone, or are not there.
The test plays the operator.
"""

from __future__ import annotations

import contextlib
import threading

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import mirror_resource, mirror_versions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import object_path
from ansible_collections.streamsafe.kafka_dr.plugins.modules import strimzi_mirror_stop
from tests.kubernetes.test_resources import CLIENTS, MIRROR, SECRETS, written
from tests.kubernetes.test_strimzi_info import NAME, PLURAL, say
from tests.support.kubernetes import run

pytestmark = pytest.mark.kubernetes

API = mirror_versions.API_VERSIONS[0]
LOOK = "kafka-dr.streamsafe/look"


def connector(state):
    return {
        "conditions": [{"type": "Ready", "status": "True"}],
        "connectors": [{"name": NAME, "connector": {"state": state}, "tasks": []}],
    }


@contextlib.contextmanager
def operator(cluster, namespace, answer):
    """An operator that writes ``answer(resource)`` as status whenever the resource changes."""
    done, seen = threading.Event(), []

    def work():
        while not done.is_set():
            found = cluster.read(namespace, "backup", PLURAL, API)
            if not seen or found["metadata"]["resourceVersion"] != seen[-1]:
                status = answer(found)
                if status:
                    say(cluster, namespace, status)
                    found = cluster.read(namespace, "backup", PLURAL, API)
                seen.append(found["metadata"]["resourceVersion"])
            done.wait(0.1)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(10)


def running(cluster):
    """A namespace with a mirror that runs."""
    namespace = cluster.namespace()
    written(cluster, mirror_resource.mirror_resource(MIRROR, CLIENTS, SECRETS, namespace=namespace), PLURAL)
    say(cluster, namespace, connector("RUNNING"))
    return namespace


def stop(cluster, namespace, check=False, **more):
    return run(
        strimzi_mirror_stop.main,
        {"connection": {"kubeconfig": cluster.kubeconfig}, "namespace": namespace, "name": "backup", **more},
        check,
    )


def test_an_operator_that_drops_a_change_is_made_to_look_again(new):
    namespace, marks = running(new), set()

    def answer(found):
        marks.add((found["metadata"].get("annotations") or {}).get(LOOK))
        told = found["spec"]["mirrors"][0]["sourceConnector"]["state"] == "stopped"
        # The first look after it was told, and the second one, come too early.
        return connector("STOPPED" if told and len(marks) > 2 else "RUNNING")

    checked = stop(new, namespace, check=True)
    assert (
        checked["changed"]
        and not checked["stopped"]
        and "/spec/mirrors/0/sourceConnector/state: stopped" in checked["diff"]["after"]
    )
    assert new.read(namespace, "backup", PLURAL, API)["metadata"]["generation"] == 1
    with operator(new, namespace, answer):
        found = stop(new, namespace, state_timeout=60, wait_timeout=60)
        assert (found["changed"], found["stopped"], found["stopped_by"]) == (True, True, "state"), found
        again = stop(new, namespace)
    assert (again["changed"], again["stopped_by"]) == (False, "state")
    assert new.read(namespace, "backup", PLURAL, API)["spec"]["replicas"] == 1


def scaled(found):
    # As Strimzi does: the connectors leave the status with the workers.
    gone = {"replicas": 0, "connectors": None, "conditions": [{"type": "Ready", "status": "True"}]}
    return gone if found["spec"]["replicas"] == 0 else {}


def test_a_connector_that_failed_takes_its_worker_with_it(new):
    namespace = running(new)
    with operator(new, namespace, lambda found: scaled(found) or connector("FAILED")):
        found = stop(new, namespace, state_timeout=60, wait_timeout=60)
    assert (found["stopped"], found["stopped_by"]) == (True, "replicas"), found


def test_a_connector_that_never_stops_loses_its_worker(new):
    namespace = running(new)
    with operator(new, namespace, lambda found: scaled(found) or connector("RUNNING")):
        found = stop(new, namespace, state_timeout=2, wait_timeout=60)
    assert (found["stopped"], found["stopped_by"]) == (True, "replicas"), found


def test_without_an_operator_it_says_what_it_waited_for(new):
    namespace = running(new)
    found = stop(new, namespace, state_timeout=1, wait_timeout=3)
    assert (
        found["failed"]
        and "is not stopped after 3 s" in found["msg"]
        and "the operator to take up generation" in found["msg"]
    )
    spec = new.read(namespace, "backup", PLURAL, API)["spec"]
    assert spec["replicas"] == 0 and spec["mirrors"][0]["sourceConnector"]["state"] == "stopped", (
        "what it asked for stands"
    )
    assert stop(new, new.namespace())["stopped_by"] == "absent"


def test_a_mirror_of_the_older_shape_is_stopped_and_kept_whole(old):
    namespace = old.namespace()
    body = mirror_resource.mirror_resource(
        MIRROR, CLIENTS, SECRETS, mirror_versions.API_VERSIONS[1], namespace=namespace
    )
    body["spec"]["mirrors"][0]["sourceConnector"]["pause"] = True
    written(old, body, PLURAL)
    stop(old, namespace, state_timeout=60, wait_timeout=6)
    found = old.client.get(object_path(mirror_versions.API_VERSIONS[1], PLURAL, namespace, "backup"))
    assert (
        found["spec"]["clusters"] == body["spec"]["clusters"]
        and "pause" not in found["spec"]["mirrors"][0]["sourceConnector"]
    )
    assert (
        found["spec"]["mirrors"][0]["sourceConnector"]["state"] == "stopped" and found["metadata"]["annotations"][LOOK]
    )
