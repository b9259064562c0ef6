# SPDX-License-Identifier: GPL-3.0-or-later
"""How each host of a mirror is started."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.nodes import mirror_node
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_nodes_info import _missing

MIRROR = {"name": "backup", "source": "a", "target": "b"}
REGIONS = {
    "a": {},
    "b": {"kafka_dr_mirror_directory": "/d", "kafka_dr_kafka_home": "/k"},
    "h1": {"ansible_host": "10.0.0.1"},
    "h2": {},
}


def node(host="b", own=None, **target):
    return mirror_node(
        MIRROR,
        {**REGIONS, "b": {**REGIONS["b"], **target}, **({host: {**REGIONS.get(host, {}), **own}} if own else {})},
        host,
    )


def test_one_host_keeps_to_itself():
    made = node()
    assert made["rest_host"] == "127.0.0.1" and made["rest_port"] == 8083 and made["hosts"] == ["b"]
    assert (
        made["command"]
        == "java -Xmx1g -cp /k/libs/* org.apache.kafka.connect.mirror.MirrorMaker /d/backup/mm2.properties"
    )


def test_several_hosts_reach_each_other():
    """With exactly-once a node asks the leader; on loopback it would ask itself."""
    assert node("h1", kafka_dr_mirror_hosts=["h1", "h2"])["rest_host"] == "10.0.0.1"
    assert node("h2", kafka_dr_mirror_hosts=["h1", "h2"])["rest_host"] == "h2"
    assert (
        node("h2", kafka_dr_mirror_hosts=["h1", "h2"], own={"kafka_dr_mirror_rest_host": "inside"})["rest_host"]
        == "inside"
    )


def test_a_variable_of_the_host_wins():
    own = {"kafka_dr_mirror_directory": "/own", "kafka_dr_mirror_rest_port": 9}
    made = node("h1", own=own, kafka_dr_mirror_hosts=["h1", "h2"], kafka_dr_mirror_rest_port=8)
    assert made["directory"] == "/own/backup" and made["rest_port"] == 9


def test_metrics_are_off_unless_asked_for_and_stay_on_loopback():
    assert node()["metrics"] is None and "javaagent" not in node()["command"] and "jmxremote" not in node()["command"]
    made = node(kafka_dr_mirror_metrics={"jar": "/j.jar"})
    assert "-javaagent:/j.jar=127.0.0.1:9404:/d/backup/metrics.yml" in made["command"]
    assert "=0.0.0.0:1:" in node(kafka_dr_mirror_metrics={"jar": "/j.jar", "host": "0.0.0.0", "port": 1})["command"]


@pytest.mark.parametrize(
    "target, says",
    [
        ({"kafka_dr_kafka_home": ""}, "kafka_dr_kafka_home"),
        ({"kafka_dr_mirror_metrics": {"port": 1}}, "jar"),
        ({"kafka_dr_mirror_metrics": {"jar": "x", "prot": 1}}, "prot"),
    ],
)
def test_what_is_missing_is_named(target, says):
    with pytest.raises(UsageError, match=says):
        node(**target)


def test_beside_an_existing_connect_cluster_no_kafka_is_needed():
    assert node(kafka_dr_mirror_platform="connect", kafka_dr_kafka_home="")["directory"] == "/d/backup"


def task(number=0, state="RUNNING"):
    return {"connector": "c", "task": number, "state": state, "worker": "w"}


@pytest.mark.parametrize(
    "state, members, tasks, missing",
    [
        ("Stable", ["x", "new"], [task(None), task()], 0),
        ("Stable", ["x"], [task()], 1),
        ("Stable", ["x", "y"], [task()], 1),
        ("PreparingRebalance", ["x", "new"], [task()], 1),
        ("Stable", ["x", "new"], [task(), task(1, "UNASSIGNED")], 1),
        ("Stable", ["x", "new"], [task(None)], 1),
    ],
)
def test_when_a_node_is_back(state, members, tasks, missing):
    wanted = {"until_members": 2, "until_new_since": ["x", "y"], "until_working": True}
    found = list(_missing(wanted, "g", state, members, tasks))
    assert (len(found) > 0) == bool(missing), found
