# SPDX-License-Identifier: GPL-3.0-or-later
"""What the inventory decides against the collection's judgement is said, and counts among what was overridden, which
the ledger keeps.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from kafka_dr_lab.playbook import collections_path

pytestmark = pytest.mark.slow

REASON = "the test bed has no names until March"
REGION = {
    "kafka_dr_platform": "managed",
    "kafka_dr_client_secrets": {},
    "kafka_dr_mirror_directory": "/var/lib/mirrors",
    "kafka_dr_kafka_home": "/opt/kafka",
    "kafka_dr_client": {"bootstrap.servers": "127.0.0.1:1", "security.protocol": "SSL"},
}
UNVERIFIED = {
    **REGION,
    "kafka_dr_client": {**REGION["kafka_dr_client"], "ssl.endpoint.identification.algorithm": "none"},
    "kafka_dr_unverified_tls": REASON,
}
MIRRORS = [{"name": "backup", "source": "north_america", "target": "europe", "topics": [".*"]}]
PLAY = [
    {
        "name": "Look at the gates",
        "hosts": "localhost",
        "connection": "local",
        "gather_facts": False,
        "tasks": [
            {
                "name": "Check",
                "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.preflight"},
                "vars": {"preflight_about": ["north_america", "europe"]},
            },
            {
                "name": "Gates",
                "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.preflight", "tasks_from": "gates"},
                "vars": {"preflight_stage": "failover"},
            },
            {"name": "Tell", "ansible.builtin.debug": {"msg": "RECORDED {{ preflight_overridden | to_json }}"}},
        ],
    }
]


SIGNED = {"kafka_dr_ledger_secret": ["a secret of these tests"]}


def play(tmp_path, may_wait=False, ledger=None, code=0, **regions):
    hosts = {"north_america": REGION, "europe": REGION, **regions}
    said = {"kafka_dr_mirrors": MIRRORS, "preflight_may_wait": may_wait, **(SIGNED if ledger is None else ledger)}
    (tmp_path / "hosts.json").write_text(json.dumps({"all": {"vars": said, "hosts": hosts}}))
    (tmp_path / "play.yml").write_text(yaml.safe_dump(PLAY))
    env = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.default",
    }
    done = subprocess.run(
        [
            str(Path(sys.executable).parent / "ansible-playbook"),
            "-i",
            str(tmp_path / "hosts.json"),
            str(tmp_path / "play.yml"),
        ],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


def test_a_decision_is_shown_and_recorded_with_its_reason(tmp_path):
    said = play(tmp_path, europe=UNVERIFIED)
    told = f"kafka_dr_unverified_tls of europe: certificates are not verified ({REASON})"
    assert f"Overridden: {told}" in said
    assert "RECORDED " + json.dumps([told]).replace('"', '\\"') in said


def test_a_decision_about_another_region_is_not_this_stage_s(tmp_path):
    said = play(tmp_path, asia=UNVERIFIED)
    assert "Overridden" not in said and "RECORDED []" in said


UNSIGNED = "one team, and nobody else has a way to the brokers"


def test_a_stage_that_may_wait_wants_the_ledger_signed(tmp_path):
    said = " ".join(play(tmp_path, may_wait=True, ledger={}, code=2).replace("\\n", " ").split())
    assert (
        "Entries of the ledger would not be signed" in said and "expected kafka_dr_ledger_secret, found none" in said
    ), said
    assert "-e kafka_dr_unsigned_ledger='the reason'" in said
    assert "RECORDED []" in play(tmp_path, may_wait=True)


def test_one_that_may_not_wait_goes_on_and_records_it(tmp_path):
    said = play(tmp_path, ledger={})
    assert "Overridden: ledger_secret" in said and 'RECORDED [\\"ledger_secret\\"]' in said


@pytest.mark.parametrize("may_wait", [False, True])
def test_a_reason_is_recorded_once_however_many_hosts_have_it(tmp_path, may_wait):
    said = play(tmp_path, may_wait=may_wait, ledger={"kafka_dr_unsigned_ledger": UNSIGNED})
    told = f"kafka_dr_unsigned_ledger: entries of the ledger are not signed ({UNSIGNED})"
    assert "RECORDED " + json.dumps(["ledger_secret", told]).replace('"', '\\"') in said


def test_a_reason_beside_a_secret_is_no_decision(tmp_path):
    assert "RECORDED []" in play(tmp_path, may_wait=True, ledger={**SIGNED, "kafka_dr_unsigned_ledger": UNSIGNED})


def test_true_is_no_reason(tmp_path):
    assert "kafka_dr_unsigned_ledger" in play(
        tmp_path, may_wait=True, ledger={"kafka_dr_unsigned_ledger": True}, code=2
    )
