# SPDX-License-Identifier: GPL-3.0-or-later
"""Three regions: one is lost, the applications go to the second, and the third is a copy that was ahead of it."""

from __future__ import annotations

import json
import signal
import time

import pytest
import yaml
from confluent_kafka.admin import AdminClient

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from kafka_dr_lab.drill import MIRROR
from kafka_dr_lab.journals import Journals, topic_ids
from kafka_dr_lab.landscape import TOPICS
from kafka_dr_lab.waiting import until
from tests.real.lab.playing import SOURCE, TARGET, Playground, playground

pytestmark = [pytest.mark.real, pytest.mark.full]
THIRD = "asia"
OLD, MOVED = "north-america-to-asia", f"north-america-to-asia-from-{TARGET}"
# What no inventory knows, and no mirror needs.
STRAY = {
    "principal": "kdr-mirror",
    "resource": "topic",
    "name": "billing.",
    "pattern": "prefixed",
    "operations": ["WRITE"],
}


def describe(ground: Playground, name: str, source: str) -> None:
    """The lab's inventory with this mirror to the third region, and no other one."""
    described = ground.lab.inventory.load()
    mirrors = described["all"]["vars"]["kafka_dr_mirrors"]
    described["all"]["vars"]["kafka_dr_mirrors"] = [
        mirrors[0],
        {**mirrors[0], "name": name, "source": source, "target": THIRD},
    ]
    ground.lab.inventory.regions_file.write_text(yaml.safe_dump(described, sort_keys=False))


def copies(ground: Playground, region: str) -> dict[str, int]:
    """How often each record is in a region."""
    counts: dict[str, int] = {}
    for counter in topic_ids(ground.admin(region), list(TOPICS)).values():
        for identity, count in counter.items():
            counts[identity] = counts.get(identity, 0) + count
    return counts


@pytest.fixture(scope="module")
def lost(tmp_path_factory):
    """The first region is lost; the third holds records that the second never got, and the first some that no other
    one has.
    """
    directory = tmp_path_factory.mktemp("further")
    with playground(directory, further=[THIRD]) as ground:
        describe(ground, OLD, SOURCE)
        for target in (TARGET, THIRD):
            done = ground.stage("initial_setup", {"initial_setup_target": target})
            assert done.returncode == 0, done.stdout[-3500:]
        ensure_acls(KafkaClient(ground.admin(THIRD)), [STRAY], "present", False)
        ground.lab.signal(signal.SIGSTOP, MIRROR)
        time.sleep(8)
        ground.lab.signal(signal.SIGSTOP, f"mirror-{OLD}")
        time.sleep(8)
        ground.lab.lose(SOURCE, keep=True)
        ground.lab.signal(signal.SIGCONT, MIRROR, f"mirror-{OLD}")
        done = ground.stage("failover")
        assert done.returncode == 0, done.stdout[-3500:]
        yield ground


@pytest.fixture
def back(tmp_path_factory):
    """What both regions are brought back with, each with a place of its own."""

    def wanted(region: str, **more) -> dict:
        return {
            "failback_region": region,
            "failback_from": TARGET,
            "failback_salvage": [{"topics": ".*", "action": "replay"}],
            "failback_salvage_directory": str(tmp_path_factory.mktemp("salvage") / "files"),
            **more,
        }

    return wanted


def words(done) -> str:
    return " ".join(done.stdout.split())


def test_1_the_further_copy_does_not_wait_for_the_lost_region(lost, back):
    refused = lost.stage("failback", back(THIRD, failback_home=True), "--check")
    told = words(refused)
    assert refused.returncode != 0 and "is a further copy of north_america" in told, refused.stdout
    assert '"failback_accept_elsewhere": ["north_america"]' in told, refused.stdout
    before = copies(lost, TARGET)
    only_there = set(copies(lost, THIRD)) - set(before)
    assert only_there
    given = back(THIRD, failback_accept_elsewhere=[SOURCE])
    checked = lost.stage("failback", given, "--check")
    assert checked.returncode == 0 and "It is a further copy of the region that was left" in words(checked), (
        checked.stdout
    )
    lost.kill_after("failback", "Make room for a copy", given)
    done = lost.stage("failback", given)
    assert done.returncode == 0 and f"describe {MOVED} in place of {OLD}" in words(done), done.stdout
    ended = lost.module("ledger_info")["brought_back"][f"{THIRD} from {TARGET}"]["found"]
    assert (ended["verdict"], ended["state"], ended["salvaged"]) == ("PROVEN", "with_data", len(only_there))
    now = copies(lost, TARGET)
    assert {identity: now.get(identity) for identity in only_there} == dict.fromkeys(only_there, 1)


def test_1_the_ledger_has_what_its_mirror_lost(lost):
    """Beyond what a mirror needs, whoever granted it has to learn what is gone."""
    known = lost.module("ledger_info")
    revoked = known["done"]["failback"]["revoking"]["found"]
    assert (revoked["region"], revoked["mirror"]) == (THIRD, OLD)
    assert [right["name"] for right in known["beyond"][OLD][THIRD]] == ["billing."]


def test_1_the_checks_know_the_mirror_before_it_is_described(lost, tmp_path):
    # Its log tells of brokers that were started meanwhile.
    looked = words(lost.stage("doctor", {"doctor_log_lines": 0}))
    assert f"Mirror {MOVED} is well" in looked, looked[-3000:]
    file = tmp_path / "status.json"
    asked = {"backup_status_region": TARGET, "backup_status_backup": THIRD, "backup_status_file": str(file)}
    lost.stage("backup_status", asked)
    assert json.loads(file.read_text())["lag"] is not None


def test_2_described_as_it_is_the_mirror_is_known(lost, back):
    describe(lost, MOVED, TARGET)
    again = lost.stage("failback", back(THIRD))
    assert again.returncode == 0 and "nothing is left to be done" in words(again), again.stdout
    looked = lost.stage("doctor")
    assert MOVED in words(looked), looked.stdout[-3000:]


def test_3_the_region_that_was_left_replays_only_what_is_not_there_yet(lost, back):
    before = copies(lost, TARGET)
    lost.lab.start_again(SOURCE)
    AdminClient(lost.admin(SOURCE)).list_topics(timeout=120)
    left = set(copies(lost, SOURCE)) - set(before)
    assert left
    done = lost.stage("failback", back(SOURCE))
    assert done.returncode == 0, done.stdout
    known = lost.module("ledger_info")
    salvaged = known["done"]["failback"]["salvaged"]["found"]
    assert (salvaged["replayed"], salvaged["already"] > 0) == (len(left), True), salvaged
    assert set(known["brought_back"]) == {f"{THIRD} from {TARGET}", f"{SOURCE} from {TARGET}"}


def test_4_every_record_is_once_in_each_region(lost):
    journals = Journals(lost.lab.directory / "regions" / "south_america")
    lost.lab.halt("departures-producer")
    acknowledged, repeated = set(journals.acknowledged()), journals.sent_again()
    for region in (TARGET, SOURCE, THIRD):
        until(f"{region} to hold every record", lambda at=region: acknowledged <= set(copies(lost, at)), 120)
        found = copies(lost, region)
        assert {identity for identity, count in found.items() if count > 1} <= repeated, region


def test_5_the_further_copy_is_not_brought_back_twice(lost, back):
    """Another region was brought back since; what the active one wrote since would be taken for records it lacks."""
    before = copies(lost, TARGET)
    describe(lost, OLD, SOURCE)
    done = lost.stage("failback", back(THIRD))
    assert done.returncode == 0 and "nothing is left to be done" in words(done), done.stdout
    assert copies(lost, TARGET) == before
