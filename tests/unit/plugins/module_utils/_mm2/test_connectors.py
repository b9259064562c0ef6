# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirror as connectors says the same as the dedicated MirrorMaker 2."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._lint import lint
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.connectors import (
    connector_names,
    mirror_connectors,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.properties import mirror_properties

MIRROR = {
    "name": "backup",
    "source": "a",
    "target": "b",
    "topics": ["orders.*", "x,y"],
    "groups": ["g"],
    "groups_exclude": ["h"],
    "config": {"checkpoint": {"x": 1}},
    "tuning": {"replication_factor": 3},
}
SCRAM = {
    "bootstrap.servers": "a:9093",
    "security.protocol": "sasl_ssl",
    "sasl.mechanism": "SCRAM-SHA-512",
    "sasl.username": "mirror",
    "ssl.ca.pem": "PEM",
}
CLIENTS = {"a": SCRAM, "b": {**SCRAM, "bootstrap.servers": "b:9093"}}
REFERENCE = "${file:/etc/{mirror}.properties:{region}.{key}}"


def made(mirror=None, **more):
    return {
        one["name"].rpartition(".")[2]: one["config"]
        for one in mirror_connectors(mirror or MIRROR, CLIENTS, REFERENCE, **more)
    }


def test_every_setting_of_the_flow_of_a_dedicated_process_reaches_its_connector():
    dedicated = mirror_properties(MIRROR, CLIENTS, "/etc/backup.properties")
    flow = {key[len("a->b.") :]: value for key, value in dedicated.items() if key.startswith("a->b.")}
    flow.pop("enabled")
    everything = {key: value for config in reversed(made().values()) for key, value in config.items()}
    assert {key: everything.get(key) for key in flow} == flow
    for region, prefix in (("a", "source.cluster."), ("b", "target.cluster.")):
        for key, value in dedicated.items():
            if (
                key.startswith(region + ".")
                and "exactly.once" not in key
                and "storage" not in key
                and "flush" not in key
            ):
                for config in made().values():
                    assert config[prefix + key[2:]] == value


def test_only_references_to_secrets():
    for config in made().values():
        for prefix in (
            "source.cluster.",
            "target.cluster.",
            "producer.override.",
            "consumer.override.",
            "admin.override.",
        ):
            region = "a" if prefix.startswith("source") else "b"
            assert (
                'password="${file:/etc/backup.properties:%s.sasl.password}"' % region
                in config[prefix + "sasl.jaas.config"]
            )


def test_positions_go_beside_the_copies_and_exactly_once_is_demanded():
    assert {config["offsets.storage.topic"] for config in made().values()} == {"mm2-offsets.a.internal"}, (
        "the mirror may not use the workers' own topic"
    )
    assert not any("offsets.storage.topic" in config for config in made(own_offsets=False).values())
    assert made()["MirrorSourceConnector"]["exactly.once.support"] == "required"
    assert made(dict(MIRROR, exactly_once=False))["MirrorSourceConnector"]["exactly.once.support"] == "requested"


def test_converters_that_change_nothing():
    for config in made().values():
        assert {config[kind + ".converter"].rpartition(".")[2] for kind in ("key", "value", "header")} == {
            "ByteArrayConverter"
        }


def test_patterns_as_the_dedicated_one_has_them():
    assert made()["MirrorSourceConnector"]["topics"] == "orders.*,x\\x2cy"
    assert "groups" not in made()["MirrorSourceConnector"] and made()["MirrorCheckpointConnector"][
        "groups.exclude"
    ].endswith(",h")


def test_the_workers_own_client_where_overrides_are_not_allowed():
    for config in made(own_client=False).values():
        assert not [
            key
            for key in config
            if key.startswith(
                ("admin.override", "consumer.override", "producer.override.sasl", "producer.override.bootstrap")
            )
        ]


def test_names_are_found_by_those_who_look_for_any_source_connector():
    assert connector_names(MIRROR)["source"] == "backup.MirrorSourceConnector"


def test_lint_has_nothing_against_them():
    assert [
        one for one in lint(mirror_connectors(dict(MIRROR, config={}), CLIENTS, REFERENCE)) if one["severity"] != "info"
    ] == []


@pytest.mark.parametrize(
    "mirror, clients, reference, says",
    [
        (MIRROR, {"a": SCRAM}, REFERENCE, "region b"),
        (dict(MIRROR, config={"worker": {"plugin.path": "/x"}}), CLIENTS, REFERENCE, "plugin.path"),
        (MIRROR, CLIENTS, "hunter2", "reference"),
        (MIRROR, CLIENTS, "${file:/x:password}", "reference"),
    ],
)
def test_what_cannot_be_said_to_connect(mirror, clients, reference, says):
    with pytest.raises(UsageError, match=says) as caught:
        mirror_connectors(mirror, clients, reference)
    assert "hunter2" not in str(caught.value)
