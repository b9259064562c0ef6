# SPDX-License-Identifier: GPL-3.0-or-later
"""What the rendered properties promise, seen on a real MirrorMaker 2 between two real clusters."""

from __future__ import annotations

import pytest

from .mirrors import (
    Mirror,
    commit,
    committed,
    create,
    ends,
    exists,
    read,
    send,
    send_aborted,
    topic_config,
    topics_of,
    until,
)

pytestmark = pytest.mark.real

TOPIC = "settings.items"
HEADERS = [
    ("text", b"plain"),
    ("number", b"42"),
    ("bytes", bytes([0, 255, 34, 92, 128])),
    ("json", b'{"a": "b"}'),
    ("none", None),
    ("text", b"again"),
]
SYNCS = "mm2-offset-syncs.source.internal"


@pytest.fixture(scope="module")
def mirror(two_clusters, tmp_path_factory):
    """A mirror as the filter renders it, over what a source may hold: committed, aborted, headed and null records."""
    source, target = (two_clusters[name].client for name in ("source", "target"))
    create(source, TOPIC, partitions=2)
    create(target, SYNCS, config={"cleanup.policy": "delete", "retention.ms": "86400000"})
    send(source, TOPIC, [b"plain-%d" % number for number in range(50)], headers=HEADERS)
    send(source, TOPIC, [b"committed-%d" % number for number in range(20)], **{"transactional.id": "settings"})
    send_aborted(source, TOPIC, [b"aborted-%d" % number for number in range(10)])
    send(source, TOPIC, [b"after-%d" % number for number in range(30)])
    send(source, TOPIC, [None], partition=1)
    made = Mirror(
        tmp_path_factory.mktemp("mirror"),
        {
            "name": "backup",
            "source": "source",
            "target": "target",
            "topics": ["settings.*"],
            "groups": ["settings-.*"],
            "tuning": {"replication_factor": 1},
        },
        {name: one.client for name, one in two_clusters.items()},
    ).start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def target(two_clusters, mirror):
    client = two_clusters["target"].client
    until(lambda: exists(client, TOPIC) and len(read(client, TOPIC)) >= 100, "100 records on the target", 90)
    return client


def test_copies_exactly_the_committed_records_under_their_own_name(target):
    values = [record.value() for record in read(target, TOPIC)]
    assert values == (
        [b"plain-%d" % n for n in range(50)]
        + [b"committed-%d" % n for n in range(20)]
        + [b"after-%d" % n for n in range(30)]
    )


def test_an_aborted_transaction_of_the_source_is_not_copied_even_as_uncommitted_data(target):
    assert not [
        one for one in read(target, TOPIC, isolation="read_uncommitted") if (one.value() or b"").startswith(b"aborted")
    ]


def test_exactly_once_is_in_force(target):
    assert exists(target, "__transaction_state")
    assert ends(target, TOPIC)[1] > len(read(target, TOPIC)), (
        "no transaction marker on the target: exactly-once is not in force"
    )


def test_headers_keys_and_timestamps_survive_byte_for_byte(two_clusters, target):
    before, after = read(two_clusters["source"].client, TOPIC), read(target, TOPIC)
    assert [one.headers() for one in after] == [one.headers() for one in before]
    assert after[0].headers() == HEADERS
    assert [(one.key(), one.timestamp()) for one in after] == [(one.key(), one.timestamp()) for one in before]


def test_a_tombstone_stays_a_tombstone_in_its_partition(target):
    until(lambda: len(read(target, TOPIC, partition=1)) == 1, "the tombstone in partition 1")
    assert read(target, TOPIC, partition=1)[0].value() is None


def test_group_offsets_are_synced_and_never_beyond_the_truth(two_clusters, target):
    """At the end, since MirrorMaker 2 translates nothing that lies before the newest pair it finds when it starts."""
    source = two_clusters["source"].client
    commit(source, "settings-group", TOPIC, ends(source, TOPIC)[1])
    found = until(lambda: committed(target, "settings-group", TOPIC), "an offset of settings-group on the target")
    assert read(target, TOPIC)[-1].offset() - 1 <= found <= ends(target, TOPIC)[1]


def test_an_offset_syncs_topic_made_beforehand_keeps_its_retention(target):
    assert len(read(target, SYNCS)) > 0
    assert topic_config(target, SYNCS)["cleanup.policy"] == "delete"


def test_nothing_is_written_to_the_source(two_clusters, target):
    found = topics_of(two_clusters["source"].client)
    assert not [topic for topic in found if topic.startswith("mm2-") or topic == "heartbeats"], found


def test_settings_really_reach_the_clients(mirror, target):
    log = mirror.log.read_text()
    assert "ERROR" not in log, log[-3000:]
