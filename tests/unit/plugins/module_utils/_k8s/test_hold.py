# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds deletion off in a Kafka resource, what is given back, and what is not touched."""

from __future__ import annotations

import copy
import json

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.hold import (
    REMEMBERED,
    hold_refusals,
    hold_state,
    hold_waiting_for,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.rbac_hold import hold_roles
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.holding import CLEANER, DELAY, HOLD, holds

PLACE = {"namespace": "kafka", "cluster": "main", "group": "kafka.strimzi.io"}


def kafka(config=None, **annotations):
    made = {"apiVersion": "kafka.strimzi.io/v1", "kind": "Kafka", "metadata": {"name": "main", "generation": 7}}
    if annotations:
        made["metadata"]["annotations"] = {key.replace("__", "/"): value for key, value in annotations.items()}
    return {**made, "spec": {"kafka": {} if config is None else {"config": config}}}


def after(resource, way):
    """The resource with the patch applied as an API server does; a path that is not there is an error."""
    changed = copy.deepcopy(resource)
    for one in hold_state(resource)[way]:
        *parents, last = [word.replace("~1", "/").replace("~0", "~") for word in one["path"].split("/")[1:]]
        at = changed
        for word in parents:
            at = at[word]
        if one["op"] == "test":
            assert at[last] == one["value"]
        elif one["op"] == "remove":
            del at[last]
        else:
            assert one["op"] == "add" or last in at
            at[last] = one["value"]
    return changed


BEFORE = {
    "nothing": kafka(),
    "other settings": kafka({"min.insync.replicas": 2}),
    "both": kafka({DELAY: 60000, CLEANER: "true"}),
    "one of them": kafka({CLEANER: False, "x": 1}),
    "annotated": kafka({CLEANER: True}, note="x"),
}


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_what_stood_there_is_given_back(before):
    held = after(before, "begin")
    state = hold_state(held)
    assert (state["held"], state["ours"], state["begin"]) == (True, True, [])
    assert {key: held["spec"]["kafka"]["config"][key] for key in HOLD} == HOLD
    ended = after(held, "end")
    # The API server keeps no empty map of annotations.
    if not ended["metadata"].get("annotations"):
        ended["metadata"].pop("annotations", None)
    assert ended == before
    assert hold_state(ended)["end"] == []


def test_what_others_hold_off_is_theirs():
    state = hold_state(kafka({DELAY: "86400000", CLEANER: "False"}))
    assert (state["held"], state["ours"], state["begin"], state["end"]) == (True, False, [], [])


def test_what_was_changed_since_is_what_is_given_back():
    held = after(kafka({CLEANER: True}), "begin")
    held["spec"]["kafka"]["config"][DELAY] = 5
    again = after(held, "begin")
    assert json.loads(again["metadata"]["annotations"][REMEMBERED]) == {DELAY: 5, CLEANER: True}
    assert after(again, "end")["spec"]["kafka"]["config"] == {DELAY: 5, CLEANER: True}
    assert after(held, "end")["spec"]["kafka"]["config"] == {DELAY: 5, CLEANER: True}


@pytest.mark.parametrize("text", ["", "x", "[]", "{}", '{"log.cleaner.enable": true}', json.dumps({**HOLD, DELAY: {}})])
def test_a_memory_that_cannot_be_read_is_an_error(text):
    with pytest.raises(UsageError, match="Take the annotation away"):
        hold_state(kafka(None, **{REMEMBERED: text}))


def test_a_tool_that_puts_it_back_is_named():
    kept = hold_state(kafka(None, **{"argocd.argoproj.io__instance": "kafka"}))["kept_by"]
    assert list(kept) == ["Argo CD"] and "spec.syncPolicy" in kept["Argo CD"] and "managed_elsewhere" not in str(kept)
    suspended = {"kustomize.toolkit.fluxcd.io__name": "k", "kustomize.toolkit.fluxcd.io__reconcile": "disabled"}
    assert hold_state(kafka(None, **suspended))["kept_by"] == {}


REFUSED = {
    "missing": ([], PLACE, "found none. Correct namespace"),
    "deleted": ([{**kafka(), "metadata": {"name": "main", "deletionTimestamp": "now"}}], PLACE, "is being deleted"),
    "paused": ([kafka(None, **{"strimzi.io__pause-reconciliation": "true"})], PLACE, "is paused"),
    "another group": ([kafka()], {**PLACE, "group": "eventstreams.ibm.com"}, "another kind of resource"),
    "another shape": ([{**kafka(), "spec": {"strimziOverrides": {}}}], PLACE, "unknown shape"),
    "settings that are none": ([kafka("x")], PLACE, "unknown shape"),
}


@pytest.mark.parametrize("resources,place,words", REFUSED.values(), ids=REFUSED)
def test_what_is_not_touched(resources, place, words):
    (said,) = hold_refusals(resources, place)
    assert words in said and "expected" in said and "Kafka 'kafka/main'" in said


def test_what_is_there_is_not_refused():
    assert hold_refusals([kafka()], PLACE) == []
    assert "found 'no answer'" in hold_refusals(None, PLACE, "no answer")[0]


def config_map(name, **settings):
    lines = "".join(f"{key}={value}\n" for key, value in settings.items())
    return {"metadata": {"name": name}, "data": {"server.config": f"# {DELAY}=1\nnode.id=1\n{lines}"}}


def test_every_broker_is_waited_for():
    held = {DELAY: "31536000000", CLEANER: "false"}
    others = [{"metadata": {"name": "main-entity"}, "data": {"log4j2.properties": "x"}}, {"metadata": {"name": "none"}}]
    assert hold_waiting_for(others) == ["a ConfigMap with the settings of a broker (server.config)"]
    found = [config_map("main-b-1", **held), config_map("main-a-0"), *others]
    assert hold_waiting_for(found) == ["ConfigMap 'main-a-0' to hold deletion off"]
    assert hold_waiting_for(found, False) == ["ConfigMap 'main-b-1' to hold deletion off no longer"]
    assert hold_waiting_for(found[:1]) == []


@pytest.mark.parametrize(
    "settings,wanted",
    [
        (HOLD, True),
        ({DELAY: " 86400000", CLEANER: "FALSE "}, True),
        ({DELAY: 86399999, CLEANER: False}, False),
        ({DELAY: HOLD[DELAY]}, False),
        ({DELAY: HOLD[DELAY], CLEANER: True}, False),
        ({DELAY: "soon", CLEANER: False}, False),
        ({DELAY: None, CLEANER: None}, False),
        ({}, False),
    ],
)
def test_what_holds_deletion_off(settings, wanted):
    assert holds(settings) is wanted


def test_only_regions_that_may_come_back_have_the_role():
    on = {"kafka_dr_platform": "kubernetes"}
    regions = {
        "na": {**on, "kafka_dr_kubernetes": {"namespace": "a", "cluster": "main"}},
        "eu": {"kafka_dr_platform": "host"},
        "es": {**on, "kafka_dr_kubernetes": {"namespace": "e", "cluster": "main", "group": "eventstreams.ibm.com"}},
        "asia": {**on, "kafka_dr_kubernetes": {"namespace": "b", "cluster": "main"}},
        "apps": {**on, "kafka_dr_kubernetes": {"namespace": "c"}},
    }
    mirrors = [{"name": f"from-{one}", "source": one, "target": "eu"} for one in ("na", "es", "apps")]
    (made,) = hold_roles(regions, mirrors)
    assert made["metadata"] == {"name": "kafka-dr-hold", "namespace": "a"}
    assert [(rule["resources"], rule["verbs"], rule.get("resourceNames")) for rule in made["rules"]] == [
        (["kafkas"], ["get", "patch"], ["main"]),
        (["configmaps"], ["list"], None),
    ]
    both = hold_roles(regions, mirrors, subjects=[{"kind": "User", "name": "x"}], region="na")
    assert [one["kind"] for one in both] == ["Role", "RoleBinding"]
