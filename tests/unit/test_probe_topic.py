# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may launch a probe names its topic: it is never one of an application."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import yaml

from kafka_dr_lab.playbook import collections_path

ROOT = Path(__file__).resolve().parents[2]
OWN = ["kafka-dr-probe", "orders.kafka-dr-probe", "orders-kafka-dr-probe.2", "europe.orders.kafka-dr-probe"]
OTHERS = [
    "orders",
    "temperature-probes",
    "lab.probe",
    "probe",
    "orders.kafka-dr-probes",
    "xkafka-dr-probe",
    "kafka-dr-probe\norders",
]


def test_records_of_probes_go_to_topics_of_probes_alone(tmp_path):
    tasks = yaml.safe_load((ROOT / "roles/probe/tasks/preflight.yml").read_text())
    gates = [one for task in tasks for one in task.get("vars", {}).get("preflight_gates", [])]
    gate = next(one for one in gates if one["name"] == "own_topic")
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "tasks": [
            {
                "ansible.builtin.debug": {"msg": "{{{{ probe_topic | to_json }}}}={}".format(gate["holds"])},
                "loop": OWN + OTHERS,
                "loop_control": {"loop_var": "probe_topic"},
            }
        ],
    }
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    env = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), "ANSIBLE_NOCOLOR": "1"}
    words = [str(Path(sys.executable).parent / "ansible-playbook"), "-i", "localhost,", "play.yml", "-c", "local"]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    said = [line.split("=")[-1].strip('" ') for line in done.stdout.splitlines() if '"msg"' in line]
    assert said == ["True"] * len(OWN) + ["False"] * len(OTHERS), done.stdout
