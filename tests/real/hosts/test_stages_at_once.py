# SPDX-License-Identifier: GPL-3.0-or-later
"""A failback beside a move, and moves that were cut off and overtaken: what is refused, and that each has a way out."""

from __future__ import annotations

import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls, ensure_acls
from tests.real.hosts.told import Told

pytestmark = pytest.mark.real
TOPICS = ["orders\\..*"]
NA_EU = {"name": "there", "source": "na", "target": "eu", "topics": TOPICS}
EU_ASIA = {"name": "further", "source": "eu", "target": "asia", "topics": TOPICS}
STEPS = ("compared", "clearing", "cleared", "seeded")
RIGHT = {"principal": "shop", "resource": "topic", "name": "orders.", "pattern": "prefixed", "operations": ["WRITE"]}


@pytest.fixture
def regions(tmp_path):
    """A function that starts regions whose applications left na, which was lost, for eu."""
    made = []

    def start(names, mirrors):
        world = Told(tmp_path, names, mirrors)
        made.append(world)
        world.stage("eu", "1", "failover", "na to eu")
        world.ends("eu", "1", "na to eu")
        world.move("1", "eu", [name for name in names if name != "eu"])
        world.entry("eu", "1", "failover", "stage", "done", "na to eu")
        return world

    yield start
    for world in made:
        world.down()


def test_no_move_leaves_a_region_that_a_failback_saves_records_into(regions):
    world = regions(("na", "eu", "asia"), [NA_EU, EU_ASIA])
    world.stage("eu", "2", "failback", "na from eu", "compared")
    for source, target in (("eu", "asia"), ("eu", "na")):
        world.mirrored(source, target)
        said = world.failover(source, target, failover_planned=True)
        assert "eu stage failback (na from eu)" in said and "has not ended in its ledger" in said, said
        assert "failover_accept_elsewhere" in said


@pytest.mark.full
def test_no_failback_begins_beside_a_move_of_the_region_that_works(regions):
    world = regions(("na", "eu", "asia"), [NA_EU, EU_ASIA])
    world.stage("asia", "5", "failover", "eu to asia")
    said = world.failback("na", "eu")
    assert "asia stage failover (eu to asia)" in said and "has not ended in its ledger" in said, said
    # It has ended: the failback that it overtook is open nowhere, and stands in the way of nothing.
    world.stage("eu", "2", "failback", "na from eu", *STEPS)
    world.move("5", "asia", ["eu", "na"])
    world.entry("asia", "5", "failover", "stage", "done", "eu to asia")
    assert not world.known("eu")["open"] and world.known("eu")["overtaken"] == "2"
    world.mirrored("asia", "eu")
    turned = {**EU_ASIA, "source": "asia", "target": "eu", "positions_topic": "__kafka_dr_positions-further"}
    world.mirrors = [NA_EU, turned]
    world.brokers["asia"].kill()
    said = world.failover("asia", "eu")
    assert "Refused, nothing was changed" not in said and "failback" not in said, said
    assert world.known("eu")["about"] == "asia to eu", said


@pytest.mark.full
def test_a_failback_that_a_move_home_overtook_is_in_nobodys_way(regions):
    world = regions(("na", "eu"), [NA_EU])
    world.stage("eu", "2", "failback", "na from eu", *STEPS)
    world.stage("na", "3", "failover", "eu to na")
    world.move("3", "na", ["eu"])
    world.entry("na", "3", "failover", "stage", "done", "eu to na")
    assert "The applications are home: nothing is left to be done" in world.failback("na", "eu")
    world.mirrored("na", "eu")
    said = world.failover("na", "eu", failover_planned=True)
    # What it waits for is the mirror, which does not run here.
    assert "Refused, nothing was changed: - mirror_alive:" in said and "failback" not in said, said


def two_moves(world, begun_again=False):
    """Home to na, named and cut off (``begun_again``: and again right after its begin); na is lost, and a failover
    names eu, which na was not told.
    """
    world.stage("eu", "2", "failback", "na from eu", *STEPS, ended=True)
    world.mirrored("eu", "na")
    world.mirrored("na", "eu")
    world.stage("na", "3", "failover", "eu to na", "positions")
    world.move("3", "na", ["eu"])
    if begun_again:
        world.entry("na", "3b", "failover", "stage", "started", "eu to na")
        # The ledgers tell times to the second.
        time.sleep(1.1)
    world.stage("eu", "4", "failover", "na to eu")
    world.ends("eu", "4", "na to eu")
    world.move("4", "eu")


@pytest.mark.full
def test_of_two_moves_that_were_cut_off_the_later_one_is_run_to_its_end(regions):
    world = regions(("na", "eu"), [NA_EU])
    two_moves(world)
    assert world.known("na")["open"] and world.known("eu")["open"]
    for home in (False, True):
        said = world.failback("na", "eu", failback_home=home)
        assert "stage failover (na to eu)" in said and "in the ledger of eu" in said, said
        assert "eu to na" not in said, said
    said = world.failover("eu", "na", failover_planned=True)
    assert "eu stage failover (na to eu)" in said, said
    # Nothing is said against that one but what is so: here, that it waits for a machine that there is not.
    said = world.failover("na", "eu", failover_accept_source_alive=True)
    assert "Refused, nothing was changed" not in said or "has not ended" not in said, said


@pytest.mark.parametrize("begun_again", [False, True])
@pytest.mark.full
def test_a_move_home_that_was_overtaken_is_not_gone_on_with(regions, begun_again):
    world = regions(("na", "eu"), [NA_EU])
    two_moves(world, begun_again)
    world.entry("eu", "4", "failover", "stage", "done", "na to eu")
    ensure_acls(world.client("eu"), [RIGHT], "present", False)
    for home in (False, True) if begun_again else (True,):
        said = world.failback("na", "eu", failback_home=home)
        assert "has not ended" not in said and "is open" not in said, said
        # What eu's applications may do is as it was, and the stage has begun where it was looked for.
        assert len(describe_acls(world.client("eu"), ["shop"])) == 1
    assert world.known("na")["active_region"] == "eu" and not world.known("na")["open"]


@pytest.mark.full
def test_a_move_home_that_was_not_named_is_undone_with_the_same_regions(regions):
    world = regions(("na", "eu"), [NA_EU])
    world.stage("eu", "2", "failback", "na from eu", *STEPS)
    world.entry("eu", "2", "failback", "stage", "done", "na from eu", found={"mirror": "there-back"})
    world.mirrored("eu", "na")
    world.stage("na", "3", "failover", "eu to na", "fenced")
    undone = {"initial_setup_source": "eu", "initial_setup_target": "na", "initial_setup_accept_open_stage": True}
    # It goes through its gates; whether a machine can run a mirror is no part of this test.
    said = world.run("initial_setup", "--check", **undone)
    assert "Refused" not in said and "No single mirror" not in said, said
    # Names that were exchanged by mistake are told as such.
    said = world.run("initial_setup", initial_setup_source="na", initial_setup_target="eu")
    assert "eu is the active region by the ledgers" in said, said


@pytest.mark.full
def test_a_region_whose_mirror_is_gone_is_brought_back_again(regions):
    world = regions(("na", "eu"), [NA_EU])
    world.stage("eu", "2", "failback", "na from eu", *STEPS, ended=True)
    said = world.failback("na", "eu")
    assert "nothing is left to be done" not in said, said
    assert world.known("eu")["stage"] == "failback" and world.known("eu")["open"]


@pytest.mark.full
def test_nobody_moves_to_a_region_that_a_failback_had_emptied_when_the_other_one_was_lost(regions):
    world = regions(("na", "eu"), [NA_EU])
    world.stage("eu", "2", "failback", "na from eu", *STEPS)
    found = {"from": "eu", "to": "na", "mirror": "there-back"}
    world.entry("na", "2", "failback", "copy_begun", "done", "na", fenced=False, found=found)
    world.mirrored("eu", "na")
    world.brokers["eu"].kill()
    said = world.failover("eu", "na")
    assert "na lacks records" in said and "the stage failback began to copy eu to it anew" in said, said
    assert "failover_accept_partial_target" in said
    assert not world.known("na")["open"]
    said = world.failover("eu", "na", failover_accept_partial_target=True)
    assert "na lacks records" not in said and world.known("na")["open"], said


@pytest.mark.full
def test_no_set_up_mirrors_to_a_region_that_was_lost_and_that_nothing_brought_back(regions):
    world = regions(("na", "eu"), [NA_EU])
    world.mirrored("eu", "na")
    said = world.run("initial_setup", initial_setup_source="eu", initial_setup_target="na")
    assert "found eu and no such stage. na was lost and is back: run failback" in said, said
