# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.mirror_resource import mirror_resource
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.mirror_versions import API_VERSIONS
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._lint import lint
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.properties import (
    mirror_properties,
    render_properties,
)
from tests.support.linted import CLIENTS, MIRROR, rules


def changed(**keys):
    """Our own properties with some lines changed (``F_`` is the flow's prefix) or, with None, taken out."""
    made = mirror_properties(MIRROR, CLIENTS, "/secrets", rest_port=8083)
    for key, value in keys.items():
        made[key.replace("F_", "a->b.").replace("_", ".")] = value
    return {key: value for key, value in made.items() if value is not None}


@pytest.mark.parametrize(
    "more",
    [{}, {"exactly_once": False}, {"policy": "default", "separator": "_"}, {"tuning": {"max_record_bytes": 10485760}}],
)
def test_nothing_is_found_in_what_we_render(more):
    mirror = {**MIRROR, **more}
    assert lint(mirror) == []
    assert lint(render_properties(mirror_properties(mirror, CLIENTS, "/secrets", rest_port=8083))) == []
    for version in API_VERSIONS:
        assert not [
            one for one in lint(mirror_resource(mirror, CLIENTS, api_version=version)) if one["severity"] != "info"
        ]


@pytest.mark.parametrize(
    "setting, value, rule, severity",
    [
        ("F_refresh.topics.interval.seconds", "600000", "interval-unit", "error"),
        ("F_sync.group.offsets.interval.seconds", "1200", "interval-unit", "warning"),
        ("F_emit.checkpoints.interval.seconds", "-1", "interval-off", "warning"),
        ("F_consumer.isolation.level", None, "isolation", "error"),
        ("F_consumer.isolation.level", "read_uncommitted", "isolation", "error"),
        ("dedicated.mode.enable.internal.rest", None, "exactly-once-rest", "error"),
        ("b.exactly.once.source.support", "preparing", "exactly-once-preparing", "warning"),
        ("b.exactly.once.source.support", None, "duplicates", "warning"),
        ("F_producer.override.acks", "1", "acks", "error"),
        ("b.producer.acks", "1", "acks", "error"),
        ("F_header.converter", "org.apache.kafka.connect.storage.SimpleHeaderConverter", "header-converter", "error"),
        ("F_value.converter", "org.apache.kafka.connect.json.JsonConverter", "value-converter", "error"),
        ("F_consumer.auto.offset.reset", "latest", "auto-offset-reset", "error"),
        ("F_errors.tolerance", "all", "errors-tolerance", "error"),
        ("F_transforms", "route", "transforms", "warning"),
        ("F_producer.max.request.size", "10485760", "producer-without-override", "warning"),
        ("F_producer.override.max.request.size", "20971520", "big-records", "info"),
        ("F_tasks.max", "1", "one-task", "info"),
        ("F_emit.checkpoints.enabled", "false", "off-emit-checkpoints", "error"),
        ("F_emit.offset-syncs.enabled", "false", "off-emit-offset-syncs", "error"),
        ("F_sync.group.offsets.enabled", "false", "off-sync-group-offsets", "warning"),
        ("F_sync.group.offsets.enabled", None, "off-sync-group-offsets", "warning"),
        ("F_refresh.topics.enabled", "false", "off-refresh-topics", "error"),
        ("F_refresh.groups.enabled", "false", "off-refresh-groups", "error"),
        ("F_sync.topic.configs.enabled", "false", "off-sync-topic-configs", "warning"),
        ("b.offset.flush.interval.ms", "600000", "flush-interval", "warning"),
        ("F_offset.lag.max", "1", "offset-lag-max", "info"),
        ("F_offset.lag.max", "5000", "offset-lag-max", "warning"),
        ("F_offset-syncs.topic.location", "source", "offset-syncs-at-source", "error"),
        ("F_offset-syncs.topic.location", None, "offset-syncs-at-source", "error"),
        ("F_sync.topic.acls.enabled", None, "acl-sync", "warning"),
        ("F_config.properties.exclude", "retention\\.ms", "config-exclude", "warning"),
        ("F_topics.blacklist", "secret", "old-name", "error"),
        ("F_topics.whitelist", "orders", "old-name", "error"),
        ("F_groups.blacklist", "x", "old-name", "error"),
        ("F_use.incremental.alter.configs", "required", "old-name", "warning"),
        ("F_offset.lag.maximum", "1", "unknown-setting", "warning"),
        (
            "F_replication.policy.class",
            "io.strimzi.kafka.connect.mirror.IdentityReplicationPolicy",
            "policy-of-old-product",
            "error",
        ),
        (
            "F_replication.policy.class",
            "org.apache.kafka.connect.mirror.LegacyReplicationPolicy",
            "policy-of-old-product",
            "error",
        ),
        ("F_replication.policy.class", "com.example.Mine", "policy-of-ones-own", "info"),
        ("F_topics.exclude", "secret", "internal-topics", "warning"),
        ("F_topics", "a{1,2}", "comma-in-pattern", "error"),
        ("F_topics", "orders*", "glob-pattern", "warning"),
        ("F_topics", "orders,patient-heartbeats", "renamed-by-policy", "warning"),
        ("F_topics", "orders,__orders", "never-copied", "error"),
        ("a.bootstrap.servers", None, "no-address", "error"),
        ("a.bootstrap.servers", "b:9092", "same-cluster", "error"),
        ("a.ssl.endpoint.identification.algorithm", "", "name-not-verified", "warning"),
        ("F_replication.factor", "1", "replication-factor", "info"),
        ("b->a.emit.heartbeats.enabled", None, "reverse-heartbeats", "info"),
        ("consumer.isolation.level", "read_committed", "unheard-setting", "error"),
        ("offset.flush.interval.ms", "5000", "unheard-setting", "error"),
        ("b->c.enabled", "true", "flow-of-unknown-cluster", "error"),
        ("F_enabled", "false", "nothing-runs", "error"),
        ("b->a.topics", "x", None, None),
    ],
)
def test_each_trap_in_a_properties_file(setting, value, rule, severity):
    made = mirror_properties(MIRROR, CLIENTS, "/secrets", rest_port=8083)
    made[setting.replace("F_", "a->b.")] = value
    found = lint({key: value for key, value in made.items() if value is not None})
    if rule is None:
        assert not [one for one in found if one["severity"] == "error"]
        return
    hits = [one for one in found if one["rule"] == rule]
    assert hits and hits[0]["severity"] == severity, found
    assert all(hits[0][key] for key in ("where", "found", "reason", "fix")), hits[0]


def test_exactly_once_without_the_targets_prefix_is_heard_by_nobody():
    made = changed(**{"b.exactly.once.source.support": None})
    made["exactly.once.source.support"] = "enabled"
    assert "exactly-once-unheard" in rules(made, "error")


def test_a_secret_in_clear_is_named_and_not_shown():
    made = changed()
    made["a.sasl.jaas.config"] = 'x required username="u" password="hunter2";'
    made["b.ssl.keystore.password"] = "hunter2"
    hits = [one for one in lint(made) if one["rule"] == "secret-in-clear"]
    assert len(hits) == 2 and "hunter2" not in str(hits)


def test_a_reference_to_a_secret_is_none_in_clear():
    made = changed()
    made["a.sasl.jaas.config"] = 'x required username="u" password="${file:/s:a.sasl.password}";'
    assert "secret-in-clear" not in rules(made)


def test_records_overtake_each_other_without_idempotence():
    made = mirror_properties({**MIRROR, "exactly_once": False}, CLIENTS, "/secrets")
    del made["a->b.producer.override.enable.idempotence"]
    assert {"order", "duplicates"} <= rules(made)


def test_identity_in_a_circle():
    assert "loop" in rules([MIRROR, {"name": "back", "source": "b", "target": "a"}], "error")
    circle = [MIRROR, {"name": "two", "source": "b", "target": "c"}, {"name": "three", "source": "c", "target": "a"}]
    assert "loop" in rules(circle, "error")


def test_no_circle_where_names_change_or_topics_never_overlap():
    both = [MIRROR, {"name": "back", "source": "b", "target": "a"}]
    assert "loop" not in rules([{**one, "policy": "default"} for one in both])
    assert "loop" not in rules([{**both[0], "topics": ["orders\\..*"]}, {**both[1], "topics": ["stock\\..*"]}])
    assert "loop" in rules([{**both[0], "topics": ["orders.*"]}, {**both[1], "topics": ["orders\\.eu.*"]}])


def test_two_sources_into_one_name():
    two = [{**MIRROR, "target": "c"}, {"name": "two", "source": "b", "target": "c"}]
    assert "merged-topics" in rules(two)
    assert "merged-topics" not in rules([{**one, "policy": "default"} for one in two])


def test_an_alias_that_holds_the_separator():
    assert "alias-holds-separator" in rules(
        {"name": "x", "source": "eu.west", "target": "b", "policy": "default"}, "error"
    )


def test_connectors_of_plain_kafka_connect():
    connector = {
        "name": "copy",
        "config": {
            "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
            "source.cluster.alias": "a",
            "target.cluster.alias": "b",
            "topics": "orders",
        },
    }
    found = rules(connector, "error")
    assert {"header-converter", "key-converter", "value-converter", "offset-syncs-at-source"} <= found


@pytest.mark.parametrize(
    "subject", [None, 7, {}, {"a": 1}, [], "nothing=here", [{"config": {"connector.class": "FileStream"}}]]
)
def test_refuses_what_is_no_mirror(subject):
    with pytest.raises(UsageError):
        lint(subject)
