# SPDX-License-Identifier: GPL-3.0-or-later
"""A region that was restored from its backup by a real MirrorMaker 2, and proven by the real job."""

from __future__ import annotations

import pytest

from tests.real.restore.story import prepared
from tests.support import offsets_lab as lab
from tests.support import traffic
from tests.support.kafka import clusters
from tests.support.proving import prove

TOPICS = "orders|payments"


@pytest.fixture(scope="module")
def story(request, tmp_path_factory):
    """A lab whose mirror is set up with a backup, for the stages of backup and restore in their order."""
    name = request.module.__name__.rpartition("test_")[2]
    with prepared(tmp_path_factory.mktemp(name) / "lab") as lab_with_backup:
        yield lab_with_backup


@pytest.fixture(scope="package")
def restored(tmp_path_factory):
    """``a`` was made again from ``b``: ``orders`` plain and ``payments`` transactional, a partition more than anybody
    wrote to; the proof's summary.
    """
    base = tmp_path_factory.mktemp("restored")
    made = clusters(["a", "b"], base)
    region, backup = made["a"], made["b"]
    for one in (region, backup):
        lab.create(one, ("orders", 4, {}), ("payments", 4, {}))
    lab.prepare_target(region, "b")
    writers = {
        "orders": traffic.Writer(backup, "orders"),
        "payments": traffic.Writer(backup, "payments", transaction=7),
    }
    for writer in writers.values():
        writer.write(3000)
    way = {"alias": ("b", "a"), "sync.group.offsets.enabled": "false"}
    mirror = lab.start_mirror(base / "restore", backup, region, TOPICS, **way)
    lab.await_ready(backup, region, 180, until_caught_up=True, topics=TOPICS, source_alias="b", target_alias="a")
    mirror.stop()
    proof = prove(base, backup.client, region.client, TOPICS)
    yield {"region": region, "backup": backup, "proof": proof, "base": base}
    for one in made.values():
        one.stop()
