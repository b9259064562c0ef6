# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.mirror_config import (
    checked,
    checkpoints_topic,
    connector_configs,
    offset_syncs_topic,
    policy_class,
)

MIRROR = {"name": "backup", "source": "a", "target": "b"}


def test_policy_and_syncs_place_are_the_same_on_all_connectors():
    configs = connector_configs({**MIRROR, "policy": "default", "separator": "_"})
    for side in ("source", "checkpoint", "heartbeat"):
        assert configs[side]["replication.policy.class"] == "org.apache.kafka.connect.mirror.DefaultReplicationPolicy"
        assert configs[side]["replication.policy.separator"] == "_"
        assert configs[side]["offset-syncs.topic.location"] == "target"


def test_all_values_are_text_and_truths_are_lower_case():
    configs = connector_configs(
        {**MIRROR, "config": {"source": {"sync.topic.configs.enabled": False, "offset.lag.max": 0}}}
    )
    assert all(isinstance(value, str) for settings in configs.values() for value in settings.values())
    assert configs["source"]["sync.topic.configs.enabled"] == "false" and configs["source"]["offset.lag.max"] == "0"


def test_what_is_copied_is_what_the_patterns_say():
    assert connector_configs(MIRROR)["source"]["heartbeats.replication.enabled"] == "false"


def test_intervals_of_seconds_stay_below_an_hour():
    for settings in connector_configs(MIRROR).values():
        assert all(int(value) <= 3600 for key, value in settings.items() if key.endswith("interval.seconds"))


def test_the_users_own_settings_win():
    assert (
        connector_configs({**MIRROR, "config": {"source": {"consumer.max.poll.records": 7}}})["source"][
            "consumer.max.poll.records"
        ]
        == "7"
    )


def test_big_records_fit_through_consumer_and_producer():
    source = connector_configs({**MIRROR, "tuning": {"max_record_bytes": 10485760}})["source"]
    assert source["producer.override.max.request.size"] == source["consumer.max.partition.fetch.bytes"] == "10485760"


def test_replication_factor_reaches_every_internal_topic():
    configs = connector_configs({**MIRROR, "tuning": {"replication_factor": 3}})
    assert {
        value for settings in configs.values() for key, value in settings.items() if key.endswith("replication.factor")
    } == {"3"}
    assert len([key for settings in configs.values() for key in settings if key.endswith("replication.factor")]) == 7


def test_patterns_may_be_a_list_or_one_text():
    assert (
        checked({**MIRROR, "topics": "a, b"})["topics"]
        == checked({**MIRROR, "topics": ["a", "b"]})["topics"]
        == ["a", "b"]
    )
    assert "__.*" in checked({**MIRROR, "topics_exclude": ["c"]})["topics_exclude"]


def test_blanks_around_a_pattern_are_none_of_it():
    """MirrorMaker 2 takes them away from each item of its list (ConfigDef)."""
    assert checked({**MIRROR, "topics": [" a", "b "]})["topics"] == ["a", "b"]
    assert checked({**MIRROR, "topics": [" "]})["topics"] == [".*"]
    assert checked({**MIRROR, "topics_exclude": [" c "]})["topics_exclude"][-1] == "c"


def test_internal_topics_follow_the_separator():
    assert offset_syncs_topic(MIRROR) == "mm2-offset-syncs.a.internal"
    assert checkpoints_topic({**MIRROR, "separator": "-"}) == "a-checkpoints-internal"


def test_a_policy_may_be_any_class():
    assert policy_class("com.example.Mine") == "com.example.Mine"


@pytest.mark.parametrize(
    "mirror, words",
    [
        ("backup", "not described"),
        ({**MIRROR, "tasks": 3}, "unknown keys.*tasks"),
        ({**MIRROR, "tuning": {"speed": 3}}, "tuning.speed"),
        ({"name": "x", "source": "a"}, "has no target"),
        ({"name": "x", "source": "a", "target": "a"}, "into itself"),
    ],
)
def test_refuses_a_wrong_description(mirror, words):
    with pytest.raises(UsageError, match=words):
        checked(mirror)


def test_calls_to_a_lost_source_are_given_up_early_and_no_client_refuses_that():
    made = connector_configs(MIRROR)
    for side in ("source", "checkpoint"):
        # A client does not start whose calls may end before its requests.
        assert (
            made[side]["source.admin.request.timeout.ms"]
            == made[side]["source.admin.default.api.timeout.ms"]
            == "15000"
        )
