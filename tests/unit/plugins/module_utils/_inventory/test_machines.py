# SPDX-License-Identifier: GPL-3.0-or-later
"""Which machines a stage needs, and which applications a silent one takes with it."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import applications as _applications
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import machines as _machines

MIRROR = {"name": "m", "source": "na", "target": "eu"}
ONE, OTHER = {"kubeconfig": "/one"}, {"kubeconfig": "/other"}


def app(name, kind="process", **more):
    return {"name": name, "kind": kind, "role": "both", "principals": ["u"], "environment_file": f"/e/{name}", **more}


REGIONS = {
    "eu": {"kafka_dr_platform": "host", "kafka_dr_mirror_hosts": ["m1", "m2"]},
    "sa": {
        "kafka_dr_platform": "host",
        "kafka_dr_applications": [
            app("a"),
            app("b", host="a1"),
            app("c", "systemd", host="a1"),
            app("d", "hook"),
            app("e", "hook", host="a2"),
            app("f", "kubernetes", namespace="n", connection=ONE),
            app("g", "kubernetes", namespace="n", connection=ONE),
            app("h", "kubernetes", namespace="n", connection=OTHER),
        ],
    },
}


def batches(only=()):
    return _applications.application_batches(REGIONS, ["sa"], ["both"], None, only)


def test_a_mirror_is_on_its_hosts_or_its_region_and_in_a_cluster_on_none():
    assert _machines.mirror_machines(REGIONS, MIRROR) == ["m1", "m2"]
    assert _machines.mirror_machines({"eu": {"kafka_dr_platform": "managed"}}, MIRROR) == ["eu"]
    assert _machines.mirror_machines({"eu": {"kafka_dr_platform": "kubernetes"}}, MIRROR) == []
    assert (
        _machines.mirror_machines(
            {"eu": {"kafka_dr_platform": "host", "kafka_dr_mirror_platform": "deployment"}}, MIRROR
        )
        == []
    )
    # The witness is beside the connectors.
    connect = {"kafka_dr_platform": "kubernetes", "kafka_dr_mirror_platform": "connect", "kafka_dr_mirror_hosts": ["w"]}
    assert _machines.mirror_machines({"eu": connect}, MIRROR) == ["w"]


def test_what_a_stop_did_not_reach_is_told_and_given_up_by_name():
    left = ["the Connect cluster", "m1"]
    assert _machines.mirror_behind(left) == ["the Connect cluster", "machine of the mirror m1"]
    # Also where the mirror has another platform by now.
    on_connect = {"eu": {"kafka_dr_platform": "host", "kafka_dr_connect": {"urls": ["http://c:8083"]}}}
    assert _machines.mirror_forgotten(left, on_connect, MIRROR) == ["m1"]
    assert _machines.mirror_forgotten(left, {**on_connect, "m1": {}}, MIRROR) == []
    assert _machines.mirror_forgotten(left, {**REGIONS, "m1": {}}, MIRROR) == ["the Connect cluster"]
    cluster = ["the Kubernetes cluster"]
    assert _machines.mirror_behind(cluster) == cluster == _machines.mirror_forgotten(cluster, REGIONS, MIRROR)
    for platform in ("deployment", "kubernetes"):
        regions = {"eu": {"kafka_dr_platform": "host", "kafka_dr_mirror_platform": platform}}
        assert _machines.mirror_forgotten(cluster, regions, MIRROR) == []


def test_everything_is_named_once():
    assert _machines.machines_needed(REGIONS, [MIRROR, MIRROR, {}], True, ["m1", "x"]) == {
        "machines": ["a1", "a2", "m1", "m2", "sa", "x"],
        "clusters": {"f": ONE, "h": OTHER},
    }
    assert _machines.machines_needed(REGIONS, [MIRROR]) == {"machines": ["m1", "m2"], "clusters": {}}
    own, theirs = {"kafka_dr_mirror_deployment": OTHER}, {"kafka_dr_kubernetes": {**ONE, "namespace": "n"}}
    for platform, described, connection in (
        ("deployment", {**own, **theirs}, OTHER),
        ("deployment", theirs, ONE),
        ("kubernetes", {**own, **theirs}, ONE),
    ):
        regions = {"eu": {"kafka_dr_platform": "host", "kafka_dr_mirror_platform": platform, **described}}
        assert _machines.machines_needed(regions, [MIRROR, {}]) == {
            "machines": [],
            "clusters": {"mirror m": connection},
        }


def test_a_silent_machine_takes_what_it_keeps_and_nothing_else():
    silent = {"machines": {"a1": "refused"}, "clusters": {}}
    assert _applications.applications_unreached(batches(), REGIONS, silent) == {
        "b": "machine a1: refused",
        "c": "machine a1: refused",
    }
    assert (
        _applications.applications_unreached(batches(), REGIONS, {"machines": {"m1": "refused"}, "clusters": {}}) == {}
    )
    assert list(_applications.applications_unreached(batches(), REGIONS, {"machines": {"a2": "refused"}})) == ["e"]


def test_a_silent_api_server_takes_every_application_there():
    silent = {"machines": {}, "clusters": {"f": "timed out"}}
    assert _applications.applications_unreached(batches(), REGIONS, silent) == {
        name: "its API server: timed out" for name in ("f", "g")
    }
    # The one that it is told by need not be acted on.
    assert _applications.applications_unreached(batches(["g"]), REGIONS, silent) == {"g": "its API server: timed out"}


def test_a_hook_needs_its_region_s_machine_only_where_it_is_named():
    assert "d" not in _applications.applications_unreached(batches(["d"]), REGIONS, {"machines": {"sa": "refused"}})
    assert _applications.application_machines(batches(["d"]), REGIONS) == {"machines": [], "clusters": {}}


def test_only_those_that_are_named_are_meant():
    assert [one["name"] for one in _applications.applications(REGIONS, ["sa"], ["both"], None, ["b", "h"])] == [
        "b",
        "h",
    ]
    assert len(_applications.applications(REGIONS, ["sa"], ["both"], None, [])) == 8


def test_what_hinders_others_of_its_machine_can_be_left_out_or_acted_on_alone():
    def names(**more):
        found = _applications.application_batches(REGIONS, ["sa"], ["both"], **more)
        return [[each["name"] for each in batch["names"]] for batch in found if batch["room"] == "host"]

    two = {"sa": {"kafka_dr_applications": [app("a"), app("b")]}}
    assert [len(one["names"]) for one in _applications.application_batches(two, ["sa"], ["both"])] == [2]
    for left, beside in (("a", "b"), ("b", "a")):
        found = _applications.application_batches(two, ["sa"], ["both"], without=[left])
        assert [one["names"] for one in found] == [[{"name": beside}]]
    assert len(_applications.application_batches(two, ["sa"], ["both"], apart=True)) == 2
    assert names(without=["b"], apart=True) == [["a"], ["c"]]


def test_they_are_told_in_words():
    assert _machines.told_silent({}) == "" == _machines.told_silent({"machines": {}, "clusters": {}})
    assert (
        _machines.told_silent({"machines": {"m": "refused"}, "clusters": {"f": "late"}})
        == "m (refused); the API server of application f (late)"
    )
    assert (
        _machines.told_silent({"clusters": {_machines.of_mirror("x"): "late"}}) == "the API server of mirror x (late)"
    )
