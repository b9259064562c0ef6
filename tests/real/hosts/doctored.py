# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clusters and the mirror between them, for the doctor to examine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from types import SimpleNamespace

from confluent_kafka.admin import AdminClient

from tests.support.configuring import configure
from tests.support.kafka import ROOT
from tests.support.offsets_lab import info

from .doctor import doctor
from .mirrors import exists, until


class Live:
    def __init__(self, source, target, mirror):
        self.source, self.target, self.mirror = source, target, mirror

    def examine(self, **options):
        return doctor(
            **{
                "source_client": self.source,
                "target_client": self.target,
                "topics": "doc\\..*",
                "groups": "doc-.*",
                **options,
            }
        )

    def caught_up(self):
        """What is still waited for until everything is copied."""
        source, target = SimpleNamespace(client=self.source), SimpleNamespace(client=self.target)
        more = {"source_alias": "source", "target_alias": "target", "topics": "doc\\..*"}
        return info(source, target, until_caught_up=True, **more)

    def alter(self, client, topic, **settings):
        configure(client, topic, {key.replace("_", "."): value for key, value in settings.items()})

    def delete(self, client, topic):
        admin = AdminClient(client)
        for future in admin.delete_topics([topic]).values():
            future.result(15)
        until(lambda: not exists(client, topic), f"{topic} to be gone")


def playbook(live, mirror, tmp_path, machine=None, **variables):
    """``playbooks/doctor.yml`` over an inventory of a live mirror, which a machine runs where one is given."""
    collection = tmp_path / "ansible_collections" / "streamsafe" / "kafka_dr"
    if not collection.exists():
        collection.parent.mkdir(parents=True)
        collection.symlink_to(ROOT)
    (tmp_path / "inventory.json").write_text(json.dumps(_inventory(live, mirror, machine)))
    words = [
        sys.executable,
        "-m",
        "ansible",
        "playbook",
        "-i",
        str(tmp_path / "inventory.json"),
        str(ROOT / "playbooks" / "doctor.yml"),
        "-e",
        json.dumps(
            {
                "doctor_report": str(tmp_path / "doctor.json"),
                "doctor_watch_seconds": 2,
                "doctor_max_witness_age": 0,
                **variables,
            }
        ),
    ]
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        timeout=300,
        cwd=tmp_path,
        env={**os.environ, "ANSIBLE_COLLECTIONS_PATH": str(tmp_path), "ANSIBLE_NOCOLOR": "1"},
        check=False,
    )


def _inventory(live, mirror, machine):
    regions = {"source": {"kafka_dr_client": live.source}, "target": {"kafka_dr_client": live.target}}
    hosts = {**regions, "on-target": machine} if machine else regions
    if machine:
        regions["target"]["kafka_dr_mirror_hosts"] = ["on-target"]
    return {"all": {"vars": {"kafka_dr_mirrors": [mirror]}, "hosts": hosts}}
