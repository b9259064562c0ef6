# SPDX-License-Identifier: GPL-3.0-or-later
"""What a KafkaMirrorMaker2 resource says, and how it is stopped."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import mirror_state as s

NAME = "na->eu.MirrorSourceConnector"


def resource(state="RUNNING", generation=2, observed=2, conditions=None, tasks=True, **spec):
    return {
        "metadata": {"name": "backup", "generation": generation, "resourceVersion": "17"},
        "spec": {
            "replicas": 1,
            "mirrors": [{"sourceConnector": {"state": "running"}, "checkpointConnector": {"pause": True}}],
            **spec,
        },
        "status": {
            "observedGeneration": observed,
            "conditions": [{"type": "Ready", "status": "True"}] if conditions is None else conditions,
            "connectors": [
                {"name": NAME, "connector": {"state": state}, "tasks": [{"id": 0, "state": state}] if tasks else []}
            ],
            "replicas": 1,
        },
    }


def test_patch_names_every_connector_and_the_version_read():
    assert s.state_patch(resource(), "stopped") == [
        {"op": "test", "path": "/metadata/generation", "value": 2},
        {"op": "add", "path": "/spec/mirrors/0/sourceConnector/state", "value": "stopped"},
        {"op": "add", "path": "/spec/mirrors/0/checkpointConnector/state", "value": "stopped"},
        {"op": "remove", "path": "/spec/mirrors/0/checkpointConnector/pause"},
    ]


def test_patch_is_empty_when_nothing_changes():
    one = resource()
    del one["spec"]["mirrors"][0]["checkpointConnector"]["pause"]
    assert s.state_patch(one, "running") == []
    with pytest.raises(UsageError):
        s.state_patch(one, "gone")


def test_states():
    assert s.mirror_status(None)["state"] == "absent"
    assert s.mirror_status(resource())["state"] == "running"
    assert s.mirror_status(resource("STOPPED"))["state"] == "stopped"
    assert s.mirror_status(resource(observed=1))["state"] == "pending"
    assert s.mirror_status(resource("FAILED"))["state"] == "mixed"


def test_says_what_the_operator_says():
    refusal = {"type": "NotReady", "status": "True", "reason": "InvalidResource", "message": "no"}
    found = s.mirror_status(resource(conditions=[{"type": "Warning", "status": "True"}, refusal]))
    assert found["state"] == "not_ready"
    assert found["waiting_for"] == ["condition Ready (InvalidResource: no)"]


def test_failed_tasks_keep_it_from_being_ready():
    one = resource()
    one["status"]["connectors"][0]["tasks"] = [{"id": 0, "state": "FAILED", "trace": "org.x.Gone: topic\n\tat y"}]
    found = s.mirror_status(one)
    assert found["failed_tasks"] == {NAME: "org.x.Gone: topic"}
    assert found["waiting_for"] == ["connector %s to recover (org.x.Gone: topic)" % NAME]


def test_stopped_needs_the_operators_word():
    assert s.stopped(None)["stopped"]
    assert s.stopped(resource("STOPPED", tasks=False))["stopped"]
    assert s.stopped(resource("STOPPED"))["waiting_for"] == ["1 tasks of %s to end" % NAME]
    assert s.stopped(resource())["waiting_for"][0] == "%s to be STOPPED (it is RUNNING)" % NAME
    assert not s.stopped(resource("STOPPED", tasks=False, observed=1))["stopped"]
    assert not s.stopped({**resource(), "status": {}})["stopped"]


def test_stopped_by_replicas():
    one = resource(replicas=0)
    assert s.stopped(one)["waiting_for"] == ["the last worker to end"]
    one["status"]["replicas"] = 0
    assert s.stopped(one)["stopped"]
