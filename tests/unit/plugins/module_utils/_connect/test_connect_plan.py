# SPDX-License-Identifier: GPL-3.0-or-later
"""What is planned for a connector, and what of it may be shown."""

from __future__ import annotations

import json

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._connect import connectors, masks
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._connect.plan import Plan, check_classes
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError

CLASS = {"connector.class": "C"}
AT = {"topic": "t", "partition": 0}


class Known:
    """Stands for the workers' answer about offsets."""

    def __init__(self, offsets=()):
        self.kept = list(offsets)

    def offsets(self, name):
        return self.kept


def found(state="RUNNING", tasks=("RUNNING",), **config):
    return {
        "config": {**CLASS, "name": "c", **config},
        "state": state,
        "trace": None,
        "worker": "w",
        "tasks": [
            {"id": number, "state": one, "worker": "w", "trace": "java.lang.X: why\nCaused by: Y: root"}
            for number, one in enumerate(tasks)
        ],
    }


def plan(state="running", seen=None, **described):
    return Plan({"name": "c", **described}, state, seen, Known())


def test_the_same_is_no_change_whatever_the_types():
    assert not plan(
        seen=found(**{"tasks.max": "2", "on": "true"}), config={**CLASS, "tasks.max": 2, "on": True, "none": None}
    ).changed


@pytest.mark.parametrize(
    "state, seen, wanted",
    [
        ("running", None, {"create"}),
        ("absent", None, set()),
        ("absent", found(), {"delete"}),
        ("paused", found(), {"bring"}),
        ("stopped", found("PAUSED"), {"bring"}),
        ("running", found("FAILED"), {"restart"}),
        ("running", found(tasks=("RUNNING", "FAILED")), {"restart"}),
        ("running", found("UNASSIGNED"), set()),
        ("stopped", found("STOPPED", ()), set()),
        ("running", found("STOPPED", ()), {"bring"}),
        ("stopped", found("FAILED"), {"bring"}),
    ],
)
def test_steps(state, seen, wanted):
    made = plan(state, seen, config=None if state == "absent" else CLASS)
    assert {
        name for name in ("create", "delete", "update", "bring", "restart", "reset", "alter") if getattr(made, name)
    } == wanted


def test_a_setting_that_left_the_description_is_an_update():
    assert plan(seen=found(old="1"), config=CLASS).update


@pytest.mark.parametrize(
    "described, state",
    [
        ({"offsets": [{"partition": AT, "offset": None}]}, "running"),
        ({"reset_offsets": True}, "paused"),
        ({"config": {"a": 1}}, "running"),
        ({"config": {**CLASS, "a": [1]}}, "running"),
        ({"config": {**CLASS, "a": 1}, "config_secrets": {"a": 2}}, "running"),
        ({"reset_offsets": True}, "absent"),
        ({}, "running"),
    ],
)
def test_input_that_cannot_be_meant(described, state):
    with pytest.raises(KafkaDrError):
        plan(state, None, **described)


@pytest.mark.parametrize(
    "reset, wanted, steps",
    [
        (False, [], (False, 0)),
        (True, [], (True, 0)),
        (False, [{"partition": AT, "offset": {"offset": 5}}], (False, 0)),
        (True, [{"partition": AT, "offset": {"offset": 5}}], (False, 0)),
        (False, [{"partition": AT, "offset": {"offset": 6}}], (False, 1)),
        (False, [{"partition": AT, "offset": None}], (False, 1)),
        (False, [{"partition": {"x": 1}, "offset": None}], (False, 0)),
        (True, [{"partition": {"x": 1}, "offset": {"offset": 1}}], (True, 1)),
    ],
)
def test_offsets(reset, wanted, steps):
    made = Plan(
        {"name": "c", "offsets": wanted, "reset_offsets": reset},
        "stopped",
        found("STOPPED", ()),
        Known([{"partition": AT, "offset": {"offset": 5}}]),
    )
    assert (made.reset, len(made.alter)) == steps


def test_no_side_of_a_difference_holds_a_secret_yet_its_change_is_seen():
    made = plan(
        seen=found(**{"db.password": "old-secret", "x": "given-old", "url": "jdbc://u:hunter2@h/d"}),
        config={**CLASS, "db.password": "new-secret", "y": "${file:/a:b}"},
        config_secrets={"x": "given-new", "ssl.keystore.key": "secret-key"},
    )
    before, after = made.sides({"other"})
    text = json.dumps([before, after])
    assert not [one for one in ("old-secret", "new-secret", "given", "hunter2", "secret-key") if one in text]
    assert before["config"]["db.password"] != after["config"]["db.password"] and after["config"]["y"] == "${file:/a:b}"


@pytest.mark.parametrize(
    "key, hidden",
    [
        ("sasl.jaas.config", True),
        ("source.cluster.sasl.jaas.config", True),
        ("ssl.keystore.key", True),
        ("aws.secret.access.key", True),
        ("ssl.key.password", True),
        ("key.converter", False),
        ("sasl.oauthbearer.token.endpoint.url", False),
        ("tasks.max", False),
        ("basic.auth.user.info", True),
        ("connection.apikey", True),
    ],
)
def test_what_is_taken_for_a_secret(key, hidden):
    assert masks.is_secret(key, "value", set()) is hidden
    assert not masks.is_secret(key, "${vault:a/b:c}", {key}), "a reference is no secret"
    assert masks.is_secret("sasl.jaas.config", 'x password="${file:a:b}" other="clear"', set())


@pytest.mark.parametrize(
    "seen, state, complete",
    [
        (found(), "running", True),
        (found(tasks=()), "running", True),
        (found(tasks=("RUNNING", "UNASSIGNED")), "running", False),
        (found("PAUSED", ("PAUSED",)), "paused", True),
        (found("PAUSED", ("RUNNING",)), "paused", False),
        (found("STOPPED", ()), "stopped", True),
        (found("STOPPED", ("RUNNING",)), "stopped", False),
        (None, "absent", True),
        (None, "running", False),
        (found(), "absent", False),
    ],
)
def test_when_it_is_as_wanted(seen, state, complete):
    assert (connectors.missing_for(seen, state) == "") is complete


def test_classes_by_any_name_that_connect_takes():
    known = {"org.apache.kafka.connect.mirror.MirrorSourceConnector": "4"}
    for name in (*known, "MirrorSourceConnector", "MirrorSource"):
        check_classes(known, [plan(config={"connector.class": name})])
    with pytest.raises(KafkaDrError, match="MirrorSinkConnector"):
        check_classes(known, [plan(config={"connector.class": "MirrorSinkConnector"})])
