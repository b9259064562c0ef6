# SPDX-License-Identifier: GPL-3.0-or-later
"""A source that is lost, but whose manifest was saved or whose copy was proven before: answers become exact, also over
a transactional topic.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.support import offsets_lab as lab
from tests.support.kafka import ROOT

from .conftest import TOPICS

pytestmark = pytest.mark.real


def job(directory, *words):
    """The Spark job; its exit code."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "spark" / "main.py"), *words, "--quiet"],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        cwd=directory,
    )
    return done.returncode, done.stdout + done.stderr


def config(directory, name, cluster):
    path = directory / f"{name}.json"
    path.write_text(json.dumps(cluster.client))
    path.chmod(0o600)
    return str(path)


@pytest.fixture(scope="module")
def manifest(world, tmp_path_factory):
    directory = tmp_path_factory.mktemp("manifest")
    code, told = job(
        directory,
        "manifest",
        "--config",
        config(directory, "source", world["source"]),
        "--topics",
        TOPICS,
        "--out",
        str(directory / "saved"),
    )
    assert code == 0, told
    return directory / "saved"


def judged(world, plan):
    """{group: (records repeated, records skipped)} against what the target holds."""
    held = {topic: lab.copies(world["target"], topic) for topic in ("orders", "payments")}
    found = {}
    for group, journal in world["journals"].items():
        answers = {row["partition"]: row["to"] for row in plan if row["group"] == group}
        assert len(answers) == 3
        found[group] = lab.outcome(journal, held[group.split("-")[0]], answers)
    return found


def lost(world, **more):
    ends = lab.ends_of(world["target"], "orders", "payments")
    return lab.translate(None, world["target"], check=True, target_ends=ends, **more)["plan"]


def test_without_either_a_transactional_topic_is_answered_from_below(world):
    plan = lost(world)
    assert any(row["confidence"] == "lower_bound" for row in plan if row["topic"] == "payments")


def test_a_manifest_makes_a_lost_source_exact(world, manifest):
    plan = lost(world, manifest=str(manifest))
    assert {row["confidence"] for row in plan} <= {"exact_verified", "exact_counted", "exact_at_end"}
    assert any(row["confidence"] == "exact_verified" for row in plan if row["topic"] == "payments")
    assert set(judged(world, plan).values()) == {(0, 0)}


def test_a_manifest_of_another_topic_of_that_name_says_nothing(world, manifest, tmp_path):
    content = json.loads((manifest / "manifest.json").read_text())
    content["topics"]["payments"]["topic_id"] = "AAAAAAAAAAAAAAAAAAAAAA"
    (tmp_path / "manifest.json").write_text(json.dumps(content))
    (tmp_path / "data").symlink_to(manifest / "data")
    with_stranger = {
        (row["group"], row["partition"]): row["to"]
        for row in lost(world, manifest=str(tmp_path))
        if row["topic"] == "payments"
    }
    assert with_stranger == {
        (row["group"], row["partition"]): row["to"] for row in lost(world) if row["topic"] == "payments"
    }


def test_the_map_of_a_proof_makes_a_lost_source_exact(world, tmp_path):
    report = tmp_path / "report.json"
    code, told = job(
        tmp_path,
        "compare",
        "--source-config",
        config(tmp_path, "source", world["source"]),
        "--target-config",
        config(tmp_path, "target", world["target"]),
        "--topics",
        TOPICS,
        "--report",
        str(report),
    )
    assert code == 0, told
    plan = lost(world, proof_report=str(report))
    assert {row["confidence"] for row in plan} <= {"exact_verified", "exact_at_end"}, plan
    assert any("proof" in row["evidence"] for row in plan)
    assert set(judged(world, plan).values()) == {(0, 0)}


def test_what_is_no_manifest_and_no_report_is_refused(world, tmp_path):
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import FormatError, UsageError

    with pytest.raises(UsageError, match="cannot be read"):
        lost(world, manifest=str(tmp_path / "absent"))
    with pytest.raises(UsageError, match="cannot be read"):
        lost(world, proof_report=str(tmp_path / "absent"))
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(FormatError, match="no manifest of this version"):
        lost(world, manifest=str(tmp_path))
    with pytest.raises(FormatError, match="not a proof's report"):
        lost(world, proof_report=str(tmp_path / "manifest.json"))
