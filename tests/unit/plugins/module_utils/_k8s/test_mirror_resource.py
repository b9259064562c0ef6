# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirror description as a KafkaMirrorMaker2 resource, in the three API versions."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.mirrors import reverse_of
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import mirror_resource as r
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import mirror_versions

# A busy machine is no finding.
calmly = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

MIRROR = {
    "name": "backup",
    "source": "na",
    "target": "eu",
    "topics": ["orders.*", "items"],
    "tuning": {"tasks_max": 4, "replication_factor": 3},
}
CLIENTS = {
    region: {
        "bootstrap.servers": f"{region}:9093",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "mm2",
    }
    for region in ("na", "eu")
}
SECRETS = {
    region: {"ca": {"secret": f"{region}-ca"}, "password": {"secret": f"{region}-mm2", "key": "password"}}
    for region in ("na", "eu")
}


def render(api_version=mirror_versions.STRIMZI_GROUP + "/v1", mirror=None, **more):
    return r.mirror_resource(mirror or MIRROR, CLIENTS, SECRETS, api_version, **more)


def test_v1_names_target_and_source():
    spec = render()["spec"]
    assert spec["target"]["alias"] == "eu"
    assert {"groupId", "configStorageTopic", "offsetStorageTopic", "statusStorageTopic"} <= set(spec["target"])
    assert spec["mirrors"][0]["source"]["bootstrapServers"] == "na:9093"
    assert "heartbeatConnector" not in spec["mirrors"][0]
    assert "clusters" not in spec and "connectCluster" not in spec


@pytest.mark.parametrize("api_version", mirror_versions.API_VERSIONS[1:])
def test_v1beta2_names_clusters(api_version):
    made = render(api_version)
    spec = made["spec"]
    assert made["apiVersion"] == api_version
    assert spec["connectCluster"] == "eu"
    assert [one["alias"] for one in spec["clusters"]] == ["na", "eu"]
    assert (spec["mirrors"][0]["sourceCluster"], spec["mirrors"][0]["targetCluster"]) == ("na", "eu")
    assert spec["mirrors"][0]["heartbeatConnector"]["config"]["heartbeats.topic.replication.factor"] == "3"
    assert "target" not in spec and "source" not in spec["mirrors"][0]


def test_both_shapes_run_the_same_connect_cluster():
    new, old = render()["spec"]["target"], render(mirror_versions.API_VERSIONS[1])["spec"]["clusters"][1]["config"]
    assert new["groupId"] == old["group.id"]
    assert new["offsetStorageTopic"] == old["offset.storage.topic"] == "mm2-offsets.na.internal"
    assert new["config"]["exactly.once.source.support"] == old["exactly.once.source.support"] == "enabled"


def test_tasks_are_the_operators_field():
    connector = render()["spec"]["mirrors"][0]["sourceConnector"]
    assert connector["tasksMax"] == 4
    assert "tasks.max" not in connector["config"]


def test_secrets_are_references_only():
    source = render()["spec"]["mirrors"][0]["source"]
    assert source["authentication"] == {
        "type": "scram-sha-512",
        "username": "mm2",
        "passwordSecret": {"secretName": "na-mm2", "password": "password"},
    }
    assert source["tls"]["trustedCertificates"] == [{"secretName": "na-ca", "pattern": "*.crt"}]
    assert render(mirror_versions.API_VERSIONS[2])["spec"]["clusters"][0]["tls"]["trustedCertificates"] == [
        {"secretName": "na-ca", "certificate": "ca.crt"}
    ]


def test_mutual_tls():
    clients = {region: {"bootstrap.servers": "x:1", "security.protocol": "SSL"} for region in ("na", "eu")}
    secrets = {region: {"certificate": {"secret": "mm2"}} for region in ("na", "eu")}
    source = r.mirror_resource(MIRROR, clients, secrets)["spec"]["mirrors"][0]["source"]
    assert source["authentication"] == {
        "type": "tls",
        "certificateAndKey": {"secretName": "mm2", "certificate": "user.crt", "key": "user.key"},
    }
    assert source["tls"] == {"trustedCertificates": []}


@pytest.mark.parametrize("state", r.STATES)
def test_state_is_on_every_connector(state):
    flow = render(mirror_versions.API_VERSIONS[1], state=state)["spec"]["mirrors"][0]
    assert {flow[field]["state"] for field in r.CONNECTOR_FIELDS.values()} == {state}


def test_state_can_be_left_out():
    assert "state" not in render(state=None)["spec"]["mirrors"][0]["sourceConnector"]


def test_further_fields_are_merged_in():
    fields = {
        "metadata": {"labels": {"team": "dr"}},
        "spec": {
            "template": {"pod": {"metadata": {"annotations": {"productID": "abc"}}}},
            "jvmOptions": {"-Xmx": "2g"},
            "logging": {"type": "inline"},
            "mirrors": [{"sourceConnector": {"autoRestart": {"enabled": True}}}],
        },
    }
    made = render(fields=fields)
    assert made["metadata"] == {"name": "backup", "labels": {"team": "dr"}}
    assert made["spec"]["template"]["pod"]["metadata"]["annotations"]["productID"] == "abc"
    assert made["spec"]["mirrors"][0]["sourceConnector"]["tasksMax"] == 4
    assert made["spec"]["mirrors"][0]["sourceConnector"]["autoRestart"] == {"enabled": True}


def test_clusters_are_merged_by_alias():
    made = render(
        mirror_versions.API_VERSIONS[1],
        fields={"spec": {"clusters": [{"alias": "eu", "config": {"client.rack": "a"}}]}},
    )
    assert [one["alias"] for one in made["spec"]["clusters"]] == ["na", "eu"]
    assert made["spec"]["clusters"][1]["config"]["client.rack"] == "a"
    assert made["spec"]["clusters"][1]["config"]["group.id"] == "na-mm2"


@pytest.mark.parametrize(
    "api_version,fields",
    [
        (mirror_versions.API_VERSIONS[0], {"connectCluster": "eu"}),
        (mirror_versions.API_VERSIONS[0], {"mirrors": [{"heartbeatConnector": {}}]}),
        (mirror_versions.API_VERSIONS[1], {"target": {"alias": "eu"}}),
    ],
)
def test_refuses_fields_of_the_other_shape(api_version, fields):
    with pytest.raises(UsageError, match="do not fit"):
        render(api_version, fields={"spec": fields})


@pytest.mark.parametrize(
    "change,words", [({"topics": ["a{1,3}"]}, "quantifier"), ({"topics": ["a("]}, "regular expression")]
)
def test_refuses_patterns_that_cannot_be_written(change, words):
    with pytest.raises(UsageError, match=words):
        render(mirror={**MIRROR, **change})


def test_refuses_what_it_does_not_know():
    with pytest.raises(UsageError, match="not known"):
        render("kafka.strimzi.io/v1alpha1")
    with pytest.raises(UsageError, match="no Kafka client"):
        r.mirror_resource(MIRROR, {"na": CLIENTS["na"]}, SECRETS)
    with pytest.raises(UsageError, match="no password Secret"):
        r.mirror_resource(MIRROR, CLIENTS, {})
    with pytest.raises(UsageError, match="state"):
        render(state="broken")


def test_inline_flags_stay_with_their_pattern():
    assert r.alternation(["(?i:ab)", "cd"]) == "(?i:ab)|cd"
    with pytest.raises(UsageError, match="global flags"):
        r.alternation(["(?i)ab", "cd"])


@calmly
@given(
    st.lists(st.text(alphabet="ab,c.", min_size=1, max_size=6), min_size=1, max_size=4),
    st.text(alphabet="ab,c", max_size=6),
)
def test_an_alternation_survives_the_split_at_commas(patterns, name):
    written = r.alternation(patterns)
    as_mirror_maker_reads_it = "|".join(part.strip() for part in written.split(","))
    assert "," not in written
    assert bool(re.fullmatch(as_mirror_maker_reads_it, name)) == any(re.fullmatch(one, name) for one in patterns)


def test_reads_with_the_version_that_shows_both_shapes():
    assert mirror_versions.reading_version(["v1", "v1beta2"]) == "v1beta2"
    assert mirror_versions.reading_version(["v1"]) == "v1"
    with pytest.raises(RefusedError, match="no version"):
        mirror_versions.reading_version([])


def test_writes_with_the_version_of_the_shape():
    old, new = render(mirror_versions.API_VERSIONS[1]), render()
    assert mirror_versions.writing_version(["v1", "v1beta2"], old) == "v1beta2"
    assert mirror_versions.writing_version(["v1", "v1beta2"], new) == "v1"
    assert mirror_versions.writing_version(["v1", "v1beta2"]) == "v1"
    assert mirror_versions.writing_version(["v1beta2"]) == "v1beta2"
    assert mirror_versions.writing_version(["v1beta2"], new) == "v1beta2"
    with pytest.raises(RefusedError, match="v1beta2 to be served"):
        mirror_versions.writing_version(["v1"], old)
    with pytest.raises(RefusedError, match="neither shape"):
        mirror_versions.writing_version(["v1"], {"metadata": {"name": "x"}, "spec": {"replicas": 1}})


def test_a_mirror_that_only_brings_records_back_has_no_checkpoint_connector():
    """Connect refuses one that neither emits checkpoints nor synchronizes groups."""
    for version in mirror_versions.API_VERSIONS:
        made = render(version, reverse_of(MIRROR, "restore"))
        assert (
            "checkpointConnector" not in made["spec"]["mirrors"][0] and "sourceConnector" in made["spec"]["mirrors"][0]
        )


@pytest.mark.parametrize("key", ["topicsPattern", "topicsExcludePattern", "groupsPattern", "groupsExcludePattern"])
def test_fields_may_not_choose_other_topics_or_groups_than_the_stages_know(key):
    with pytest.raises(UsageError, match=f"{key}.*topics, topics_exclude, groups or groups_exclude"):
        render(fields={"spec": {"mirrors": [{key: "audit"}]}})
