# SPDX-License-Identifier: GPL-3.0-or-later
"""A description with mistakes stops every playbook that reads it first of all: with one message for all of them, before
a cluster or a machine is asked.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.about import STAGES
from kafka_dr_lab.playbook import collections_path

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SECRET = "t0p-s3cret-pa55word"
REGIONS = {
    "source": "north_america",
    "target": "europe",
    "region": "north_america",
    "from": "europe",
    "to": "europe",
    "backup": "europe",
    "survivor": "europe",
}
ABOUT = {
    **{name: (stage.region, stage.other) for name, stage in STAGES.items()},
    "backup_status": ("region", "backup"),
    "probe": ("source", "target"),
    "doctor": (),
}
OTHERS = {
    "verify_restore": {"proof_source": "north_america", "proof_target": "europe"},
    "manifest": {"manifest_region": "north_america", "manifest_directory": "/nowhere"},
    "report": {"report_region": "europe", "report_directory": "/nowhere"},
    "start_held": {"start_held_region": "north_america"},
    "rbac": {},
    "ledger": {"ledger_region": "europe"},
    "watch_accept": {"watch_source": "north_america", "watch_target": "europe"},
    "proof_job": {
        "proof_job_source": "europe",
        "proof_job_target": "north_america",
        "proof_job_namespace": "n",
        "proof_job_image": "i",
        "proof_job_file": "/nowhere/f",
    },
}
WORDS = {**{stage: {f"{stage}_{one}": REGIONS[one] for one in sides} for stage, sides in ABOUT.items()}, **OTHERS}


@pytest.fixture(scope="module")
def listener():
    """A port that notes who connects: nobody may."""
    heard = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen():
            while True:
                try:
                    connection = server.accept()[0]
                except OSError:
                    return
                heard.append(1)
                connection.close()

        threading.Thread(target=listen, daemon=True).start()
        yield server.getsockname()[1], heard
        server.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="module")
def inventory(listener, tmp_path_factory):
    """Regions with six mistakes in them, one a secret in the wrong place, and one a value from a vault where none
    belongs.
    """
    directory = tmp_path_factory.mktemp("inventory")
    (directory / "password").write_text("of the vault\n")
    vault = [
        str(Path(sys.executable).parent / "ansible-vault"),
        "encrypt_string",
        "--vault-password-file",
        str(directory / "password"),
        SECRET,
    ]
    vaulted = subprocess.run(vault, capture_output=True, text=True, check=True).stdout
    region = {
        "kafka_dr_platform": "managed",
        "kafka_dr_client_secrets": {},
        "kafka_dr_client": {
            "bootstrap.servers": f"127.0.0.1:{listener[0]}",
            "sasl.password": SECRET,
            "enable.ssl.certificate.verification": False,
        },
        "kafka_dr_users": {"kdr-stages": SECRET},
        "kafka_dr_topics": 5,
        "kafka_dr_applications": [{"name": "a\n[program:evil]", "kind": "process", "role": "both"}],
    }
    described = {
        "all": {"vars": {"kafka_dr_mirrors": "north_america"}, "hosts": {"north_america": region, "europe": region}}
    }
    (directory / "hosts.json").write_text(json.dumps(described))
    (directory / "group_vars").mkdir()
    (directory / "group_vars" / "all.yml").write_text("kafka_dr_mirror_heap: " + vaulted)
    return directory


def play(playbook, inventory, *words, callback="streamsafe.kafka_dr.stage"):
    env = {
        **os.environ,
        "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
        "ANSIBLE_STDOUT_CALLBACK": callback,
        "ANSIBLE_NOCOLOR": "1",
    }
    command = [
        str(Path(sys.executable).parent / "ansible-playbook"),
        "-i",
        str(inventory / "hosts.json"),
        "--vault-password-file",
        str(inventory / "password"),
        f"streamsafe.kafka_dr.{playbook}",
        "-e",
        json.dumps(WORDS[playbook]),
        *words,
    ]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)


def first_of(playbook):
    """The role that a playbook plays first, with those it depends on before it."""
    play = yaml.safe_load((ROOT / "playbooks" / f"{playbook}.yml").read_text())[0]
    if play.get("pre_tasks"):
        return play["pre_tasks"][0]["ansible.builtin.include_role"]["name"]
    role = play["roles"][0]["role"]
    meta = ROOT / "roles" / role.rpartition(".")[2] / "meta" / "main.yml"
    depends = (yaml.safe_load(meta.read_text())["dependencies"] if meta.exists() else []) or [{"role": role}]
    return depends[0]["role"]


def test_the_table_names_every_playbook():
    # A request for people is opened where nobody may have an inventory at hand.
    assert set(WORDS) == {one.stem for one in (ROOT / "playbooks").glob("*.yml")} - {"request_failover"}


@pytest.mark.parametrize("playbook", WORDS)
def test_the_check_comes_first(playbook):
    assert first_of(playbook) == "streamsafe.kafka_dr.preflight"


@pytest.mark.parametrize("playbook", ["initial_setup", "failover", "recreate_from_backup", "verify_restore", "report"])
def test_a_playbook_begins_with_the_check(playbook, inventory, listener):
    done = play(playbook, inventory, "--check", "-vvv", callback="ansible.builtin.default")
    said = done.stdout + done.stderr
    assert done.returncode == 2, said[-2000:]
    message = next(line for line in said.splitlines() if line.startswith("[ERROR]"))
    assert "The inventory has mistakes; no cluster was asked and nothing was changed:" in message
    places = (
        "kafka_dr_mirrors: expected",
        "kafka_dr_users: expected",
        "kafka_dr_topics: expected",
        "kafka_dr_mirror_heap: expected a size such as 1g, found a text (not shown)",
        "kafka_dr_applications[0].name: expected",
        "kafka_dr_client['sasl.password']: expected no secret",
        "kafka_dr_unverified_tls: expected",
    )
    assert not [one for one in places if one not in said]
    assert "Traceback" not in said and "has no attribute" not in said
    assert SECRET not in said
    assert listener[1] == []


def test_the_stage_says_it_in_lines_of_its_own(inventory):
    done = play("failover", inventory)
    lines = [line.strip() for line in done.stdout.splitlines()]
    begin = lines.index("The inventory has mistakes; no cluster was asked and nothing was changed:")
    assert len([line for line in lines[begin + 1 :] if line.startswith("- ")]) == 7
