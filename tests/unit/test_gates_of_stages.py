# SPDX-License-Identifier: GPL-3.0-or-later
"""The gates of stages, over what its preflight found: what is said in the night must not lead to harm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.about import STAGES
from kafka_dr_lab.playbook import collections_path

pytestmark = pytest.mark.slow

ROLES = Path(__file__).resolve().parents[2] / "roles"
MIRROR = {"name": "backup", "source": "na", "target": "eu", "topics": ["orders"]}
# As the modules return it, for a move whose mirror copied one topic.
FOUND = {
    "failover_source": "na",
    "failover_target": "eu",
    "failover_mirror": MIRROR,
    "failover_planned": True,
    "kafka_dr_ledger_secret": ["a secret of these tests"],
    "__failover_source": {
        "reachable": True,
        "error": "",
        "reason": "",
        "alive": True,
        "seen": [],
        "cluster_id": "A",
        "topics": {"orders": {}},
    },
    "__failover_target": {"cluster_id": "B", "topics": {"orders": {}}},
    "__failover_mirrored": {"partitions": [{"topic": "orders", "target_topic": "orders"}], "heartbeat": {"age": 900.0}},
    "ledger_truth": {"conflicts": [], "lacks": {}, "words": {}, "here": "eu", "aside": []},
    "__initial_setup_there": {},
    "initial_setup_source": "na",
    "initial_setup_target": "eu",
    "initial_setup_mirror": MIRROR,
    "__initial_setup_mirrored": {"partitions": []},
    "__initial_setup_source": {"cluster_id": "A"},
    "__initial_setup_target": {"cluster_id": "B", "topics": {}, "groups": {"shop": {"members": 2}}},
    "__failover_manifest": {"readable": True},
    "__failover_watch": {"present": False, "reason": "none is described"},
    "__failover_catches_up": False,
    "__failover_moved_back": False,
    "__failover_taken": [],
    "__failover_allowed": {},
    "credentials_rights": {"unfenceable": {}},
    "credentials_mirror_rights": {"unfenceable": {}},
    "preflight_silent": {"machines": {}, "clusters": {}},
}
LEDGER = {
    "writers": [],
    "begun": {},
    "last": {},
    "open": False,
    "stage": "failover",
    "about": "na to eu",
    "owner": "",
    "active_region": "eu",
}


def gates_of(stage):
    """The task that looks at the stage's gates."""
    tasks = yaml.safe_load((ROLES / stage / "tasks" / "preflight.yml").read_text())
    return next(one for one in tasks if "preflight_gates" in one.get("vars", {}))


def refused(directory, role="failover", only=None, first=(), told=(), **more):
    """What the stage refuses with.

    :param only: the one gate to look at, by its name.
    :param first: names of tasks of the preflight that are played before.
    :param told: tasks that are played before these.
    """
    gates, role = gates_of(role), ROLES / role
    before = [one for one in yaml.safe_load((role / "tasks" / "preflight.yml").read_text()) if one["name"] in first]
    assert len(before) == len(first)
    # Regions of this play have no clusters, whose access could be tried, and whose ledgers could be read.
    gates["vars"].update(preflight_writes=[], preflight_left="")
    if only:
        (gates["vars"]["preflight_gates"],) = ([one] for one in gates["vars"]["preflight_gates"] if one["name"] == only)
    found = {
        **yaml.safe_load((role / "defaults" / "main.yml").read_text()),
        **yaml.safe_load((role / "vars" / "main.yml").read_text()),
        **FOUND,
        "ledger_known": {**LEDGER, **more.pop("ledger", {})},
        **more,
    }
    tasks = [*told, *before, gates]
    play = [{"hosts": "localhost", "connection": "local", "gather_facts": False, "vars": found, "tasks": tasks}]
    (directory / "play.yml").write_text(yaml.safe_dump(play))
    env = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_STDOUT_CALLBACK": "streamsafe.kafka_dr.stage",
        "ANSIBLE_NOCOLOR": "1",
    }
    command = [str(Path(sys.executable).parent / "ansible-playbook"), str(directory / "play.yml"), "-e", json.dumps({})]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2 and "Refused, nothing was changed:" in done.stdout, done.stdout + done.stderr
    return [
        line.strip()[2:]
        for line in done.stdout.partition("Refused, nothing was changed:")[2].splitlines()
        if line.strip().startswith("- ")
    ]


@pytest.mark.parametrize("planned", [True, False])
def test_a_move_that_was_made_advises_nobody_to_start_its_mirror_again(tmp_path, planned):
    """Nor to make it once more in another way."""
    said = refused(tmp_path, failover_planned=planned)
    assert len(said) == 1 and "The move was made already: nothing is left to be done" in said[0], said
    assert "playbook fence" in said[0] and "exchanged" not in said[0]


@pytest.mark.parametrize(
    ("watch", "told"),
    [
        ({"present": False, "reason": "none is described"}, "found none, since none is described"),
        ({"present": True, "unproven_records": 7}, "Your own gate is closed: all has to be proven"),
    ],
)
def test_a_gate_of_the_user_that_asks_for_the_standing_proof_is_closed_without_one(tmp_path, watch, told):
    require = [{"query": "report.watch.unproven_records == `0`", "message": "all has to be proven"}]
    found = refused(tmp_path, only="source_topics", failover_require=require, __failover_watch=watch)
    assert any(told in line for line in found), found


def test_a_mirror_whose_topics_are_renamed_is_not_turned_round(tmp_path):
    """Seeding it would be refused once the mirror of the move has stopped."""
    copied = [("orders", "orders"), ("shop.heartbeats", "na.shop.heartbeats")]
    more = {
        "failover_mirror": {**MIRROR, "topics": [".*"]},
        "failover_reverse": True,
        "__failover_lacks": "",
        "__failover_mirrored": {"partitions": [{"topic": topic, "target_topic": copy} for topic, copy in copied]},
        "ledger": {"active_region": "na"},
    }
    (said,) = refused(tmp_path, only="reverse", **more)
    assert "found that MirrorMaker 2 renames shop.heartbeats" in said and "-e failover_reverse=false" in said


def test_a_mirror_that_needs_more_brokers_than_there_are_is_not_turned_round(tmp_path):
    """Its topics would be refused in the source once applications have left it."""
    more = {
        "failover_mirror": {**MIRROR, "tuning": {"replication_factor": 3}},
        "failover_reverse": True,
        "__failover_lacks": "",
        "__failover_source": {"reachable": True, "error": "", "topics": {}, "cluster_id": "A", "brokers": 1},
        "ledger": {"active_region": "na"},
    }
    (said,) = refused(tmp_path, only="reverse", **more)
    assert "found tuning.replication_factor 3 of mirror" in said and "and 1 broker in na" in said, said


@pytest.mark.parametrize(("topics", "told"), [(["orders", "bills"], 0), (["bills"], 1)])
def test_a_manifest_may_lack_what_the_watch_stands_for(tmp_path, topics, told):
    require = [{"query": "`false`", "message": "a gate of this test"}]
    found = refused(
        tmp_path,
        only="manifest_covers",
        failover_require=require,
        __failover_manifest={"readable": True, "uncovered": ["orders"]},
        __failover_watch={"present": True, "topics": topics},
    )
    assert len([line for line in found if "does not cover topic orders" in line]) == told, found


def test_a_source_that_shows_none_of_the_mirrors_topics_is_not_moved_from(tmp_path):
    """After its fence nothing would be waited for."""
    blind = {**FOUND["__failover_source"], "topics": {}}
    (told,) = refused(tmp_path, ledger={"active_region": "na"}, only="source_topics", __failover_source=blind)
    assert "na shows no topic that mirror backup copies" in told and "may DESCRIBE them" in told


def test_another_active_region_means_other_regions(tmp_path):
    said = refused(tmp_path, ledger={"active_region": "asia"})
    assert len(said) == 1 and "is asia: expected na. Name the right regions" in said[0], said


def test_a_move_that_is_open_leads_past_no_third_region(tmp_path):
    """Another run has led the applications there since; the ledger that has it open may not know."""
    (told,) = refused(tmp_path, ledger={"open": True, "active_region": "asia"}, only="active_region")
    assert "is asia: expected na. Name the right regions" in told


def test_a_mirror_that_stands_is_told_before_a_move(tmp_path):
    said = refused(tmp_path, ledger={"active_region": "na"})
    assert len(said) == 1 and "shows no sign of life" in said[0] and "failover_accept_stale_mirror=true" in said[0], (
        said
    )


@pytest.mark.parametrize(
    ("planned", "ledger", "needed"),
    [(True, {"active_region": "na"}, 1), (False, {"active_region": "na"}, 0), (True, {"open": True}, 0)],
)
def test_only_a_planned_move_needs_every_machine_until_its_target_is_named(tmp_path, planned, ledger, needed):
    """The dead take nothing with them where the region is lost: an unplanned one goes on without them."""
    dead = {"machines": {"broker-1": "no answer within 15 s"}, "clusters": {"farm": "Connection refused"}}
    # One that is always closed, so that there is something to read.
    require = [{"query": "`false`", "message": "a gate of this test"}]
    said = refused(tmp_path, ledger=ledger, failover_planned=planned, preflight_silent=dead, failover_require=require)
    told = [one for one in said if "expected all to answer" in one]
    assert len(told) == needed, said
    assert all("broker-1 (no answer within 15 s)" in one and "farm" in one for one in told), said
    assert all("the region is lost, leave out failover_planned" in one for one in told), said


TURNED = {"done": {"failover": {"turned": {"found": {"mirror": "backup-back"}}}}}
BROUGHT_BACK = {
    "last": {"failover": {"about": "na to eu", "offset": 7}},
    "brought_back": {"na from eu": {"offset": 9, "found": {"mirror": "backup-back"}}},
}


USED = {"conflicts": [{"epoch": 2, "stories": [{"region": region, "told": [region]} for region in ("na", "eu")]}]}


@pytest.mark.parametrize(
    ("how", "beside", "planned"), [(TURNED, {}, True), (BROUGHT_BACK, {}, True), ({}, {}, False), (TURNED, USED, False)]
)
def test_a_backup_that_a_turned_mirror_writes_to_is_not_fenced(tmp_path, how, beside, planned):
    """A fence takes from the old mirror what lets it write to either region; the turned one has the same principal."""
    said = refused(
        tmp_path,
        "fence",
        ledger={"done": {}, **how, "active_region": "eu" if planned else "na"},
        fence_region="na",
        fence_survivor="eu",
        fence_mirror=MIRROR,
        preflight_clusters={"na": "A", "eu": "B"},
        **({"ledger_truth": {**FOUND["ledger_truth"], **beside}} if beside else {}),
    )
    assert len(said) == 1
    assert (
        "na is the backup of eu since the stage that turned its mirror round" in said[0] and "backup-back" in said[0]
    ) == planned, said


@pytest.mark.parametrize("stage", STAGES)
def test_others_who_may_write_to_the_ledger_stop_every_stage(tmp_path, stage):
    may = "User:stray may WRITE __kafka_dr_ledger (ALLOW WRITE topic:__kafka_dr_ledger LITERAL)"
    regions = {f"{stage}_{STAGES[stage].region}": "na", f"{stage}_{STAGES[stage].other}": "eu"}
    found = {"ledger": {"writers": [may]}, "__failback_moving": False, "__failback_ended": False}
    (said,) = refused(tmp_path, stage, "ledger_writers", **{**found, **regions})
    # A move whose target is lost is given up in the ledger of its source.
    own = "na" if stage == "abort_move" else "eu"
    assert f"Others may write to the ledger of {own}" in said and f"found {may}. Take these rights away" in said
    assert said.endswith(f"-e {stage}_accept_ledger_writers=true")


@pytest.mark.parametrize(
    ("active", "words"), [("eu", ["Applications work there, leave them alone"]), ("", ["Stop its consumers"])]
)
def test_consumers_of_applications_that_were_moved_are_not_to_be_stopped(tmp_path, active, words):
    said = refused(tmp_path, "initial_setup", ledger={"active_region": active})
    assert len(said) == len(words) and all(word in one for word, one in zip(words, said, strict=True)), said


@pytest.mark.parametrize(
    ("witness", "words"),
    [
        ({"cluster_id": "C"}, "failover_manifest was made of cluster A: expected that of na"),
        ({"cluster_id": ""}, "Nobody knows whether failover_manifest is of na"),
        ({"cluster_id": "A"}, ""),
    ],
)
def test_a_manifest_of_a_source_that_does_not_answer_is_held_against_what_the_witness_knows(tmp_path, witness, words):
    lost = {"reachable": False, "error": "unreachable", "reason": "no answer", "alive": False, "seen": [], "topics": {}}
    manifest = {"readable": True, "cluster_id": "A", "uncovered": []}
    mirrored = {**FOUND["__failover_mirrored"], "witness": witness}
    said = refused(
        tmp_path,
        failover_planned=False,
        failover_manifest="/m",
        __failover_source=lost,
        __failover_mirrored=mirrored,
        __failover_manifest=manifest,
    )
    about = [one for one in said if "failover_manifest" in one]
    assert (len(about) == 1 and words in about[0]) if words else not about, said


@pytest.mark.parametrize("stage", sorted(set(STAGES) - {"failback"}))
def test_every_stage_of_kubernetes_tries_its_access_to_both_regions(stage):
    """What the module answers is seen on a real API server. ``failback`` refuses Kubernetes."""
    given = gates_of(stage)["vars"]
    assert given["preflight_accept_access"] == f"{{{{ {stage}_accept_access }}}}"
    # A move is given up without its target.
    for region in (STAGES[stage].region, STAGES[stage].other)[: 1 if stage == "abort_move" else 2]:
        assert f"{stage}_{region}" in str(given["preflight_writes"])
