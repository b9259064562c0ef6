# SPDX-License-Identifier: GPL-3.0-or-later
"""A client that asked for a topic before it was there sees it once it is."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.offsets import list_offsets, topic_offsets
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import describe_topics
from tests.support import offsets_lab as lab
from tests.support.kafka import clusters

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = clusters(["a"], tmp_path_factory.mktemp("new_topics"))["a"]
    lab.create(made, ("there", 1, {}))
    yield made
    made.stop()


# librdkafka answers by itself for a topic that it does not know, as soon as it knows another one.
KNOWS = {
    "nothing": lambda client: None,
    "all": lambda client: client.metadata(),
    "one": lambda client: describe_topics(client, ["there"]),
}


@pytest.mark.parametrize("gone", ["error", "waited for", "left out"])
@pytest.mark.parametrize("knows", sorted(KNOWS))
def test_a_topic_made_after_the_first_question_is_seen(cluster, knows, gone):
    topic = f"late-{knows}-{gone.replace(' ', '-')}"
    client = KafkaClient(cluster.client, timeout=5)
    KNOWS[knows](client)
    if gone == "left out":
        assert list_offsets(client, [(topic, 0)], gone=gone) == {}
    else:
        with pytest.raises(KafkaDrError) as refused:
            list_offsets(client, [(topic, 0)], gone=gone)
        assert refused.value.facts["code"] == "UNKNOWN_TOPIC_OR_PART"
    lab.create(cluster, (topic, 1, {}))
    assert topic_offsets(client, {topic: 1}, gone="waited for" if gone == "left out" else gone) == {
        topic: {"0": {"start": 0, "end": 0, "stable": 0}}
    }
