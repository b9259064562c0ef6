# SPDX-License-Identifier: GPL-3.0-or-later
"""Gates look at the ledgers of all regions that a region is mirrored to; one that does not answer is refused by name.

Played without a cluster: nobody answers.
"""

from __future__ import annotations

import json

import pytest
import yaml

from tests.unit.test_missing_variables import INVENTORY, REGION, ansible

pytestmark = pytest.mark.slow
MIRROR = {"source": "north_america", "topics": [".*"]}
KNOWN = {"active_region": "north_america", "active_at": "", "writers": [], "open": False}
STAGE = {
    "preflight_stage": "failover",
    "preflight_left": "north_america",
    "preflight_ledger_region": "europe",
    "ledger_known": KNOWN,
}


def play(directory, mirrors, tasks_from, **values):
    inventory = json.loads(json.dumps(INVENTORY))
    inventory["all"]["children"]["clusters"]["hosts"]["asia"] = REGION
    inventory["all"]["vars"]["kafka_dr_mirrors"] = mirrors
    (directory / "hosts.json").write_text(json.dumps(inventory))
    # Of the gates, where those were looked at before.
    accepted = values.get("preflight_accept_elsewhere", [])
    active = {"active_region": "north_america", "active_at": "", "epoch": 0}
    move = {"stage": "failover", "left": "north_america", "ledger": "europe", "accepted": accepted, "further": []}
    move.update(gives_up="", decided="", active=active, words={}, signed=False, left_answers=False)
    tasks = [
        {
            "name": "Look",
            "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.preflight", "tasks_from": tasks_from},
            "vars": {**STAGE, **values, **({"preflight_move": move} if tasks_from == "begun.yml" else {})},
        },
        {
            "name": "Tell",
            "ansible.builtin.debug": {
                "msg": "OVERRIDDEN {{ preflight_overridden | default([]) }} HELD {{ preflight_held | default([]) }}"
            },
        },
    ]
    (directory / "play.yml").write_text(
        yaml.safe_dump(
            [{"name": "Look", "hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": tasks}]
        )
    )
    done = ansible("-i", str(directory / "hosts.json"), str(directory / "play.yml"), callback="ansible.builtin.default")
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def test_a_region_with_one_target_needs_no_other_ledger(tmp_path):
    code, said = play(tmp_path, [{**MIRROR, "name": "one", "target": "europe"}], "gates.yml")
    assert code == 0 and "HELD ['split_brain', 'elsewhere']" in said, said


def test_a_second_target_that_does_not_answer_is_refused_and_accepted_by_name(tmp_path):
    mirrors = [{**MIRROR, "name": name, "target": name} for name in ("europe", "asia")]
    code, said = play(tmp_path, mirrors, "gates.yml")
    assert code != 0 and "asia its ledger cannot be read: Cannot" in said and "failover_accept_elsewhere" in said, said
    code, said = play(tmp_path, mirrors, "gates.yml", preflight_accept_elsewhere=["asia"])
    assert code == 0 and "'elsewhere (asia)']" in said, said


def test_a_stage_that_has_begun_looks_again(tmp_path):
    mirrors = [{**MIRROR, "name": name, "target": name} for name in ("europe", "asia")]
    code, said = play(tmp_path, mirrors, "begun.yml")
    assert code != 0 and "are moved by another stage at this moment" in said and "failover_accept_elsewhere" in said, (
        said
    )
    code, said = play(tmp_path, mirrors, "begun.yml", preflight_accept_elsewhere="asia\n")
    assert code == 0, said
