# SPDX-License-Identifier: GPL-3.0-or-later
"""A failover that catches up with what it left behind, where the inventory has that no more or another mirror runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls, ensure_acls
from tests.real.hosts.moved import ANYBODY, AWAY, THERE, played
from tests.real.hosts.told import DEAD, Told

pytestmark = pytest.mark.real
READING = ("READ", "DESCRIBE", "DESCRIBE_CONFIGS")


@pytest.fixture
def regions(tmp_path: Path) -> Iterator[Told]:
    made = Told(tmp_path, ("na", "eu"), [THERE])
    yield made
    made.down()


def left(regions: Told, **unreached: dict[str, str]) -> None:
    """An unplanned failover that ended without these."""
    regions.mirrored("na", "eu")
    regions.entry("eu", "1", "failover", "stage", "started", "na to eu")
    regions.ends("eu", "1", "na to eu")
    regions.move("1", "eu", tell=["na"])
    found = {"planned": False, "lost": {}, "verdict": "no proof"}
    found["unreached"] = {"mirror": {}, "applications": {}, **unreached}
    regions.entry("eu", "1", "failover", "stage", "done", "na to eu", found=found)


def caught_up(regions: Told) -> tuple[str, dict[str, Any]]:
    """What the same command says that is run again, and what the ledger keeps of its end."""
    given = {"failover_accept_unfenced": ANYBODY, **AWAY}
    done = played(regions.directory, regions.hosts, regions.mirrors, "streamsafe.kafka_dr.failover", given)
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 0, said[-3000:]
    known = regions.known("eu")
    assert not known["open"]
    return said, known["last"]["failover"]["found"]


def test_what_the_inventory_has_no_more_is_given_up_by_name(regions):
    left(regions, mirror={"m1": "no answer"}, applications={"on-dead": "machine dead: no answer"})
    said, found = caught_up(regions)
    assert "m1 (it is not in the inventory any more)" in said and "loses its rights in eu" in said, said[-3000:]
    assert "eu is the active region; no application was started." in said and "on-dead was started" not in said
    assert "GIVEN UP: machine of the mirror m1; application on-dead is not in the inventory any more." in said
    assert found["unreached"] == {"mirror": {}, "applications": {}}
    assert found["given_up"] == {"mirror": ["m1"], "applications": ["on-dead"]}
    assert may(regions, "WRITE") == []


def may(regions: Told, *operations: str) -> list[Any]:
    """What the mirror's user may do in eu, of these."""
    names = set(operations)
    return sorted(acl for acl in describe_acls(regions.client("eu"), ["mirror"]) if names & {str(part) for part in acl})


def grant(regions: Told, *operations: str) -> None:
    rule = {"principal": "mirror", "resource": "topic", "name": "orders.", "pattern": "prefixed"}
    ensure_acls(regions.client("eu"), [{**rule, "operations": list(operations)}], "present", False)


@pytest.mark.full
def test_the_backup_that_a_failback_made_keeps_its_rights_while_a_machine_stays_dead(regions):
    """The mirror that it turned round reads with the user that the one on the dead machine writes with."""
    regions.hosts["m1"] = DEAD
    left(regions, mirror={"m1": "no answer"})
    regions.stage("eu", "2", "failback", "na from eu", "compared", "clearing", "cleared", "seeded", ended=True)
    grant(regions, *READING, "WRITE")
    dummy, found = caught_up(regions)
    assert may(regions, "WRITE") == [] and len(may(regions, *READING)) == len(READING)
    assert set(found["unreached"]["mirror"]) == {"m1"}
