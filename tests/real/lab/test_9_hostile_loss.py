# SPDX-License-Identifier: GPL-3.0-or-later
"""A region full of names and texts that others chose is looked at, lost, moved from, fenced and salvaged: all of them
are data.

A lab of its own, in the order of the story.
"""

from __future__ import annotations

import json
import re
import signal

import pytest
from confluent_kafka.admin import AdminClient

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from kafka_dr_lab.drill import MIRROR
from kafka_dr_lab.lab import Lab
from tests.real.lab.hostile_region import (
    COPIED,
    EACH,
    VERBOSE,
    await_copies,
    connected,
    copied,
    fill,
    grant,
    strangers,
    untouched,
    write,
)
from tests.real.lab.playing import SOURCE, TARGET, Playground
from tests.support.hostile import commands

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A mirror at work between regions full of hostile names, and where the mark would be."""
    base = tmp_path_factory.mktemp("hostile_loss")
    mark = base / "mark"
    try:
        ground = Playground(base / "lab")
        done = ground.stage("initial_setup", {"initial_setup_backup": True})
        assert done.returncode == 0, done.stdout[-3000:]
        fill(ground, str(mark))
        for region in (SOURCE, TARGET):
            await_copies(ground, region)
            grant(ground, str(mark), region)
        members = connected(ground, str(mark))
        yield ground, mark
        for one in members:
            one.close()
    finally:
        Lab(base / "lab").down()


def well(lab, name, extra, *words):
    """A stage that ends as with plain names; what it said."""
    ground, mark = lab
    done = ground.stage(name, extra, *words)
    untouched(ground, mark, done.stdout)
    assert done.returncode == 0, done.stdout[-6000:]
    return done.stdout


def page(lab, stage, directory, region=TARGET):
    """The page about a stage says its names as text."""
    extra = {"report_region": region, "report_stage": stage, "report_directory": str(directory)}
    well(lab, "report", extra)
    text = (directory / "report.html").read_text()
    assert "<script>document" not in text and "<img src=x" not in text
    assert "<evil/>" not in (directory / "junit.xml").read_text()
    return json.loads((directory / "report.json").read_text())


def test_set_up_goes_through_again(lab):
    well(lab, "initial_setup", {"initial_setup_backup": True}, *VERBOSE)


def test_a_probe(lab):
    words = {"probe_topic": "flights.kafka-dr-probe", "probe_writer": "departures-producer"}
    assert "PROVEN" in well(lab, "probe", words, *VERBOSE)


def test_a_proof_and_the_backup_s_status(lab, tmp_path):
    proof = {
        "proof_source": SOURCE,
        "proof_target": TARGET,
        "proof_ledger_region": TARGET,
        "proof_topics": r"flights\.(?!mm2-).*",
        "proof_wait_seconds": 60,
    }
    assert "PROVEN" in well(lab, "verify_restore", proof, *VERBOSE)
    asked = {"backup_status_region": SOURCE, "backup_status_backup": TARGET}
    ground, mark = lab
    file = tmp_path / "status.json"
    done = ground.stage("backup_status", {**asked, "backup_status_file": str(file)}, *VERBOSE)
    untouched(ground, mark, done.stdout)
    # What nobody copies is not proven, and what came since is not kept: as with plain names.
    assert done.returncode == 2 and "No proof covers flights.mm2-offsets.x.internal" in done.stdout, done.stdout[-3000:]
    assert not json.loads(file.read_text())["healthy"]


def test_the_doctor_reads_logs_that_others_write_to(lab, tmp_path):
    ground, mark = lab
    logs = [one for one in (ground.lab.directory / "regions" / TARGET).rglob("*.log") if "mirror" in str(one)]
    assert logs
    for log in logs:
        with log.open("a") as file:
            for text in commands(str(mark)):
                file.write(f"[2026-01-01 00:00:00,000] ERROR [{text}|task-0] {text}\n")
                file.write(f"org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized: [{text}]\n")
    file = tmp_path / "doctor.json"
    well(lab, "doctor", {"doctor_fail_on": "never", "doctor_report": str(file)}, *VERBOSE)
    findings = json.loads(file.read_text())[MIRROR.removeprefix("mirror-")]["findings"]
    assert [one["found"] for one in findings if "lookup('pipe'" in one["found"]], findings


def test_an_unplanned_failover_after_a_loss(lab):
    ground, mark = lab
    ground.lab.signal(signal.SIGSTOP, MIRROR)
    # The first answers what the mirror had asked for already, and may reach it.
    for dummy in range(2):
        write(ground.admin(SOURCE), COPIED, str(mark))
    ground.lab.lose(SOURCE, keep=True)
    ground.lab.signal(signal.SIGCONT, MIRROR)
    well(lab, "failover", None, *VERBOSE)


def test_the_page_of_the_failover(lab, tmp_path):
    page(lab, "failover", tmp_path)


def test_the_fence_names_strangers_and_goes_through_without_them(lab):
    ground, mark = lab
    ground.lab.start_again(SOURCE)
    AdminClient(ground.admin(SOURCE)).list_topics(timeout=120)
    about = {"fence_region": SOURCE, "fence_survivor": TARGET}
    strange = strangers(str(mark), ["READ", "WRITE"])
    ensure_acls(KafkaClient(ground.admin(SOURCE)), strange, "present", False)
    done = ground.stage("fence", about, *VERBOSE)
    untouched(ground, mark, done.stdout)
    assert done.returncode == 2 and "cannot be accepted on a command line" in done.stdout, done.stdout[-3000:]
    assert "fence_accept_unfenced" not in done.stdout
    for region in (SOURCE, TARGET):
        ensure_acls(KafkaClient(ground.admin(region)), strange, "absent", False)
    well(lab, "fence", about, *VERBOSE)


@pytest.mark.parametrize("words", [["--check"], []], ids=["check", "run"])
def test_a_failback_salvages_what_only_the_region_has(lab, words):
    ground, dummy = lab
    saved = ground.lab.directory / "work" / "salvaged"
    back = {
        "failback_region": SOURCE,
        "failback_from": TARGET,
        "failback_salvage": [
            {"topics": r"flights\.\.\.", "action": "export"},
            {"topics": "flights.x+", "action": "export"},
            {"topics": "flights.null|flights.true", "action": "side_topic"},
            {"topics": ".*", "action": "replay"},
        ],
        "failback_salvage_directory": str(saved),
        "failback_accept_side_topics": ["north-america-to-europe-back", "User:departures-consumer"],
    }
    held = {name: copied(ground, SOURCE, name) for name in COPIED}
    only_there = {name: count - copied(ground, TARGET, name) for name, count in held.items()}
    assert sum(only_there.values()) >= EACH
    well(lab, "failback", back, *VERBOSE, *words)
    if words:
        return
    known = ground.module("ledger_info")
    assert (known["active_region"], known["last"]["failback"]["found"]["verdict"]) == (TARGET, "PROVEN")
    assert known["last"]["failback"]["found"]["salvaged"] >= sum(only_there.values())
    exported, aside = {"flights...", "flights." + "x" * 241}, {"flights.null", "flights.true"}
    assert exported | aside < set(COPIED)
    for name in COPIED:
        kept = 0 if name in exported | aside else only_there[name]
        assert copied(ground, TARGET, name) == held[name] - only_there[name] + kept, name
    for name in aside:
        assert copied(ground, TARGET, name + ".salvaged") == only_there[name], name


def test_the_page_of_the_failback(lab, tmp_path):
    page(lab, "failback", tmp_path)


@pytest.mark.parametrize("name", ["failover", "backup_status"])
def test_junk_in_the_witness_topic_is_refused_by_each(lab, name):
    ground, mark = lab
    if name == "failover":
        write(ground.admin(SOURCE), ["__kafka_dr_positions"], str(mark))
    asked = {
        "failover": {"failover_source": TARGET, "failover_target": SOURCE, "failover_planned": True},
        "backup_status": {"backup_status_region": TARGET, "backup_status_backup": SOURCE},
    }[name]
    done = ground.stage(name, asked, *VERBOSE)
    untouched(ground, mark, done.stdout)
    assert done.returncode == 2 and "A witness key is not JSON" in done.stdout, done.stdout[-3000:]


@pytest.mark.parametrize("name", ["ledger", "fence", "failback", "report"])
def test_junk_in_the_ledger_is_refused_by_each(lab, name, tmp_path):
    ground, mark = lab
    if name == "ledger":
        write(ground.admin(TARGET), ["__kafka_dr_ledger"], str(mark))
    asked = {
        "ledger": {"ledger_region": TARGET},
        "fence": {"fence_region": SOURCE, "fence_survivor": TARGET},
        "failback": {"failback_region": SOURCE, "failback_from": TARGET},
        "report": {"report_region": TARGET, "report_stage": "failover", "report_directory": str(tmp_path)},
    }[name]
    done = ground.stage(name, asked, *VERBOSE)
    untouched(ground, mark, done.stdout)
    assert "Traceback" not in done.stdout and "docs/runbooks/ledger.md" in done.stdout, done.stdout[-3000:]


def test_the_way_out_that_is_named_leads_past_the_junk(lab):
    ground, dummy = lab
    told = ground.stage("ledger", {"ledger_region": TARGET}).stdout
    offsets = re.findall(r"ledger_pass_over=([0-9,-]+)", told)
    assert offsets, told[-3000:]
    well(lab, "ledger", {"ledger_region": TARGET, "ledger_pass_over": offsets[0]}, *VERBOSE)
    assert "docs/runbooks/ledger.md" not in well(lab, "ledger", {"ledger_region": TARGET}, *VERBOSE)
