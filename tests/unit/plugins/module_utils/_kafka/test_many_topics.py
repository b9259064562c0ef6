# SPDX-License-Identifier: GPL-3.0-or-later
"""More topics than a controller takes in one request."""

from __future__ import annotations

from collections import Counter

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import TimedOutError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka import topic_changes, topic_settings
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.portions import requests

# QuorumController.MAX_RECORDS_PER_USER_OP
MOST = 10_000


class Controller:
    """It notes the records of each request, and refuses too many as a controller does."""

    def __init__(self):
        self.topics, self.requests = {}, Counter()

    def _take(self, what, records):
        self.requests[what] += 1
        assert records <= MOST, "Unable to perform excessively large batch operation."

    def create_topics(self, new, **dummy):
        self._take("create", sum(1 + topic.num_partitions + len(topic.config) for topic in new))
        self.topics |= {topic.topic: (topic.num_partitions, dict(topic.config)) for topic in new}
        return dict.fromkeys(topic.topic for topic in new)

    def create_partitions(self, asked, **dummy):
        self._take("widen", sum(topic.new_total_count for topic in asked))
        self.topics |= {topic.topic: (topic.new_total_count, self.topics[topic.topic][1]) for topic in asked}
        return dict.fromkeys(topic.topic for topic in asked)

    def delete_topics(self, names, **dummy):
        self._take("delete", len(names))
        self.topics = {name: topic for name, topic in self.topics.items() if name not in names}
        return dict.fromkeys(names)

    def incremental_alter_configs(self, resources, **dummy):
        self._take("configure", sum(len(resource.incremental_configs) for resource in resources))
        for resource in resources:
            self.topics[resource.name][1].update({entry.name: entry.value for entry in resource.incremental_configs})
        return dict.fromkeys(resources)


class Client:
    name, timeout = "kafka", 1

    def __init__(self):
        self.admin = Controller()

    def metadata(self):
        return None

    def ask(self, dummy, call):
        return call()

    def result(self, *dummy):
        return None


@pytest.fixture
def client(monkeypatch):
    found = Client()

    def describe(client, names):
        held = client.admin.topics
        return {name: {"id": name, "partitions": held[name][0]} for name in names if name in held}

    def configs(client, names):
        return {name: client.admin.topics[name][1] for name in names}

    monkeypatch.setattr(topic_changes, "describe_topics", describe)
    for module in (topic_changes, topic_settings):
        monkeypatch.setattr(module, "topic_configs", configs)
    return found


def wanted(count, partitions, **configs):
    return [{"name": f"t{number}", "partitions": partitions, "configs": configs} for number in range(count)]


def test_they_are_created_widened_configured_and_deleted_in_several(client):
    def ensure(topics, state="present"):
        return topic_changes.ensure_topics(client, topics, state, False)

    assert len(ensure(wanted(1000, 10, **{"retention.ms": -1}))["created"]) == 1000
    assert len(ensure(wanted(1000, 20))["altered"]) == 1000
    settings = {f"setting.{number}": number for number in range(12)}
    assert len(ensure(wanted(1000, 20, **settings))["altered"]) == 1000
    assert {(count, len(configs)) for count, configs in client.admin.topics.values()} == {(20, 13)}
    assert len(ensure(wanted(1000, 20), "absent")["deleted"]) == 1000 and not client.admin.topics
    assert client.admin.requests == {"create": 3, "widen": 4, "configure": 4, "delete": 1}


@pytest.mark.parametrize(
    ("sizes", "found"),
    [
        ([], []),
        ([1, 2], [[1, 2]]),
        ([4999, 1, 1], [[4999, 1], [1]]),
        ([6000], [[6000]]),
        ([1, 6000, 1], [[1], [6000], [1]]),
    ],
    ids=["none", "few", "full", "large", "large between"],
)
def test_requests_hold_as_much_as_a_controller_takes(sizes, found):
    assert list(requests(sizes, lambda size: size)) == found


@pytest.mark.parametrize("shown", [300, 999])
def test_a_cluster_that_shows_one_after_the_other_is_waited_for_and_one_that_shows_no_more_is_not(
    monkeypatch, client, shown
):
    clock, seen = [0.0], [0]
    monkeypatch.setattr(topic_changes.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(topic_changes.time, "sleep", lambda seconds: clock.__setitem__(0, clock[0] + 0.9))

    def describe(dummy, names):
        seen[0] = min(seen[0] + 1, shown)
        return {name: {} for name in names[: seen[0]]}

    monkeypatch.setattr(topic_changes, "describe_topics", describe)
    names = [f"t{number}" for number in range(1000)]
    topic_changes.await_topics(client, names[:shown], True)
    assert clock[0] > 200
    with pytest.raises(TimedOutError, match=f"not created {1000 - shown} topics, and none of them for 1 s"):
        topic_changes.await_topics(client, names, True)
