# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of groups that a MirrorMaker 2 would act on: it reads no file for one, and makes no other group of one."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import every_group
from tests.real.hosts.mirrors import Mirror, commit, committed, create, send, until
from tests.support.kafka import own_clusters

pytestmark = pytest.mark.real

TOPIC = "hostile.items"
PLAIN, SECRET = "hostile-plain", "swordfish"


@pytest.fixture(scope="module")
def two_clusters(tmp_path_factory):
    """Its mirror has the names of another test's."""
    with own_clusters(tmp_path_factory.mktemp("clusters")) as made:
        yield made


@pytest.fixture(scope="module")
def target(two_clusters, tmp_path_factory):
    """The target of a mirror whose source has a group for each harm, and each group that would come of it."""
    source = two_clusters["source"].client
    create(source, TOPIC)
    send(source, TOPIC, [b"%d" % number for number in range(50)])
    made = Mirror(
        tmp_path_factory.mktemp("mirror"),
        {
            "name": "backup",
            "source": "source",
            "target": "target",
            "topics": [r"hostile\..*"],
            # None of those that would come of it.
            "groups": [r"hostile-\n?[^s\n].*"],
            "tuning": {"replication_factor": 1, "checkpoint_seconds": 1, "refresh_seconds": 1},
        },
        {name: one.client for name, one in two_clusters.items()},
        {"target": {"sasl.password": SECRET}},
    )
    file = f"${{file:{made.secrets_file}:target.sasl.password}}"
    for group in (f"hostile-{file}", f"hostile-\n{file}", "hostile-a,stranger", f"hostile-a,secret-{file}"):
        commit(source, group, TOPIC, 10)
    for group in (f"hostile-{SECRET}", f"hostile-\n{SECRET}", f"secret-{SECRET}", "stranger"):
        commit(source, group, TOPIC, 10)
    commit(source, PLAIN, TOPIC, 40)
    made.start()
    yield source, two_clusters["target"].client, made
    made.stop()


def test_nothing_comes_of_them(target):
    source, there, mirror = target
    until(lambda: committed(there, PLAIN, TOPIC), "the plain group in the target", 120)
    commit(source, PLAIN, TOPIC, 50)
    until(lambda: committed(there, PLAIN, TOPIC) == 50, "another round of positions", 60)
    groups = every_group(KafkaClient(there))
    assert {one for one in groups if one.startswith(("hostile-", "secret-", "stranger"))} == {PLAIN}
    assert SECRET not in mirror.log.read_text()
