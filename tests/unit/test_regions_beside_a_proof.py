# SPDX-License-Identifier: GPL-3.0-or-later
"""A proof in the course of a stage is about the regions of that stage: a mistake about another one, which the stage's
preflight told as a warning, does not end it once applications are fenced.
"""

from __future__ import annotations

import pytest

from tests.support.local_play import REGION, play_locally

pytestmark = pytest.mark.slow
MISTAKEN = {**REGION, "kafka_dr_client": {"bootstrap.servers": "127.0.0.1:99999"}}


def checked(directory, **mistaken):
    """What a check of a proof from na to eu ends with, and says, beside these regions."""
    hosts = {"na": REGION, "eu": REGION, **mistaken}
    everywhere = {"kafka_dr_mirrors": [{"name": "backup", "source": "na", "target": "eu"}]}
    included = {"name": "streamsafe.kafka_dr.proof", "tasks_from": "compare.yml"}
    tasks = [{"ansible.builtin.include_role": included, "vars": {"proof_source": "na", "proof_target": "eu"}}]
    done = play_locally(directory, tasks, "--check", hosts=hosts, everywhere=everywhere)
    return done.returncode, " ".join(done.stdout.split())


def test_a_mistake_about_another_region_is_a_warning(tmp_path):
    code, said = checked(tmp_path, asia=MISTAKEN)
    assert code == 0 and "asia: kafka_dr_client['bootstrap.servers']: expected ports" in said, said
    assert "Would run the proof's Spark job" in said


def test_a_mistake_about_one_of_them_is_refused(tmp_path):
    code, said = checked(tmp_path, eu=MISTAKEN)
    assert code == 2 and "The inventory has mistakes" in said, said
