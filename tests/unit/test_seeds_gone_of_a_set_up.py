# SPDX-License-Identifier: GPL-3.0-or-later
"""initial_setup starts a mirror that a stage turned round again only where it can go on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.test_gates_of_stages import MIRROR, refused
from tests.unit.test_offsets_gone_of_a_move import PROOF, copied, holding, proven

pytestmark = pytest.mark.slow
BACK = {**MIRROR, "name": "backup-back", "source": "eu", "target": "na"}
OTHER = {"query": "`false`", "message": "a gate of this test"}


def refusals(
    directory: Any, there: dict[str, Any], rows: list[dict[str, Any]] | None, leads_back: str = "backup-back"
) -> list[str]:
    """What the stage refuses with, by the gates that look at the mirror's topics.

    :param there: what the region has. :param rows: of the mirror's offsets; None where their topic is not there.
    """
    noted = {"exists": {"source_offsets": rows is not None}, "partitions": rows or []}
    turned = {"about": "na", "found": {"mirror": "backup-back", "partitions": 1}}
    proof = {**PROOF, "source": "na", "topics": [proven("logs"), *PROOF["topics"]]}
    steps = {"turned": turned, "proof": {"about": "na", "found": proof}}
    return refused(
        directory,
        "initial_setup",
        initial_setup_source="eu",
        initial_setup_target="na",
        initial_setup_mirror={**BACK, "topics": ["orders"]},
        initial_setup_require=[OTHER],
        kafka_dr_mirrors=[MIRROR],
        ledger={"active_region": "eu"},
        __initial_setup_source={"cluster_id": "B", "topics": holding(9, "t")["topics"]},
        __initial_setup_target={"cluster_id": "A", "groups": {}, **there},
        __initial_setup_mirrored=noted,
        __initial_setup_goes_on=noted,
        __initial_setup_there={"done": {"failover": steps}} if leads_back else {"done": {}},
        __initial_setup_turned=bool(leads_back),
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
    assert "Then delete orders and the internal topics of mirror backup-back in na" in first


@pytest.mark.parametrize(
    ("there", "rows", "leads_back"),
    [
        (holding(20), [copied(15)], "backup-back"),
        # All was deleted, as the gate says.
        ({"topics": {}}, None, "backup-back"),
        # One that nobody turned round was not seeded.
        (holding(3, "other"), [copied(9)], ""),
    ],
    ids=["whole", "emptied", "not turned"],
)
def test_one_that_can_go_on_is(tmp_path, there, rows, leads_back):
    (first,) = refusals(tmp_path, there, rows, leads_back)
    assert "a gate of this test" in first
