# SPDX-License-Identifier: GPL-3.0-or-later
"""A planned move that was cut off, and whose copy was deleted and made again, or cut, before another run goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import describe_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
from tests.real.hosts.mirrors import create
from tests.real.hosts.moved import ANYBODY, THERE, TOLD, TOPIC, begin_tasks, of_role, stage_tasks
from tests.real.hosts.told import Told

pytestmark = pytest.mark.real
RECORDS = [(0, b"key", b"value")] * 5


@pytest.fixture
def regions(tmp_path: Path) -> Iterator[Told]:
    """A planned move from na to eu that was cut off once it had committed the positions."""
    made = Told(tmp_path, ("na", "eu"), [THERE])
    for name in ("na", "eu"):
        write(made.client(name), TOPIC, RECORDS)
    made.mirrored("na", "eu")
    about, seen = "na to eu", {"planned": True}
    ids = {name: describe_topics(made.client(name), [TOPIC])[TOPIC]["id"] for name in ("na", "eu")}
    made.entry("eu", "1", "failover", "stage", "started", about, found={**seen, "source_asked": True})
    proof = {"verdict": "PROVEN", "complete": True, "source": "na", "target": "eu", "topics": []}
    made.entry("eu", "1", "failover", "proof", "proven", "na", found=proof)
    ends = {**seen, "source": {TOPIC: {"0": 5}}, "target": {TOPIC: {"0": 5}}, "lost": {"total": 0}}
    made.entry("eu", "1", "failover", "ends", "done", about, found={**ends, "topic_ids": {TOPIC: ids["na"]}})
    made.entry("eu", "1", "failover", "positions", "done", "na", found=seen)
    yield made
    made.down()


LATE = "Verify that nothing was written to the source since"


def go_on(regions: Told, first: str = LATE, end: str = "Move the applications", **given: Any) -> str:
    """What a run says that goes on with the move, from where the mirror is stopped and positions are committed.

    :param first: the task that it goes on with. :param end: the one before which it ends.
    """
    tasks = stage_tasks()
    names = [task["name"] for task in tasks]
    rest = tasks[names.index(first) : names.index(end)]
    ends = {"name": "Know", "ansible.builtin.set_fact": {"__failover_ends": "{{ ledger_done.ends.found }}"}}
    files = [
        {**of_role("failover", task["ansible.builtin.include_tasks"], public=True), "when": task.get("when", True)}
        for task in rest
    ]
    begun = [of_role("failover", "preflight.yml", public=True), *begin_tasks(), *([ends] if first == LATE else [])]
    move = {"failover_source": "na", "failover_target": "eu", "failover_planned": True, "failover_reverse": False}
    return regions.play(
        [*begun, {"name": "Go on", "block": files, "rescue": [TOLD]}], failover_accept_unfenced=ANYBODY, **move, **given
    )


def made_again(regions: Told) -> None:
    eu = regions.client("eu")
    eu.result(eu.admin.delete_topics([TOPIC])[TOPIC], "delete the copy")
    create(regions.brokers["eu"].client, TOPIC)


def test_a_copy_that_is_gone_since_the_mirror_stopped_is_not_moved_to(regions):
    made_again(regions)
    said = go_on(regions)
    assert regions.known("eu")["active_region"] == "", "the target was named, which lacks what na has"
    assert "REFUSED eu does not hold what it held when its mirror stopped: expected" in said, said[-3000:]
    assert f"found {TOPIC}-0 ends at 0, and had been copied to 5. eu is not yet the active region" in said
    # The way out: na goes on.
    assert not regions.run("abort_move", abort_move_source="na", abort_move_target="eu")
    assert regions.known("eu")["active_region"] == "na"


@pytest.mark.full
def test_accepted_it_is_recorded(regions):
    made_again(regions)
    assert "REFUSED" not in go_on(regions, failover_accept_unproven=True)
    known = regions.known("eu")
    assert known["active_region"] == "eu"
    assert known["done"]["failover"]["gone"]["found"]["topics"] == [f"{TOPIC}-0 ends at 0, and had been copied to 5"]


def test_a_late_record_is_named_before_the_copy_is_proven_again(regions):
    write(regions.client("na"), TOPIC, RECORDS[:1])
    steps = f"{LATE} its ends were read", "Prove the copy"
    said = go_on(regions, *steps)
    assert "REFUSED na was written to after its mirror had stopped" in said, said[-3000:]
    assert "REFUSED" not in go_on(regions, *steps, failover_accept_late_records=True)
    late = regions.known("eu")["done"]["failover"]["late_records"]["found"]
    assert (late["total"], late["accepted"]) == (1, True)


@pytest.mark.full
def test_one_that_is_whole_is_moved_to(regions):
    assert "REFUSED" not in go_on(regions)
    known = regions.known("eu")
    assert known["active_region"] == "eu" and "gone" not in known["done"]["failover"]
