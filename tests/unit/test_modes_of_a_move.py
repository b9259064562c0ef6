# SPDX-License-Identifier: GPL-3.0-or-later
"""A run goes on with what an earlier one has done, but a planned move takes nothing from an unplanned one: that waited
for nothing, and proved nothing. The same holds for the two methods of a new backup.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.copies import asked_source
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from tests.unit.plugins.module_utils._ledger.test_fold import entry

ROLES = Path(__file__).resolve().parents[2] / "roles"
BEGUN = entry("1", "stage", "started")
ENDS = {"target": {"orders": {"0": 7}}, "source": {"orders": {"0": 7}}}
PROVEN = {"source": "na", "target": "eu", "verdict": "PROVEN"}
PROOF = entry("1", "proof", "proven", found={**PROVEN, "report": __file__})
ELSEWHERE = entry("1", "proof", "proven", found={**PROVEN, "report": "/another/machine/report.json"})
LATE = {"orders": {"0": 7}}
ACTIVE = entry("1", "active_region", "active", region="eu")


def ended(planned: bool) -> dict[str, Any]:
    return entry("1", "ends", found={**ENDS, "planned": planned})


def positions(planned: bool) -> dict[str, Any]:
    return entry("1", "positions", found={"planned": planned})


def evaluated(text: str, given: dict[str, Any]) -> Any:
    environment = jinja2.Environment()
    environment.filters["dict2items"] = lambda given: [{"key": key, "value": value} for key, value in given.items()]
    environment.filters["items2dict"] = lambda rows: {row["key"]: row["value"] for row in rows}
    environment.filters["bool"] = bool
    environment.filters["streamsafe.kafka_dr.asked_source"] = asked_source
    environment.filters["combine"] = lambda *given: {key: value for one in given for key, value in one.items()}
    environment.tests["file"] = os.path.isfile
    text = str(text).strip().removeprefix("{{").removesuffix("}}")
    return environment.compile_expression(text, undefined_to_none=False)(**given)


def runs(role: str, file: str, name: str, **given: Any) -> bool:
    """Whether the role does this task, by its own conditions."""
    tasks = yaml.safe_load((ROLES / role / "tasks" / file).read_text())
    task = next(one for one in tasks if one["name"] == name)
    variables = yaml.safe_load((ROLES / role / "vars" / "main.yml").read_text())
    left = {name: str(text) for name, text in variables.items() if name not in given and "streamsafe" not in str(text)}
    while left:
        # As Ansible does it, each after those that it is made of.
        name = next(one for one, text in left.items() if not set(re.findall(r"\w+", text)) & (set(left) - {one}))
        given[name] = evaluated(left.pop(name), given)
    conditions = task.get("when", True)
    return all(
        evaluated(str(one), given) for one in (conditions if isinstance(conditions, list) else [str(conditions)])
    )


def move(file: str, name: str, entries: list[dict[str, Any]], planned: bool = True, **more: Any) -> bool:
    known = fold([*entries, entry("2", "stage", "started")])
    return runs(
        "failover",
        file,
        name,
        failover_source="na",
        failover_target="eu",
        failover_planned=planned,
        failover_proof=True,
        ansible_check_mode=False,
        ledger_known=known,
        ledger_done=known["done"]["failover"],
        __failover_catches_up=False,
        __failover_moved_back=False,
        __failover_source={"reachable": True, "error": ""},
        **{
            "__failover_may_turn": False,
            "__failover_source_id": "",
            "__failover_uncovered": [],
            "__failover_watch": {"present": False},
            **more,
        },
    )


@pytest.mark.parametrize(
    ("entries", "so"),
    [
        pytest.param([BEGUN], True, id="begun anew"),
        pytest.param([BEGUN, PROOF], True, id="cut off before its ends"),
        pytest.param([BEGUN, PROOF, ended(True)], False, id="proven by a planned run"),
        pytest.param([BEGUN, ELSEWHERE, ended(True)], True, id="proven on another machine"),
        pytest.param(
            [BEGUN, ELSEWHERE, ended(True), positions(True)], False, id="and nothing needs its report any more"
        ),
        pytest.param([BEGUN, ended(True)], True, id="a planned run without a proof"),
        pytest.param([BEGUN, ended(False)], True, id="an unplanned run"),
        pytest.param([BEGUN, PROOF, ended(False)], True, id="an unplanned run after a proof"),
        pytest.param([BEGUN, ended(False), positions(False), ACTIVE], False, id="the target is in use"),
    ],
)
def test_a_planned_move_proves_the_copy_unless_it_is_proven(entries, so):
    assert move("main.yml", "Prove the copy", entries) is so


def test_a_mirror_that_is_to_be_turned_round_needs_the_report():
    entries = [BEGUN, ELSEWHERE, ended(True), positions(True)]
    assert move("main.yml", "Prove the copy", entries, __failover_may_turn=True, __failover_copy={})
    left = {"__failover_may_turn": True, "__failover_copy": {}, "__failover_late": {"ready": False}}
    assert not move("main.yml", "Prove the copy", entries, **left), "it is not turned round"


COMPLETE = {**PROVEN, "complete": True, "report": __file__}
TURNED = [
    BEGUN,
    entry("1", "proof", "proven", found=COMPLETE),
    ended(True),
    positions(True),
    entry("1", "turned", found={"planned": True}),
]
OTHERWISE = entry("2", "proof", "different", found={**PROVEN, "verdict": "LOSS", "complete": False, "report": "/r"})
ACCEPTED = entry("2", "late_records", found={"accepted": True, "total": 3, "late": []})
LAPSED = entry("2", "late_records", found={"accepted": False, "total": 0, "late": []})
GONE = entry("2", "gone", found={"topics": ["orders-0 ends at 0, and had been copied to 7"]})


@pytest.mark.parametrize(
    ("entries", "turned", "protected", "proven"),
    [
        pytest.param(TURNED[:-1], True, False, False, id="cut off before it turned it"),
        pytest.param(TURNED, False, True, False, id="turned"),
        pytest.param([*TURNED, GONE], False, False, False, id="something is gone since"),
        pytest.param([*TURNED[:-1], GONE], False, False, False, id="and was before it was turned"),
        pytest.param([*TURNED[:-1], ACCEPTED, LAPSED], False, False, False, id="and the source deleted what is late"),
        pytest.param([*TURNED, OTHERWISE], False, False, True, id="a later proof shows otherwise"),
        pytest.param([*TURNED[:-1], OTHERWISE], False, False, True, id="and did before it was turned"),
    ],
)
def test_no_mirror_is_turned_or_started_from_a_copy_that_is_not_the_proven_one(entries, turned, protected, proven):
    # A proof that is due comes first, and what it says counts.
    given = {"__failover_may_turn": True, "__failover_hinders": "", "proof_result": {}}
    assert move("main.yml", "Prove the copy", entries, **given) is proven
    assert move("main.yml", "Turn the mirror round", entries, **given) is turned
    assert move("main.yml", "Protect the target", entries, **given) is protected


@pytest.mark.parametrize(
    ("entries", "asked"), [([BEGUN], False), ([BEGUN, ended(False)], False), ([BEGUN, ended(True)], True)]
)
def test_a_run_that_goes_on_looks_for_late_records_before_it_proves_the_copy_again(entries, asked):
    tasks = [one["name"] for one in yaml.safe_load((ROLES / "failover" / "tasks" / "main.yml").read_text())]
    late = "Verify that nothing was written to the source since its ends were read"
    assert tasks.index(late) < tasks.index("Prove the copy")
    assert move("main.yml", late, entries) is asked
    assert not move("main.yml", late, [*entries, ACTIVE])


@pytest.mark.parametrize(
    ("ends", "late", "bounds"),
    [
        (True, {}, {}),
        (True, {"ready": True, "begins": {}}, {}),
        (True, {"ready": False, "begins": LATE}, {"source": LATE}),
        # An earlier move of the same play left them behind.
        (False, {"ready": False, "begins": LATE}, {}),
    ],
)
def test_what_was_accepted_to_stay_behind_is_not_compared(ends, late, bounds):
    tasks = yaml.safe_load((ROLES / "failover" / "tasks" / "main.yml").read_text())
    (prove,) = [one for one in tasks if one["name"] == "Prove the copy"]
    given = {"__failover_done": {"ends": {"found": ENDS}} if ends else {}, "__failover_late": late}
    assert evaluated(prove["vars"]["__failover_proof_bounds"], given) == bounds


def test_a_proof_against_a_manifest_is_no_proof_of_a_planned_move():
    manifest = entry("1", "proof", "proven", found={"source": "s3://bucket/manifest", "target": "eu"})
    assert move("main.yml", "Prove the copy", [BEGUN, manifest, ended(True)])


@pytest.mark.parametrize(
    ("watch", "manifest", "so"),
    [
        ({"present": True}, "", True),
        ({"present": False, "reason": "none"}, "/m", True),
        ({"present": True}, "/m", True),
        ({"present": False, "reason": "none"}, "", False),
    ],
)
def test_after_a_loss_the_copy_is_proven_by_a_watch_or_a_manifest(watch, manifest, so):
    name, given = "Prove what was copied before the loss", {"failover_manifest": manifest, "__failover_watch": watch}
    assert move("main.yml", name, [BEGUN, ended(False)], planned=False, **given) is so
    assert not move("main.yml", name, [BEGUN, ended(True)], **given)


@pytest.mark.parametrize("planned", [True, False])
def test_the_ends_of_an_unplanned_run_do_not_stand_for_a_planned_one(planned):
    entries = [BEGUN, ended(planned)]
    assert move("stop_mirror.yml", "stop_mirror | Record the ends", entries) is not planned
    assert not move("stop_mirror.yml", "stop_mirror | Record the ends", entries, planned=False)
    assert not move("stop_mirror.yml", "stop_mirror | Record the ends", [*entries, ACTIVE])


@pytest.mark.parametrize("planned", [True, False])
def test_nor_do_its_positions(planned):
    for name in ("positions | Translate and commit", "positions | Record them"):
        entries = [BEGUN, ended(True), positions(planned)]
        assert move("positions.yml", name, entries) is not planned
        assert not move("positions.yml", name, entries, planned=False)
        assert not move("positions.yml", name, [*entries, ACTIVE])


def test_a_planned_run_looks_whether_the_mirror_that_an_unplanned_one_stopped_had_copied_everything():
    wait, look = (
        "drain | Wait until the target has every record",
        "drain | Look whether the stopped mirror had copied all",
    )
    assert (move("drain.yml", wait, [BEGUN]), move("drain.yml", look, [BEGUN])) == (True, False)
    for entries, so in (
        ([BEGUN, ended(False)], True),
        ([BEGUN, ended(True)], False),
        ([BEGUN, ended(False), ACTIVE], False),
    ):
        assert (move("drain.yml", wait, entries), move("drain.yml", look, entries)) == (False, so)


def backup(entries: list[dict[str, Any]]) -> bool:
    about = {"stage": "new_backup", "about": "na to eu"}
    rows = [entry("1", "stage", "started", **about), *({**one, **about} for one in entries)]
    rows = [{**one, "offset": offset} for offset, one in enumerate([*rows, entry("2", "stage", "started", **about)])]
    known = fold(rows)
    return runs(
        "new_backup",
        "main.yml",
        "Let the mirror go on from where the restore ended",
        ledger_known=known,
        new_backup_method="continue",
        __new_backup_ended={},
    )


@pytest.mark.parametrize(
    ("entries", "so"),
    [
        ([], True),
        ([entry("1", "seeded")], False),
        ([entry("1", "seeded"), entry("1", "clearing")], True),
        ([entry("1", "seeded"), entry("1", "clearing"), entry("1", "cleared"), entry("1", "seeded")], False),
    ],
)
def test_a_copy_made_anew_takes_the_seeds_of_the_other_method_away(entries, so):
    assert backup(entries) is so
