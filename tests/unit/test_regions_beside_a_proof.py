# SPDX-License-Identifier: GPL-3.0-or-later
"""A proof in the course of a stage is about the regions of that stage: a mistake about another one, which the stage's
preflight told as a warning, does not end it once applications are fenced.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from kafka_dr_lab.playbook import collections_path

pytestmark = pytest.mark.slow
REGION = {
    "kafka_dr_platform": "managed",
    "kafka_dr_client": {"bootstrap.servers": "127.0.0.1:1"},
    "kafka_dr_client_secrets": {},
    "kafka_dr_mirror_directory": "/var/lib/mirrors",
    "kafka_dr_kafka_home": "/opt/kafka",
}
MISTAKEN = {**REGION, "kafka_dr_client": {"bootstrap.servers": "127.0.0.1:99999"}}


def checked(directory, **mistaken):
    """What a check of a proof from na to eu ends with, and says, beside these regions."""
    hosts = {"na": REGION, "eu": REGION, **mistaken}
    everywhere = {"kafka_dr_mirrors": [{"name": "backup", "source": "na", "target": "eu"}]}
    (directory / "hosts.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts, "vars": everywhere}}))
    included = {"name": "streamsafe.kafka_dr.proof", "tasks_from": "compare.yml"}
    tasks = [{"ansible.builtin.include_role": included, "vars": {"proof_source": "na", "proof_target": "eu"}}]
    play = [{"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": tasks}]
    (directory / "play.yml").write_text(yaml.safe_dump(play))
    done = subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), "-i", str(directory / "hosts.yml")]
        + [str(directory / "play.yml"), "--check"],
        env={**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, " ".join(done.stdout.split())


def test_a_mistake_about_another_region_is_a_warning(tmp_path):
    code, said = checked(tmp_path, asia=MISTAKEN)
    assert code == 0 and "asia: kafka_dr_client['bootstrap.servers']: expected ports" in said, said
    assert "Would run the proof's Spark job" in said


def test_a_mistake_about_one_of_them_is_refused(tmp_path):
    code, said = checked(tmp_path, eu=MISTAKEN)
    assert code == 2 and "The inventory has mistakes" in said, said
