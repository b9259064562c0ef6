# SPDX-License-Identifier: GPL-3.0-or-later
"""One mirrored pair for the tests of this package."""

from __future__ import annotations

import time

import pytest

from tests.support import offsets_lab as lab
from tests.support import traffic
from tests.support.kafka import clusters

TOPICS = "orders|payments"


@pytest.fixture(scope="package")
def world(tmp_path_factory):
    """A mirrored pair: ``orders`` plain, ``payments`` transactional, groups that stand still at several places, then
    stopped with the source alive.
    """
    base = tmp_path_factory.mktemp("offsets")
    made = clusters(["a", "b"], base)
    source, target = made["a"], made["b"]
    lab.create(source, ("orders", 3, {}), ("payments", 3, {}))
    lab.prepare_target(target)
    writers = {
        "orders": traffic.Writer(source, "orders"),
        "payments": traffic.Writer(source, "payments", transaction=7),
    }
    mirror = lab.start_mirror(base / "mm2", source, target, TOPICS)
    witness = lab.WitnessProcess(base / "witness", source, target, interval=1)
    for dummy in range(5):
        for writer in writers.values():
            writer.write(900)
        time.sleep(1)
    journals = place_groups(source, writers)
    lab.await_ready(source, target, 180, until_caught_up=True, until_heartbeat=True, topics=TOPICS)
    time.sleep(3)
    lab.await_ready(source, target, 60, until_witness=True, max_witness_age=5)
    mirror.stop()
    yield {"source": source, "target": target, "journals": journals, "mirror": mirror, "witness": witness, "base": base}
    mirror.stop()
    witness.stop()
    for one in made.values():
        one.stop()


def place_groups(source, topics, parts=(0.0, 0.31, 0.5, 0.999, 1.0)):
    """Groups ``<topic>-<part>`` at such parts of every partition: {group: what it counts as having processed}."""
    journals = {}
    for topic in topics:
        held = lab.copies(source, topic)
        for part in parts:
            places = {number: _place(records, part) for number, records in held.items()}
            group = f"{topic}-{part}"
            lab.set_positions(source, topic, {group: places})
            journals[group] = [
                (number, offset, value)
                for number, records in held.items()
                for offset, value in records
                if offset < places[number]
            ]
    return journals


def _place(records, part):
    return records[-1][0] + 1 if part == 1.0 else records[int(len(records) * part)][0]
