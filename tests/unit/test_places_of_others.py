# SPDX-License-Identifier: GPL-3.0-or-later
"""Another user of the controller was there first: at the place of what is remembered, and of a file with passwords."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from kafka_dr_lab.playbook import collections_path

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.geteuid() != 0, reason="gives files to another user")]

STRANGER = 65534
ON_KUBERNETES = {
    "kafka_dr_platform": "kubernetes",
    "kafka_dr_kubernetes": {"host": "https://127.0.0.1:1", "api_key": "x", "namespace": "kafka", "cluster": "main"},
    "kafka_dr_users": [{"name": "kdr-stages", "purpose": "stages"}],
}
MANAGED = {
    "kafka_dr_platform": "managed",
    "kafka_dr_client": {
        "bootstrap.servers": "127.0.0.1:1",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "kdr-stages",
    },
    "kafka_dr_client_secrets": {"sasl.password": "a password of the stages"},
    "kafka_dr_users": [{"name": "kdr-proof", "purpose": "proof", "password": "a password of the proof"}],
}
LEARN = {
    "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.preflight", "tasks_from": "regions.yml"},
    "vars": {"preflight_regions": ["europe"], "preflight_may_be_lost": ["europe"]},
}
SAY = {"ansible.builtin.debug": {"msg": "it is at {{ hostvars.europe.kafka_dr_client['bootstrap.servers'] }}"}}


@pytest.fixture
def play(tmp_path):
    """Runs a playbook over these hosts; gives what was said."""
    env = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_NOCOLOR": "1",
    }

    def call(name, hosts, fails=False, **answers):
        (tmp_path / "inventory.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts}}))
        words = [
            "-i",
            "inventory.yml",
            name,
            "-e",
            json.dumps({**answers, "ansible_python_interpreter": sys.executable}),
        ]
        done = subprocess.run(
            [str(Path(sys.executable).parent / "ansible-playbook"), *words],
            cwd=tmp_path,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        assert (done.returncode != 0) == fails, done.stdout
        return done.stdout

    return call


@pytest.fixture
def learn(play, tmp_path):
    tasks = [{"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": [LEARN, SAY]}]
    (tmp_path / "play.yml").write_text(yaml.safe_dump(tasks))
    return lambda **named: play("play.yml", {"europe": ON_KUBERNETES}, **named)


def remembered(tmp_path, address="remembered.example.com:9093"):
    place = tmp_path / "work" / "clients"
    place.mkdir(parents=True)
    (place / "europe.json").write_text(json.dumps({"bootstrap.servers": address}))
    return place


@pytest.mark.parametrize("theirs", ["work", "work/clients"])
def test_a_client_that_somebody_else_remembered_is_not_used(learn, tmp_path, theirs):
    """It may name any broker, and a library that librdkafka loads: what is in it runs as whoever runs the stage."""
    remembered(tmp_path)
    os.chown(tmp_path / theirs, STRANGER, STRANGER)
    said = learn(fails=True, kafka_dr_workdir=str(tmp_path / "work"))
    assert "cannot be used for private files" in said and "remembered.example.com" not in said, said


def test_a_link_of_somebody_else_to_what_is_remembered_is_not_followed(learn, tmp_path):
    remembered(tmp_path)
    (tmp_path / "link").symlink_to("work")
    os.lchown(tmp_path / "link", STRANGER, STRANGER)
    said = learn(fails=True, kafka_dr_workdir=str(tmp_path / "link"))
    assert "cannot be used for private files" in said, said


@pytest.mark.parametrize("workdir", ["{here}/work", "work"])
def test_what_we_remembered_ourselves_is_used(learn, tmp_path, workdir):
    remembered(tmp_path)
    assert "it is at remembered.example.com:9093" in learn(kafka_dr_workdir=workdir.format(here=tmp_path))


def proof_job(play, **named):
    return play(
        "streamsafe.kafka_dr.proof_job",
        {"europe": MANAGED, "north_america": MANAGED},
        proof_job_source="europe",
        proof_job_target="north_america",
        proof_job_namespace="kafka",
        proof_job_image="i:1",
        proof_job_file="job.yml",
        **named,
    )


def test_a_file_with_passwords_is_ours_whoever_made_it(play, tmp_path):
    file = tmp_path / "job.yml"
    file.write_text("")
    file.chmod(0o666)
    os.chown(file, STRANGER, STRANGER)
    proof_job(play)
    assert "kind: Secret" in file.read_text()
    assert (file.stat().st_uid, file.stat().st_mode & 0o777) == (0, 0o600)


def test_a_file_with_passwords_does_not_go_through_somebody_elses_link(play, tmp_path):
    (tmp_path / "theirs").write_text("")
    (tmp_path / "job.yml").symlink_to("theirs")
    os.lchown(tmp_path / "job.yml", STRANGER, STRANGER)
    assert "cannot be used for private files" in proof_job(play, fails=True)
    assert (tmp_path / "theirs").read_text() == ""


@pytest.mark.parametrize("way", ["directory", "link"])
def test_a_request_that_people_follow_is_not_opened_where_somebody_else_can_exchange_it(play, tmp_path, way):
    (tmp_path / "requests").mkdir()
    if way == "link":
        (tmp_path / "link").symlink_to("requests")
    theirs = tmp_path / ("link" if way == "link" else "requests")
    os.lchown(theirs, STRANGER, STRANGER)
    seen = {"name": "backup", "source": "north_america", "target": "europe", "state": "silent"}
    seen |= {"looks": 3, "for_seconds": 60.0}
    said = play(
        "streamsafe.kafka_dr.request_failover",
        {"europe": MANAGED, "north_america": MANAGED},
        fails=True,
        request_directory=str(theirs),
        request_seen=seen,
    )
    assert "cannot be used for private files" in said and not list((tmp_path / "requests").iterdir())
