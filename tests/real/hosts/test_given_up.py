# SPDX-License-Identifier: GPL-3.0-or-later
"""A planned move that is given up because its target was lost after it fenced the source: by the source alone, and not
where the target may be in use already.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls, ensure_acls, flatten
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.append import append
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.access import service_acls
from tests.real.hosts.moved import (
    AWAY,
    LEDGER,
    RETURN,
    SECRET,
    STRAY,
    THERE,
    TOLD,
    World,
    failure_of,
    ledger_of,
    of_role,
    played,
)
from tests.support.kafka import ROOT

pytestmark = pytest.mark.real
GIVEN_UP = {"abort_move_source": "na", "abort_move_target": "eu"}
LOST = {**GIVEN_UP, "abort_move_accept_elsewhere": ["eu"]}
FENCE = of_role("credentials", "fence.yml")
THERE_IN_NA = {"credentials_region": "na", "credentials_topics": r"orders\..*", **AWAY}
PLANNED = {"__failover_source": {"reachable": True, "error": ""}}


def says(world: World, name: str) -> dict[str, Any]:
    return ledger_of(world.brokers[name])


@pytest.fixture
def granted(world: World) -> Callable[[], list[Any]]:
    """The applications work in na, with rights of which only the ledgers know once they are taken."""
    world.append("eu", "active_region", "active", "na", says(world, "eu")["head"]["hash"])
    ensure_acls(KafkaClient(world.brokers["na"].client), STRAY, "present", False)
    had = world.rights()
    assert len(had) == 2
    return lambda: had


def move(world: World, *more: dict[str, Any]) -> str:
    """A planned move, as far as these tasks."""
    files = ("taken_before.yml", *more)
    return world.play("failover", THERE, files, PLANNED, failover_planned=True, **THERE_IN_NA)


def give_up(world: World, **given: Any) -> str:
    """With what it was refused; empty where it was not."""
    return failure_of(played(world.directory, world.hosts, [THERE], "streamsafe.kafka_dr.abort_move", given))


def naming() -> dict[str, Any]:
    tasks = yaml.safe_load((ROOT / "roles" / "failover" / "tasks" / "activate.yml").read_text())
    (found,) = [task for task in tasks if "about to be named" in task["name"]]
    return {**found, "vars": {"__failover_named": False}}


@pytest.mark.full
def test_the_source_gets_back_what_the_move_took_without_the_target(world, granted):
    move(world, FENCE)
    assert world.rights() == []
    world.brokers["eu"].kill()
    refused = give_up(world, **GIVEN_UP)
    assert "nothing was changed" in refused and "eu its ledger cannot be read" in refused, refused
    assert world.rights() == []
    assert give_up(world, **LOST) == ""
    assert world.rights() == granted()
    there = says(world, "na")
    assert (there["active_region"], there["epoch"], there["open"], there["taken"]) == ("na", 1, False, {})
    # What a person takes away afterwards stays away.
    ensure_acls(KafkaClient(world.brokers["na"].client), STRAY[:1], "absent", False)
    left = world.rights()
    assert give_up(world, **LOST) == ""
    # Whether another move to the target was begun since, only its own ledger could say.
    assert (world.rights(), says(world, "na")["epoch"]) == (left, 2)


@pytest.mark.full
def test_a_target_that_is_back_learns_that_its_move_was_given_up(world, granted):
    move(world, FENCE)
    world.brokers["eu"].kill()
    assert give_up(world, **LOST) == ""
    world.brokers["eu"].start()
    assert says(world, "eu")["open"]
    # The stage itself tells whoever answers.
    assert give_up(world, **GIVEN_UP) == ""
    there = says(world, "eu")
    assert (there["active_region"], there["epoch"], there["open"], there["taken"]) == ("na", 2, False, {})


@pytest.mark.full
def test_a_second_move_is_given_up_as_the_first_one_was(world, granted):
    move(world, FENCE)
    assert give_up(world, **GIVEN_UP) == ""
    # This one is cut off while it stops the applications.
    move(world)
    assert says(world, "eu")["open"]
    assert give_up(world, **GIVEN_UP) == ""
    there = says(world, "eu")
    assert (there["active_region"], there["epoch"], there["open"]) == ("na", 2, False)
    # There is nothing more to be given up.
    assert give_up(world, **GIVEN_UP) == "" and says(world, "na")["epoch"] == 2


@pytest.mark.full
def test_what_an_unsigned_ledger_of_the_target_says_was_taken_is_given_to_nobody(world, granted):
    """Who may write to that topic would have rights in the source."""
    move(world, FENCE)
    target = KafkaClient(world.brokers["eu"].client)
    target.result(next(iter(target.admin.delete_topics([LEDGER]).values())), "delete")
    evil = {**STRAY[0], "name": "payroll", "operations": ["ALL"]}
    head = ""
    for step, state, found in (("stage", "started", {}), ("fenced", "done", {"region": "na", "removed": [evil]})):
        entry = {"run": "1", "stage": "failover", "step": step, "state": state, "region": "na", "about": "na to eu"}
        entry.update({"found": found, "fenced": True, "by": "shop", "collection": "0"})
        head = put_once_it_is_gone(target, entry, head)
    done = played(world.directory, world.hosts, [THERE], "streamsafe.kafka_dr.abort_move", GIVEN_UP)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "NOT BELIEVED: the ledger of eu, which is not signed" in " ".join(done.stdout.split()), done.stdout
    assert world.rights() == granted()


def put_once_it_is_gone(client: KafkaClient, entry: dict[str, Any], head: str) -> str:
    """Append without a secret; a topic that is being deleted is still there for a moment."""
    end = time.monotonic() + 60
    while True:
        try:
            return str(append(client, LEDGER, entry, False, 1, [], head)["known"]["head"]["hash"])
        except KafkaDrError:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)


@pytest.mark.full
def test_a_move_whose_target_answers_is_given_up_as_well(world, granted):
    move(world, FENCE)
    assert give_up(world, **GIVEN_UP) == ""
    assert world.rights() == granted()
    assert not says(world, "eu")["open"]


@pytest.mark.full
def test_what_an_older_version_told_the_target_alone_comes_back_too(world, granted):
    told = {"ledger_step": "fenced", "ledger_found": {"region": "na", "removed": STRAY}}
    ensure_acls(KafkaClient(world.brokers["na"].client), STRAY, "absent", False)
    move(world, {**of_role("ledger", "record.yml"), "vars": told})
    assert says(world, "na")["taken"] == {} != says(world, "eu")["taken"]
    assert give_up(world, **GIVEN_UP) == ""
    assert world.rights() == granted()


@pytest.mark.full
def test_one_that_was_about_to_name_its_target_is_not_unless_a_person_knows_better(world, granted):
    move(world, FENCE, naming())
    world.brokers["eu"].kill()
    refused = give_up(world, **LOST)
    assert "was about to name eu as the active region (epoch 1)" in refused, refused
    assert world.rights() == []
    assert give_up(world, **LOST, abort_move_accept_target_named=True) == ""
    assert world.rights() == granted()


@pytest.mark.full
def test_the_mirror_that_a_move_turned_round_cannot_write_once_it_is_given_up(world, granted):
    """It is on the target's machines, and goes on once they are back."""
    move(world, FENCE, naming())
    source = KafkaClient(world.brokers["na"].client)
    needed = service_acls("mirror", "mirror", THERE, "source")
    ensure_acls(source, [*needed, *service_acls("mirror", "mirror", RETURN, "target")], "present", False)
    world.brokers["eu"].kill()
    assert give_up(world, **LOST, abort_move_accept_target_named=True) == ""
    # What the mirror needs to be set up again stays.
    assert set(describe_acls(source, ["mirror"])) == set(flatten(needed))
    assert says(world, "na")["active_region"] == "na"


@pytest.mark.full
def test_an_unplanned_run_tells_the_source_that_it_names_the_target_if_it_answers(world, granted):
    facts = {"__failover_source": {"reachable": True, "error": ""}}
    world.play("failover", THERE, ("taken_before.yml", naming()), facts, failover_planned=False, **AWAY)
    assert says(world, "na")["naming"] == {"eu": 1}
    # The region that is given up does not hold it up.
    lost = {"__failover_source": {"reachable": False, "error": ""}}
    world.play("failover", THERE, ("taken_before.yml", naming()), lost, failover_planned=False, **AWAY)


@pytest.mark.full
def test_one_that_has_named_its_target_is_not(world, granted):
    move(world, FENCE, of_role("failover", "activate.yml"))
    refused = give_up(world, **GIVEN_UP)
    assert "The active region by the ledgers (epoch 1) is eu" in refused, refused
    assert world.rights() == []


@pytest.mark.parametrize(
    ("file", "words", "who"),
    [
        # Before it stops an application.
        ("fence.yml", "Another run has begun in the ledger of na", "as run another"),
        ("activate.yml", "has changed since this run read it", "another of stage abort_move"),
    ],
)
def test_a_move_that_slept_meanwhile_neither_fences_nor_names(world, granted, file, words, who):
    begun = {"run": "another", "stage": "abort_move", "step": "stage", "state": "started", "about": "na to eu"}
    begun.update({"client": world.brokers["na"].client, "topic": LEDGER, "secret": [SECRET], "after": ""})
    another = {"name": "Give it up", "streamsafe.kafka_dr.ledger_entry": begun}
    attempt = {"name": "Try", "block": [of_role("failover", file)], "rescue": [TOLD]}
    silent = {"name": "All answer", "ansible.builtin.set_fact": {"preflight_silent": {"machines": {}, "clusters": {}}}}
    said = move(world, silent, another, attempt)
    assert words in said and who in said and "stage abort_move" in said, said[-3000:]
    assert (world.rights(), says(world, "eu")["active_region"]) == (granted(), "na")


@pytest.mark.full
def test_what_initial_setup_gives_back_the_source_forgets_too(world, granted):
    move(world, FENCE)
    given = {"initial_setup_source": "na", "initial_setup_target": "eu"}
    back = {**of_role("initial_setup", "give_back.yml"), "vars": {"__initial_setup_taken_in_source": STRAY}}
    world.play("initial_setup", THERE, (back,), {}, **given)
    assert world.rights() == granted()
    assert says(world, "na")["taken"] == says(world, "eu")["taken"] == {}
