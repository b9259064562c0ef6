# SPDX-License-Identifier: GPL-3.0-or-later
"""An unplanned move to a region that its own ledger names already, while the source's ledger cannot be read.

Applications may have gone back there, so that the target is named once more, and what it did before stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.commits import commit_positions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import group_positions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.epochs import truth
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import witness
from tests.real.hosts.mirrors import create
from tests.real.hosts.moved import (
    ANYBODY,
    LEDGER,
    THERE,
    TOLD,
    TOPIC,
    begin_tasks,
    failure_of,
    of_role,
    played,
    stage_tasks,
)
from tests.real.hosts.told import Told

pytestmark = pytest.mark.real
AWAY = {"failover_source": "na", "failover_target": "eu"}
UNFENCED = {"failover_accept_unfenced": ANYBODY}


@pytest.fixture
def regions(tmp_path: Path) -> Iterator[Told]:
    """Mirrors whose machines are gone; applications that a task would start."""
    made = Told(tmp_path, ("na", "eu"), [THERE])
    made.starts_in("eu", "shop", "billing")
    made.machines_gone()
    made.mirrored("na", "eu")
    yield made
    made.down()


def moved_there_and_back(regions: Told, **more: Any) -> None:
    """To eu, and back to na, which eu was not told; then na is lost."""
    asked = {"found": {"planned": False, "source_asked": False}}
    regions.entry("eu", "1", "failover", "stage", "started", "na to eu", **asked)
    found = {"source": {}, "target": {TOPIC: {"0": 0}}, "planned": False, "lost": {"total": 0}}
    regions.entry("eu", "1", "failover", "ends", "done", "na to eu", found=found)
    regions.move("1", "eu", ["na"])
    ended = {"planned": False, "lost": {"total": 0}, "verdict": "PROVEN", **more}
    regions.entry("eu", "1", "failover", "stage", "done", "na to eu", found=ended)
    regions.stage("na", "2", "failover", "eu to na")
    regions.move("2", "na")
    regions.entry("na", "2", "failover", "stage", "done", "eu to na", found={"planned": False})
    regions.lose("na")


def run(regions: Told, **given: Any) -> tuple[str, str]:
    """What a failover says, and how it fails."""
    done = played(
        regions.directory, regions.hosts, regions.mirrors, "streamsafe.kafka_dr.failover", {**AWAY, **UNFENCED, **given}
    )
    return " ".join(done.stdout.split()), failure_of(done)


def test_a_run_that_catches_up_names_it_and_says_what_it_started(regions):
    moved_there_and_back(regions, unreached={"mirror": {}, "applications": {"shop": "no answer"}})
    said, failed = run(regions)
    assert not failed, failed
    assert "start shop here" in said and "start billing here" not in said
    assert "of its applications, shop was started, and no other one was looked at" in said, said[-3000:]
    assert "applications work there" not in said
    assert regions.known("eu")["epoch"] == 2
    regions.brokers["na"].start()
    found = truth({"na": regions.known("na")}, "eu", regions.known("eu"))
    assert found["conflicts"], found


@pytest.mark.full
def test_once_accepted_groups_go_on_where_they_stopped_and_the_loss_is_not_known(regions):
    moved_there_and_back(regions)
    refused = run(regions)[1]
    assert "failover_accept_moved_back" in refused, refused
    eu = regions.client("eu")
    write(eu, TOPIC, [(0, b"key", b"of eu's own")] * 20)
    commit_positions(eu, {"billing": {(TOPIC, 0): 15}})
    create(regions.brokers["eu"].client, "__kafka_dr_positions")
    seen = [witness.encode_group("billing", 5000, {TOPIC: {0: 1}}), witness.encode_ends(5000, {TOPIC: {0: 1}})]
    write(eu, "__kafka_dr_positions", [(0, *row) for row in (*seen, witness.encode_round(5000, 0, 1, 1))])
    said, failed = run(regions, failover_accept_moved_back=True)
    assert not failed, failed
    assert "NOT KNOWN how much was lost: an earlier move stopped the mirror at" in said, said[-4000:]
    assert group_positions(eu, ["billing"])["billing"][TOPIC, 0] == 15
    ends = regions.known("eu")["ends"]["na to eu"]["found"]
    assert (ends["target"], ends["lost"]["total"]) == ({TOPIC: {"0": 0}}, None)


def test_a_source_that_is_back_by_then_is_asked_although_the_target_s_ledger_names_it(regions):
    moved_there_and_back(regions)
    regions.brokers["na"].start()
    (verify,) = [task for task in stage_tasks() if task["name"] == "Verify that the lost source has not come back"]
    silent = {"__failover_source": {"reachable": False, "error": ""}, "__failover_source_ledger": {"skipped": True}}
    tasks = [
        {**of_role("ledger", "read.yml"), "vars": {"ledger_region": "eu"}},
        {"name": "Know", "ansible.builtin.set_fact": silent},
        of_role("failover", "taken_before.yml", public=True),
        {"name": "Try", "block": [{**of_role("failover", "returned.yml"), "when": verify["when"]}], "rescue": [TOLD]},
    ]
    said = regions.play(tasks, **AWAY)
    assert "REFUSED na answers again" in said and "its gates compare both ledgers" in said, said[-3000:]


@pytest.mark.full
def test_a_source_whose_ledger_is_gone_has_not_said_that_it_knows_no_move(regions):
    moved_there_and_back(regions)
    regions.brokers["na"].start()
    na = regions.client("na")
    na.result(na.admin.delete_topics([LEDGER])[LEDGER], "delete the ledger")
    show = {
        "name": "Show",
        "ansible.builtin.debug": {"msg": "NAMED {{ __failover_named }} {{ __failover_source_asked }}"},
    }
    answers = {"name": "Know", "ansible.builtin.set_fact": {"__failover_source": {"reachable": True, "error": ""}}}
    tasks = [
        {**of_role("ledger", "read.yml"), "vars": {"ledger_region": "eu"}},
        answers,
        of_role("failover", "taken_before.yml", public=True),
        show,
    ]
    said = regions.play(tasks, **AWAY)
    assert "NAMED False False" in said, said[-3000:]


def turned(regions: Told) -> None:
    """A planned move named eu and was cut off once it had begun to start the mirror back."""
    regions.mirrored("eu", "na")
    seen = {"planned": True}
    regions.entry("eu", "1", "failover", "stage", "started", "na to eu", found={**seen, "source_asked": True})
    for step, found in (
        ("ends", {**seen, "source": {}, "target": {}, "lost": {"total": 0}}),
        ("positions", seen),
        ("turned", {"mirror": "there-back", **seen}),
    ):
        regions.entry("eu", "1", "failover", step, "done", "na to eu", found=found)
    regions.move("1", "eu", ["na"])
    regions.entry("eu", "1", "failover", "protecting", "done", "na", found={"mirror": "there-back"})


@pytest.mark.parametrize("planned", [True, False])
@pytest.mark.full
def test_a_turned_mirror_whose_machine_is_gone_does_not_keep_the_stage_open(regions, planned):
    """The target is named, so that a planned move goes on without the machine as well."""
    turned(regions)
    said, failed = run(regions, failover_planned=planned)
    assert not failed, failed
    assert "NOT PROTECTED: machine-na does not answer. Once that is mended, run initial_setup from eu" in said, said
    assert not regions.known("eu")["open"]


@pytest.mark.full
def test_nor_does_one_that_the_inventory_has_no_place_for_any_more(regions):
    turned(regions)
    for name in ("kafka_dr_mirror_hosts", "kafka_dr_mirror_directory"):
        del regions.hosts["na"][name]
    said, failed = run(regions)
    assert not failed, failed
    assert "NOT PROTECTED: " in said and "kafka_dr_mirror_directory" in said, said[-3000:]
    assert not regions.known("eu")["open"]


@pytest.mark.full
def test_a_mirror_that_an_ended_move_has_turned_round_is_none_of_the_next_one(regions):
    turned(regions)
    regions.entry("eu", "1", "failover", "stage", "done", "na to eu", found={"planned": True})
    regions.stage("na", "2", "failover", "eu to na")
    regions.move("2", "na", ["eu"])
    regions.entry("na", "2", "failover", "stage", "done", "eu to na", found={"planned": True})
    given = {"failover_planned": True, "failover_reverse": False, "failover_accept_stale_mirror": True}
    refused = run(regions, **given)[1]
    # The machine of the mirror that is to be stopped is gone, too.
    assert "machine-eu" in refused and "machine-na" not in refused, refused


@pytest.mark.parametrize("planned", [False, True])
@pytest.mark.full
def test_a_run_that_goes_on_knows_that_the_first_one_was_made_once_more(regions, planned):
    found = {"source": {}, "target": {TOPIC: {"0": 0}}, "planned": False, "lost": {"total": 0}}
    regions.stage("eu", "1", "failover", "na to eu")
    regions.entry("eu", "1", "failover", "ends", "done", "na to eu", found=found)
    regions.move("1", "eu", ["na"])
    regions.entry("eu", "1", "failover", "stage", "done", "na to eu", found={"planned": False})
    begun = {"planned": False, "source_asked": False, "moved_back": True}
    regions.entry("eu", "2", "failover", "stage", "started", "na to eu", found=begun)
    for name in ("na", "eu"):
        del regions.hosts[name]["kafka_dr_mirror_hosts"], regions.hosts[f"machine-{name}"]
    known = "{{ __failover_moved_back }} {{ ledger_known.begun.failover.found.moved_back }}"
    show = {
        "name": "Show",
        "ansible.builtin.debug": {"msg": f"BACK {known} {{{{ __failover_ends_before | length > 0 }}}}"},
    }
    tasks = [of_role("failover", "preflight.yml", public=True), *begin_tasks(), show]
    said = regions.play(tasks, **AWAY, **UNFENCED, failover_planned=planned, failover_reverse=False)
    assert "BACK True True True" in said, said[-3000:]
