# SPDX-License-Identifier: GPL-3.0-or-later
"""A lab on which the stages of backup and restore are run by name."""

from __future__ import annotations

import contextlib
import time

from confluent_kafka import Consumer, KafkaError, TopicPartition
from confluent_kafka.admin import AdminClient

from kafka_dr_lab.lab import Lab
from tests.real.lab.playing import SOURCE, TARGET, Playground

REGIONS = {
    "initial_setup": {"initial_setup_source": SOURCE, "initial_setup_target": TARGET, "initial_setup_backup": True},
    "recreate_from_backup": {"recreate_from_backup_region": SOURCE, "recreate_from_backup_from": TARGET},
    "resume": {"resume_region": SOURCE, "resume_from": TARGET},
    "new_backup": {"new_backup_region": SOURCE, "new_backup_to": TARGET},
    "backup_status": {"backup_status_region": SOURCE, "backup_status_backup": TARGET},
    "verify_restore": {
        "proof_source": SOURCE,
        "proof_target": TARGET,
        "proof_ledger_region": TARGET,
        "proof_topics": r"flights\..*",
        "proof_wait_seconds": 60,
    },
}


class Story(Playground):
    """A lab on which stages are run by name."""

    def run(self, name, *words, change=None, **more):
        return self.stage(name, {**REGIONS[name], **more}, *words, change=change)

    def went(self, name, *words, **more):
        done = self.run(name, *words, **more)
        assert done.returncode == 0, done.stdout
        return " ".join(done.stdout.split())

    def refused(self, name, *said, **more):
        before = self.state()
        done = self.run(name, **more)
        text = " ".join(done.stdout.split())
        assert done.returncode != 0, done.stdout
        assert not [one for one in said if one not in text], done.stdout
        assert "Traceback" not in done.stdout
        assert self.state() == before

    def admin_client(self, region):
        """Kept: a client that is dropped ends its futures."""
        self.clients = getattr(self, "clients", {})
        if region not in self.clients:
            self.clients[region] = AdminClient(self.admin(region))
        return self.clients[region]

    def state_of_target(self):
        """What check mode could have changed while the source is lost."""
        topics = self.module("cluster_info", read=["topics", "configs", "acls"])
        return {
            "topics": topics["topics"],
            "acls": topics["acls"],
            "programs": {one["name"]: one["statename"] for one in self.lab.supervisor.processes()},
        }

    def kept(self):
        return self.lab.directory / "regions" / TARGET / "rebuild" / f"{SOURCE}.vault"

    def records(self, region, topic):
        """Everything committed: ``{partition: [(key, value, headers, timestamp)]}``."""
        consumer = Consumer(
            {
                **self.admin(region),
                "group.id": "reader",
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
                "enable.partition.eof": True,
                "fetch.message.max.bytes": 16_000_000,
                "auto.offset.reset": "earliest",
            }
        )
        numbers = set(consumer.list_topics(topic, 30).topics[topic].partitions)
        consumer.assign([TopicPartition(topic, number, 0) for number in numbers])
        found, end = {number: [] for number in numbers}, time.monotonic() + 60
        while numbers:
            assert time.monotonic() < end
            for message in consumer.consume(1000, 0.5):
                if message.error() is None:
                    found[message.partition()].append(
                        (message.key(), message.value(), message.headers(), message.timestamp())
                    )
                elif message.error().code() == KafkaError._PARTITION_EOF:
                    numbers.discard(message.partition())
        consumer.close()
        return found

    def kill_in(self, name, step, **more):
        self.kill_after(name, step, {**REGIONS[name], **more})

    def kill_when_stopped(self, name, program):
        """Run a stage and kill it as soon as this program does not run any more."""
        self.kill_when(
            name,
            lambda: (self.lab.supervisor.info(program) or {}).get("statename") not in ("RUNNING", "STOPPING"),
            f"the end of {program}",
            REGIONS[name],
        )


@contextlib.contextmanager
def prepared(directory):
    """A lab whose mirror is set up with a backup, and that ends with the block."""
    try:
        story = Story(directory)
        story.went("initial_setup")
        yield story
    finally:
        Lab(directory).down()


@contextlib.contextmanager
def restored(directory):
    """A lab whose region was lost and made again from its backup; it has neither applications nor a new backup yet."""
    with prepared(directory) as story:
        story.lab.lose(SOURCE)
        story.went("recreate_from_backup")
        yield story
