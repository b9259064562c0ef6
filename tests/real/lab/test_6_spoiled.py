# SPDX-License-Identifier: GPL-3.0-or-later
"""Drills that must lose something, or be red: for the right reason, with figures that agree with the stage's own."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from tests.real.lab.playing import ROOT

pytestmark = pytest.mark.full


def drill(tmp_path, *words) -> tuple[int, dict, str]:
    """Exit code, report and output of a small drill."""
    command = [
        sys.executable,
        str(ROOT / "lab" / "main.py"),
        "--lab",
        str(tmp_path / "lab"),
        "drill",
        "--history",
        "20000",
        "--report",
        str(tmp_path / "report"),
        *words,
    ]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    print(done.stdout)
    return done.returncode, json.loads((tmp_path / "report" / "report.json").read_text()), done.stdout


def failed(report) -> set[str]:
    return {one["name"] for one in report["checks"] if not one["passed"]}


def test_a_frozen_mirror_loses_what_the_stage_claims(tmp_path):
    code, report, said = drill(tmp_path, "--freeze", "8")
    assert code == 0, said
    assert report["verdict"] == "passed" and not failed(report)
    assert report["rpo"]["records"] > 1000 and 8 < report["rpo"]["seconds"] < 25
    assert sum(report["lost"].values()) == report["rpo"]["records"]
    assert (
        f"{report['rpo']['records']} records that the position witness saw in north_america were not copied to europe"
        in said
    )


def test_a_mirror_that_was_dead_before_the_loss_turns_it_red(tmp_path):
    code, report, said = drill(tmp_path, "--sabotage", "mirror")
    assert code == 1, said
    assert report["verdict"] == "failed" and failed(report) == {"rpo_objective"}
    assert report["rpo"]["records"] > 1000 and report["rpo"]["seconds"] > 10


def test_a_topic_that_was_deleted_on_the_target_turns_it_red(tmp_path):
    code, report, said = drill(tmp_path, "--sabotage", "topic")
    assert code == 1, said
    assert report["verdict"] == "failed" and failed(report) == {"stage_succeeded"}
    assert "Topic flights.cancelled is missing in europe although the mirror copied it" in " ".join(said.split())


@pytest.mark.parametrize(
    "where, told",
    [
        ("backup", r"flights\.departed-0: missing_head source offset \d+"),
        ("restored", r"changes after the proof: records of flights\.departed-0 before offset \d+ were deleted"),
    ],
)
def test_a_record_that_is_gone_from_a_restore_turns_it_red_and_is_named(tmp_path, where, told):
    code, report, said = drill(tmp_path, "--scenario", "restore", "--live", "4", "--sabotage", where)
    assert code == 1, said
    assert report["verdict"] == "failed" and failed(report) == {"stage_succeeded"}
    assert re.search(told, " ".join(said.split())), said
