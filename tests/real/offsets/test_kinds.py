# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups that neither MirrorMaker 2 nor librdkafka lists are named, with what becomes of them."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import list_groups, positions_in
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.kinds import group_kinds, kinds_or_others
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.mm2_topics import read_witness
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.other_groups import NONE, UNSEEN, told
from tests.support import offsets_lab as lab
from tests.support import traffic
from tests.support.groups_of_kinds import Members
from tests.support.kafka import clusters
from tests.support.names_oracle import javac

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """``(source, target)``: a group of each kind on the source, one whose position is in another topic, and a target
    that has the topic.
    """
    # Before anything is started.
    javac()
    base = tmp_path_factory.mktemp("kinds")
    settings = {"share.coordinator.state.topic.replication.factor": 1, "share.coordinator.state.topic.min.isr": 1}
    made = clusters(["a", "b"], base, settings)
    source, target = made["a"], made["b"]
    for one in (source, target):
        lab.create(one, ("t", 1, {}))
    lab.create(source, ("u", 1, {}))
    traffic.Writer(source, "t", partitions=1).write(20)
    for group in ("idle", "connect-sink"):
        lab.set_positions(source, "t", {group: {0: 5}})
    lab.set_positions(source, "u", {"elsewhere": {0: 0}})
    lab.prepare_target(target)
    members = Members(base / "members", source, "t", "shared", "streamed", "counted")
    client = KafkaClient(source.client, timeout=30, name="a")
    seen = KafkaClient(target.client, timeout=30, name="b")
    witness = None
    try:
        lab.until(lambda: {"shared", "streamed", "counted"} <= set(group_kinds(client)), 60)
        lab.until(lambda: "counted-counts-changelog" in client.metadata().topics, 60)
        lab.until(lambda: positions_in(client, {"t"}).get("counted", {}).get("t", {}).get("0") == 20, 60)
        # As the mirror role starts it: sinks of Connect are watched.
        witness = lab.WitnessProcess(
            base / "witness", source, target, interval=1, groups_exclude="console-consumer-.*,__.*"
        )
        lab.until(lambda: (read_witness(seen, lab.POSITIONS) or {"at": None})["at"] is not None, 60)
    except AssertionError:
        raise AssertionError(members.log.read_text()[-3000:]) from None
    finally:
        members.stop()
        if witness:
            witness.stop()
    yield source, target, client
    for one in made.values():
        one.stop()


def test_every_kind_is_listed(pair):
    kinds = {group: one["type"] for group, one in group_kinds(pair[2]).items()}
    assert kinds == {
        "idle": "classic",
        "connect-sink": "classic",
        "elsewhere": "classic",
        "counted": "classic",
        "shared": "share",
        "streamed": "streams",
    }
    assert not {"shared", "streamed"} & set(list_groups(pair[2])), "what librdkafka shows, and MirrorMaker 2 copies"


def test_a_client_without_kafka_python_knows_them_too(pair, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda *names: None)
    kinds = {group: one["type"] for group, one in kinds_or_others(pair[2]).items()}
    assert kinds == {
        "idle": "",
        "connect-sink": "",
        "elsewhere": "",
        "counted": "",
        "shared": "other",
        "streamed": "other",
    }


def test_the_witness_knows_them_when_the_source_is_lost(pair):
    _source, target, _client = pair
    found = lab.translate(
        None, target, check=True, topics="t", groups_exclude_regex="connect-.*", named_groups=["idle", "shared", "typo"]
    )
    assert {one["group"]: (one["kind"], one["named"]) for one in found["others"]} == {
        "connect-sink": ("unknown", False),
        "shared": ("other", True),
        "streamed": ("other", False),
        "typo": ("unknown", True),
    }
    assert [one.split(":")[0] for one in told(found["others"])] == [
        "'connect-sink' (unknown)",
        "'shared' (other, of an application)",
        "'streamed' (other)",
        "'typo' (unknown, of an application)",
    ]


def test_who_is_not_brought_over_is_named_with_a_way_out(pair):
    source, target, _client = pair
    found = lab.translate(
        source,
        target,
        check=True,
        topics="t",
        groups_exclude_regex="connect-.*",
        named_groups=["idle", "shared", "typo"],
    )
    assert {row["group"] for row in found["plan"]} == {"idle", "counted"}
    counted = next(one for one in found["others"] if one["group"] == "counted")
    assert "it has changelog topics" in counted["why"] and ".checkpoint files" in counted["remedy"]
    assert "it has repartition topics" in counted["why"] and "has not worked off" in counted["remedy"]
    assert {one["group"]: (one["kind"], one["named"]) for one in found["others"]} == {
        "connect-sink": ("classic", False),
        "counted": ("classic", False),
        "shared": ("share", True),
        "streamed": ("streams", False),
        "typo": ("unknown", True),
    }
    assert (
        all(one["why"] and one["remedy"] for one in found["others"]) and found["summary"]["others"] == found["others"]
    )


@pytest.mark.parametrize(("lost", "kind", "why"), [(False, "classic", NONE), (True, "unknown", UNSEEN)])
def test_a_group_of_an_application_without_a_position_in_a_mirrored_topic_is_named(pair, lost, kind, why):
    source, target, _client = pair
    asked = {"check": True, "topics": "t", "groups_exclude_regex": "connect-.*"}
    found = lab.translate(None if lost else source, target, named_groups=["elsewhere"], **asked)
    assert "elsewhere" not in {row["group"] for row in found["plan"]}
    (said,) = [one for one in found["others"] if one["group"] == "elsewhere"]
    assert (said["kind"], said["named"], (said["why"], said["remedy"])) == (kind, True, why)
    assert told([said]) == [f"'elsewhere' ({kind}, of an application): {why[0]}. {why[1]}."]
    unnamed = lab.translate(None if lost else source, target, **asked)
    assert "elsewhere" not in {one["group"] for one in unnamed["others"]}, "nobody asked for it"
