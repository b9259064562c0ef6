# SPDX-License-Identifier: GPL-3.0-or-later
"""A failback that is killed at each of its changes, and run again each time."""

from __future__ import annotations

import json
import signal
import time

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import MirrorNames
from kafka_dr_lab.drill import MIRROR
from kafka_dr_lab.journals import Journals
from kafka_dr_lab.landscape import TOPICS
from tests.real.lab.kept import ids, nothing_is_lost_or_twice
from tests.real.lab.playing import SOURCE, TARGET, playground

pytestmark = pytest.mark.full
# Somebody starts them again before the failback.
OLD = (MIRROR, MIRROR.replace("mirror", "witness", 1))


@pytest.fixture(scope="module")
def returned(tmp_path_factory):
    """A lab whose source was lost with records that only it has, and is back with its disks after the failover."""
    directory = tmp_path_factory.mktemp("failback")
    with playground(directory) as ground:
        done = ground.stage("initial_setup")
        assert done.returncode == 0, done.stdout[-3000:]
        ground.lab.signal(signal.SIGSTOP, MIRROR)
        time.sleep(5)
        ground.lose_and_return(lambda: ground.lab.signal(signal.SIGCONT, MIRROR))
        yield ground


def test_killed_at_each_change_it_ends_in_the_right_state(returned, tmp_path):
    journals = Journals(returned.lab.directory / "regions" / "south_america")
    only_there = set(journals.acknowledged(SOURCE)) - ids(returned, TARGET)
    assert only_there
    back = {
        "failback_region": SOURCE,
        "failback_from": TARGET,
        "failback_salvage": [{"topics": ".*", "action": "replay"}],
        "failback_salvage_directory": str(tmp_path / "salvage"),
    }
    plant(returned, 9999)
    before = checked(returned, back)
    for program in OLD:
        returned.lab.revive(program)
    # In the midst of making room: the old mirror is gone already, and the ledger does not say so yet.
    returned.kill_when_gone("failback", MIRROR, back)
    places = tmp_path / "places"
    for dummy in returned.killed_at_each_change("failback", back, places):
        known = returned.module("ledger_info")
        assert known["open"] and known["stage"] == "failback"
    assert len(places.read_text().splitlines()) > 20, places.read_text()
    known = returned.module("ledger_info")
    assert (known["active_region"], known["open"]) == (TARGET, False)
    assert returned.module("ledger_info", region=SOURCE)["active_region"] == TARGET
    assert known["last"]["failback"]["found"]["verdict"] == "PROVEN"
    counted = known["done"]["failback"]["salvaged"]["found"]
    assert counted["salvaged"] >= len(only_there) and counted["lost"] == known["last"]["failover"]["found"]["lost"]
    left_as_it_was(before, standing(returned))
    again = returned.stage("failback", back)
    assert again.returncode == 0 and "nothing is left to be done" in " ".join(again.stdout.split()), again.stdout
    nothing_is_lost_or_twice(returned)


def checked(ground, back):
    """What there is before and after a check, which changes nothing."""
    before = standing(ground)
    done = ground.stage("failback", back, "--check")
    assert done.returncode == 0 and "It is back with its data" in " ".join(done.stdout.split()), done.stdout
    assert standing(ground) == before
    return before


def plant(ground, offset):
    """Say in the region that is back, as a mirror of long ago would, that it has copied up to an offset of today."""
    topic = MirrorNames(TARGET, SOURCE).source_offsets
    admin = AdminClient(ground.admin(SOURCE))
    admin.create_topics([NewTopic(topic, 1, 1, config={"cleanup.policy": "compact"})])[topic].result(30)
    producer = Producer(ground.admin(SOURCE))
    for name in TOPICS:
        place = {"cluster": TARGET, "partition": 0, "topic": name}
        key = json.dumps(["MirrorSourceConnector", place], separators=(",", ":"))
        producer.produce(topic, json.dumps({"offset": offset}), key)
    assert producer.flush(30) == 0


def standing(ground):
    """What a check leaves as it is: all but the ends of logs, where applications work."""
    found = ground.state()
    for region in (SOURCE, TARGET):
        topics = found[region]["topics"]
        found[region]["topics"] = {name: (topic["id"], topic["configs"]) for name, topic in topics.items()}
    return found


def left_as_it_was(before, after):
    """No right that was lent is left, no retention is held off, and no mirror of before runs or is remembered."""
    for region in (SOURCE, TARGET):
        lent = [[acl for acl in one[region]["acls"] if "kdr-stages" in str(acl)] for one in (before, after)]
        assert lent[0] == lent[1], region
        configs = [{name: one[region]["topics"][name][1] for name in TOPICS} for one in (before, after)]
        assert configs[0] == configs[1], region
    assert {after["programs"].get(program, "STOPPED") for program in OLD} == {"STOPPED"}
    assert not [name for name in after[TARGET]["topics"] if name.startswith("mm2-") or ".checkpoints." in name]
    offsets = MirrorNames(TARGET, SOURCE).source_offsets
    assert after[SOURCE]["topics"][offsets][0] != before[SOURCE]["topics"][offsets][0]
