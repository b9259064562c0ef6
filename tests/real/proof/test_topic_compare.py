# SPDX-License-Identifier: GPL-3.0-or-later
"""The quick comparison: what it shows without reading, and that with content it agrees with the Spark job."""

from __future__ import annotations

import zipfile

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.never_synced import NEVER_SYNCED
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.topic_compare_info import topic_compare_info
from kafka_dr_lab.kafka_home import KAFKA_VERSION, kafka_home

from . import support
from .cases import BASE

pytestmark = pytest.mark.real

DEFAULTS = {
    "source_client_secrets": {},
    "target_client_secrets": {},
    "timeout": 30,
    "rename": "identity",
    "content": False,
    "max_records": 200000,
    "max_differences": 100,
    "mirrored_through": {},
    "ignore_timestamps": False,
    "source_alias": None,
    "offsets_topic": None,
}


@pytest.fixture(scope="module")
def compare(pair):
    support.create(
        pair["source"],
        {
            "quick.a": (1, {"min.insync.replicas": 1}),
            "quick.b": (2, {"retention.ms": 99000000, "message.timestamp.after.max.ms": 99000000}),
            "quick.c": (1, {}),
        },
    )
    support.create(pair["target"], {"quick.a": (1, {"min.insync.replicas": 2}), "quick.b": (3, {})})
    support.write(pair["source"], {"quick.a": BASE})
    support.write(pair["target"], {"quick.a": BASE[:10] + BASE[11:]})
    clients = {"source_client": pair["source"].client, "target_client": pair["target"].client}
    return lambda topics, **more: topic_compare_info({**DEFAULTS, **clients, "topics": topics, **more})


def test_watermarks_are_indicative(compare):
    found = compare(r"quick\..*")
    assert (found["verdict"], found["complete"], found["changed"]) == ("DIFFERENT", False, False)
    assert "indicative" in found["reasons"][0]
    topics = {topic["topic"]: topic for topic in found["topics"]}
    assert (found["totals"]["records_source"], found["totals"]["records_target"]) == (40, 39)
    assert topics["quick.a"]["config_differences"] == [
        {"name": "min.insync.replicas", "source": "1", "target": "2", "synced": False}
    ]
    differing = [(one["name"], one["synced"]) for one in topics["quick.b"]["config_differences"]]
    assert differing == [("message.timestamp.after.max.ms", True), ("retention.ms", True)]
    assert "2 partitions on the source, 3 on the target" in topics["quick.b"]["reasons"]
    assert topics["quick.c"]["reasons"] == ["the topic is missing on the target"]


def test_what_is_never_synced_is_what_mirror_maker_leaves_out():
    jar = kafka_home() / "libs" / f"connect-mirror-{KAFKA_VERSION}.jar"
    name = "org/apache/kafka/connect/mirror/DefaultConfigPropertyFilter.class"
    expected = ", ".join(NEVER_SYNCED).encode()
    # A class file has a constant's length before it.
    assert len(expected).to_bytes(2, "big") + expected in zipfile.ZipFile(jar).read(name)


def test_equal_counts_are_not_called_complete(compare, pair):
    support.create(pair["source"], {"quick.same": (1, {})})
    support.create(pair["target"], {"quick.same": (1, {})})
    found = compare(r"quick\.same")
    assert (found["verdict"], found["complete"]) == ("NOT_PROVABLE", False)


def test_content_names_the_loss(compare):
    found = compare(r"quick\.a", content=True)
    part = found["topics"][0]["partitions"][0]
    assert (found["verdict"], part["missing"], part["differences"][0]["source_offset"]) == ("LOSS", 1, 10)
    assert found["configs_differ"] == 1


def test_too_much_is_refused(compare):
    with pytest.raises(RefusedError, match="max_records"):
        compare(r"quick\.a", content=True, max_records=5)


def test_lag_is_told_by_the_mirrors_own_offsets(compare, pair):
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient

    topic = "mm2-offsets.source.internal"
    support.create(pair["target"], {topic: (1, {"cleanup.policy": "compact"})})
    producer = KafkaClient(pair["target"].client).producer()
    producer.produce(
        topic, b'{"offset":29}', b'["MirrorSourceConnector",{"cluster":"source","partition":0,"topic":"quick.a"}]'
    )
    producer.flush(10)
    found = compare(r"quick\.[ab]", source_alias="source")
    lags = {(one["topic"], part["partition"]): part["lag"] for one in found["topics"] for part in one["partitions"]}
    assert lags[("quick.a", 0)] == 10
    assert lags[("quick.b", 0)] is None
