# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-runner, which AWX starts jobs with: playbooks by their full names, what a refusal looks like to it, results
for a person and for CI.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kafka_dr_lab.playbook import collections_path

pytestmark = pytest.mark.slow

runner = pytest.importorskip("ansible_runner", reason="ansible-runner is not installed: make environment")
NAMESPACE = "streamsafe.kafka_dr."
REGION = {
    "kafka_dr_platform": "kubernetes",
    "kafka_dr_kubernetes": {"namespace": "kafka", "cluster": "main"},
    "kafka_dr_users": [{"name": "kdr-stages", "purpose": "stages"}],
}

REQUIRED = {
    "initial_setup": "initial_setup_source",
    "failover": "failover_source",
    "recreate_from_backup": "recreate_from_backup_region",
    "resume": "resume_region",
    "new_backup": "new_backup_region",
}


@pytest.fixture
def run(tmp_path):
    """Runs a playbook as a controller does; returns the runner and what it printed."""
    (tmp_path / "inventory").mkdir()
    hosts = {
        "localhost": {"ansible_connection": "local"},
        "north_america": REGION,
        "europe": REGION,
        "asia": {"kafka_dr_client": {"bootstrap.servers": "x:1"}},
    }
    (tmp_path / "inventory" / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts}}))

    def once(name, *words, **extra):
        done = runner.run(
            private_data_dir=str(tmp_path),
            playbook=NAMESPACE + name,
            extravars=extra,
            cmdline=" ".join(words),
            quiet=True,
            envvars={
                "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
                "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            },
        )
        return done, done.stdout.read()

    return once


def test_a_playbook_that_only_reads_ends_with_0(run, tmp_path):
    done, said = run("rbac", rbac_file=str(tmp_path / "roles.yml"))
    assert (done.rc, done.status) == (0, "successful"), said
    assert (
        "kind: Role" in (tmp_path / "roles.yml").read_text()
        and "kind: KafkaUser" in (tmp_path / "roles.yml").read_text()
    )
    assert (
        done.stats["changed"] == {"localhost": 1}
        and run("rbac", rbac_file=str(tmp_path / "roles.yml"))[0].stats["changed"] == {}
    )


def test_a_missing_answer_ends_with_2_and_is_named(run):
    done, said = run("backup_status")
    assert (done.rc, done.status) == (2, "failed")
    assert "backup_status_region" in said


@pytest.mark.parametrize("stage", REQUIRED)
def test_every_stage_refuses_to_begin_without_its_regions(run, stage):
    done, said = run(stage, "--check")
    assert (done.rc, done.status) == (2, "failed")
    missing = re.search(r"missing required arguments: ([\w, ]+)", said)
    assert missing and REQUIRED[stage] in missing[1], said
    assert done.stats["changed"] == {}


def test_an_unknown_region_is_refused_in_words(run):
    done, said = run(
        "failover",
        failover_source="atlantis",
        failover_target="asia",
        failover_mirror={"name": "x", "source": "atlantis", "target": "asia"},
    )
    assert done.rc == 2 and "Region atlantis is unknown: expected one of asia" in said


def test_the_page_of_a_report_and_its_junit(run, tmp_path):
    report = {
        "verdict": "LOSS",
        "complete": False,
        "reasons": ["topic orders is missing"],
        "totals": {"records_source": 5, "records_target": 0},
        "topics": [],
        "source": "a",
        "target": "b",
    }
    (tmp_path / "report.json").write_text(json.dumps(report))
    done, said = run("report", report_file=str(tmp_path / "report.json"), report_directory=str(tmp_path / "page"))
    assert done.rc == 0 and f"LOSS: {tmp_path}/page/report.html" in said
    suite = ElementTree.parse(tmp_path / "page" / "junit.xml").getroot()[0]
    assert suite.get("failures") == "1" and "topic orders is missing" in (tmp_path / "page" / "report.html").read_text()
    again = run("report", report_file=str(tmp_path / "report.json"), report_directory=str(tmp_path / "page"))[0]
    assert again.stats["changed"] == {}


def test_a_report_that_is_not_there_ends_with_2(run, tmp_path):
    done, said = run("report", report_file="/nowhere/report.json", report_directory=str(tmp_path / "page"))
    assert (
        done.rc == 2 and "The report /nowhere/report.json cannot be read" in said and not (tmp_path / "page").exists()
    )
