# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that people name are sought and written where they stand, not where the collection is installed: modules on
this machine work beside the playbook.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from kafka_dr_lab.playbook import collections_path

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
REGION = {
    "kafka_dr_platform": "kubernetes",
    "kafka_dr_kubernetes": {"namespace": "kafka", "cluster": "main"},
    "kafka_dr_users": [],
}
SEEN = {
    "name": "backup",
    "source": "north_america",
    "target": "europe",
    "state": "silent",
    "looks": 3,
    "for_seconds": 60.0,
}
PROOF = {
    "verdict": "LOSS",
    "complete": False,
    "reasons": ["x"],
    "totals": {},
    "topics": [],
    "source": "a",
    "target": "b",
}


@pytest.fixture
def play(tmp_path):
    (tmp_path / "inventory.yml").write_text(
        yaml.safe_dump({"all": {"hosts": {"north_america": REGION, "europe": REGION}}})
    )
    env = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "HOME": str(tmp_path / "home"),
    }
    before = sorted((ROOT / "playbooks").iterdir())

    def call(name, **answers):
        command = [
            str(Path(sys.executable).parent / "ansible-playbook"),
            "-i",
            "inventory.yml",
            name,
            "-e",
            json.dumps(answers),
        ]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout
        assert sorted((ROOT / "playbooks").iterdir()) == before
        return done.stdout

    return call


def test_the_roles(play, tmp_path):
    play("streamsafe.kafka_dr.rbac", rbac_file="roles.yml")
    assert "kind: Role" in (tmp_path / "roles.yml").read_text()


def test_a_path_that_begins_at_home(play, tmp_path):
    (tmp_path / "home").mkdir()
    play("streamsafe.kafka_dr.rbac", rbac_file="~/roles.yml")
    assert (tmp_path / "home" / "roles.yml").is_file()


def test_a_report_and_its_page(play, tmp_path):
    (tmp_path / "proof.json").write_text(json.dumps(PROOF))
    play("streamsafe.kafka_dr.report", report_file="proof.json", report_directory="page")
    assert (tmp_path / "page" / "report.html").is_file()


def test_a_proof_as_a_job_with_its_secrets(play, tmp_path):
    client = {
        "kafka_dr_platform": "managed",
        "kafka_dr_client": {"bootstrap.servers": "127.0.0.1:1"},
        "kafka_dr_client_secrets": {},
    }
    (tmp_path / "inventory.yml").write_text(
        yaml.safe_dump({"all": {"hosts": {"north_america": client, "europe": client}}})
    )
    play(
        "streamsafe.kafka_dr.proof_job",
        proof_job_source="europe",
        proof_job_target="north_america",
        proof_job_namespace="kafka",
        proof_job_image="i:1",
        proof_job_file="job.yml",
    )
    assert (
        "kind: Secret" in (tmp_path / "job.yml").read_text() and (tmp_path / "job.yml").stat().st_mode & 0o777 == 0o600
    )


def test_a_request(play, tmp_path):
    play("streamsafe.kafka_dr.request_failover", request_directory="requests", request_seen=SEEN)
    assert (tmp_path / "requests" / "failover-backup.json").is_file()


@pytest.mark.parametrize(
    ("place", "found"),
    [("saved", "{here}/saved"), ("/backup/saved", "/backup/saved"), ("s3://backup/saved", "s3://backup/saved")],
)
def test_a_manifest(play, tmp_path, place, found):
    said = [{"ansible.builtin.debug": {"msg": "at {{ __proof_place }}"}, "vars": {"proof_manifest": place}}]
    tasks = [{"ansible.builtin.include_vars": str(ROOT / "roles" / "proof" / "vars" / "main.yml")}, *said]
    (tmp_path / "play.yml").write_text(
        yaml.safe_dump([{"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": tasks}])
    )
    assert f'"at {found.format(here=tmp_path)}"' in play("play.yml")


def test_no_task_writes_beside_the_playbook():
    """Every file of the controller that a role or a playbook takes by its name is made absolute where it is used."""
    names = (
        "backup_status_file|doctor_report|probe_file|proof_job_file|report_file|report_directory|rbac_file|"
        "request_directory|proof_workdir|proof_manifest|failover_manifest|recreate_from_backup_manifest"
    )
    named = rf"\{{\{{ *(?:\['\.' \| realpath, )?(?:{names})\b"
    used = {
        path: re.findall(
            rf"(?:dest|src|path|(?<!_)manifest|set_fact|--out.*|--manifest.*): \"{named}[^\"]*", path.read_text()
        )
        for place in ("roles", "playbooks")
        for path in (ROOT / place).rglob("*.yml")
    }
    found = [one for several in used.values() for one in several]
    assert len(found) >= 10 and not [one for one in found if not re.search(r"realpath|manifest_place", one)]
    # A link at the place itself is not resolved: somebody else may have put it there.
    assert not [one for one in found if "expanduser | realpath" in one and "report_file" not in one]
