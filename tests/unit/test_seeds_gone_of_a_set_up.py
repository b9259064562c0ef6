# SPDX-License-Identifier: GPL-3.0-or-later
"""initial_setup starts a mirror that a stage turned round again only where it can go on."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from tests.support.stand_ins import REGIONS, StandIns
from tests.unit.test_gates_of_stages import MIRROR, refused
from tests.unit.test_offsets_gone_of_a_move import PROOF, copied, holding, proven

pytestmark = pytest.mark.slow
BACK = {**MIRROR, "name": "backup-back", "source": "eu", "target": "na"}
OTHER = {"query": "`false`", "message": "a gate of this test"}


TURNED = {"about": "na", "run": "r", "offset": 5, "found": {"mirror": "backup-back", "partitions": 1}}


def refusals(
    directory: Any,
    there: dict[str, Any],
    rows: list[dict[str, Any]] | None,
    active: str = "eu",
    name: str = "backup-back",
    **steps: Any,
) -> list[str]:
    """What the stage refuses with, by the gates that look at the mirror's topics.

    :param there: what the region has. :param rows: of the mirror's offsets; None where their topic is not there.
    :param active: the region that works. :param name: of the mirror. :param steps: of the move, by the ledger.
    """
    noted = {"exists": {"source_offsets": rows is not None}, "partitions": rows or []}
    proof = {**PROOF, "source": "na", "topics": [proven("logs"), *PROOF["topics"]]}
    moved = {"turned": TURNED, "proof": {"about": "na", "found": proof}, **steps}
    return refused(
        directory,
        "initial_setup",
        initial_setup_source="eu",
        initial_setup_target="na",
        initial_setup_mirror={**BACK, "name": name, "topics": ["orders"]},
        initial_setup_require=[OTHER],
        kafka_dr_mirrors=[MIRROR],
        ledger={"active_region": active},
        __initial_setup_source={"cluster_id": "B", "topics": holding(9, "t")["topics"]},
        __initial_setup_target={"cluster_id": "A", "groups": {}, **there},
        __initial_setup_mirrored=noted,
        __initial_setup_goes_on=noted,
        __initial_setup_there={"done": {"failover": moved}},
        __initial_setup_turned=False,
    )


@pytest.mark.parametrize(
    ("there", "rows", "words"),
    [
        (holding(3, "other"), [copied(9)], "orders is another topic than the one that was compared"),
        (holding(3), [copied(9)], "orders-0 ends at 3, and was proven to 9"),
        ({"topics": {}}, [copied(9)], "orders is not there"),
        (holding(9), [copied(2)], "the mirror's offset of orders-0 is 2, and was 9 at least"),
        (holding(9), None, "the offsets of backup-back are gone from na, so that it would copy everything there once"),
    ],
    ids=["made again", "cut", "deleted", "set back", "without offsets"],
)
def test_a_turned_mirror_that_cannot_go_on_is_not_started(tmp_path, there, rows, words):
    first = refusals(tmp_path, there, rows)[0]
    assert f"found {words}" in first and "initial_setup_accept_unseeded" in first, first
    assert "Then remove the mirror" in first


def test_nor_is_one_that_is_described_under_another_name(tmp_path):
    """Its offsets are those of the regions, whatever it is called."""
    first = refusals(tmp_path, holding(3), [copied(9)], name="west")[0]
    assert "Mirror backup-back was turned round" in first and "orders-0 ends at 3" in first


@pytest.mark.parametrize(
    ("there", "rows", "more"),
    [
        (holding(20), [copied(15)], {}),
        # All was deleted, as the gate says.
        ({"topics": {}}, None, {}),
        # What became of one that has run, the doctor finds.
        (holding(3, "other"), [copied(9)], {"protected": {"about": "na"}}),
        # The region that works is not asked to delete its topics.
        (holding(3, "other"), [copied(9)], {"active": "na"}),
    ],
    ids=["whole", "emptied", "has run", "the wrong way"],
)
def test_one_that_can_go_on_is(tmp_path, there, rows, more):
    found = refusals(tmp_path, there, rows, **more)
    assert not any("was turned round" in reason for reason in found) and "a gate of this test" in found[-1]


BEGUN = {
    "about": "eu to na",
    "offset": 3,
    "found": {"seeds": {"move": "r at 5", "without_proof": False, "anew": ["bills"]}},
}


def looked(*anew: str, **more: bool) -> dict[str, Any]:
    return {"move": "r at 5", "without_proof": False, "anew": [*anew], **more}


@pytest.mark.parametrize(
    ("there", "begun", "told", "kept"),
    [
        (holding(20), {}, {}, looked()),
        ({"topics": {}}, {}, {}, looked("orders")),
        # An earlier run has begun to copy it.
        (holding(20), BEGUN, {}, looked("bills")),
        ({"topics": {}}, BEGUN, {}, looked("bills", "orders")),
        (holding(20), {**BEGUN, "about": "asia to na"}, {}, looked()),
        # What is not whole was accepted.
        (holding(3), {}, {}, looked("orders")),
        # An earlier one has ended, which later ones know too.
        (holding(3), BEGUN, {"ended": 4}, looked("bills", ended=True)),
        # Nobody knows what the source's ledger says.
        (holding(3), BEGUN, {"unread": True}, looked("bills")),
    ],
    ids=["whole", "emptied", "one anew", "more anew", "another set-up", "accepted", "ended", "unread"],
)
def test_what_a_run_has_looked_at_is_what_its_ledger_keeps(tmp_path, there, begun, told, kept):
    tell = {"name": "Tell", "ansible.builtin.debug": {"msg": "LOOKED {{ __initial_setup_looked | to_json }}."}}
    world = StandIns(tmp_path, {}, {"roles/initial_setup/tasks/looked.yml": yaml.safe_dump([tell])})
    proof = {"about": "na", "found": {**PROOF, "source": "na"}}
    rows = [copied(9)] if there["topics"] else []
    known = {"done": {"failover": {"turned": TURNED, "proof": proof}}, "active_region": "eu"}
    last = {"initial_setup": {"offset": told["ended"]}} if "ended" in told else {}
    code, output = world.play(
        "initial_setup",
        "looked.yml",
        REGIONS,
        initial_setup_source="eu",
        initial_setup_target="na",
        kafka_dr_mirrors=[MIRROR],
        ledger_known={"active_region": "eu", "begun": {"initial_setup": begun} if begun else {}, "last": last},
        __initial_setup_there={"failed": True} if "unread" in told else known,
        __initial_setup_source={"topics": holding(9, "t")["topics"]},
        __initial_setup_target=there,
        __initial_setup_goes_on={"exists": {"source_offsets": bool(rows)}, "partitions": rows},
    )
    assert code == 0, output
    assert json.loads(output.replace('\\"', '"').partition("LOOKED ")[2].partition(".")[0]) == kept
