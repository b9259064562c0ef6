# SPDX-License-Identifier: GPL-3.0-or-later
"""What the mirror of a failback goes on from is disturbed, before and after it was seeded: the way out of the refusal
leads to a proof.
"""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import MirrorNames
from kafka_dr_lab.drill import MIRROR
from tests.real.lab.kept import ids
from tests.real.lab.playing import SOURCE, TARGET, playground
from tests.support.module_runs import run_module_file

pytestmark = pytest.mark.full


def killed(ground, back, task, tail=False):
    """What the ledger has of a failback that was killed after this task.

    :param tail: whether topics of the region that was lost have records that were never mirrored, so that these topics
        are made again.
    """
    done = ground.stage("initial_setup")
    assert done.returncode == 0, done.stdout[-3000:]
    if tail:
        ground.lab.signal(signal.SIGSTOP, MIRROR)
        time.sleep(3)
    ground.lose_and_return(lambda: ground.lab.signal(signal.SIGCONT, MIRROR) if tail else None)
    ground.kill_after("failback", task, back)
    return ledger(ground)["done"]["failback"]


def ledger(ground):
    return ground.module("ledger_info", secret=[ground.secrets["kafka_dr_ledger_secret"]])


def whole(ground, back):
    """Go on, to the proof."""
    done = ground.stage("failback", back)
    assert done.returncode == 0, done.stdout[-5000:]
    assert ledger(ground)["last"]["failback"]["found"]["verdict"] == "PROVEN"
    end = time.monotonic() + 60
    while ids(ground, TARGET) - ids(ground, SOURCE):
        assert time.monotonic() < end
        time.sleep(0.5)


def aside(directory):
    return {"failback_region": SOURCE, "failback_from": TARGET, "failback_salvage_directory": str(directory / "s")}


@pytest.mark.parametrize("which", ["kept", "again"])
def test_a_topic_that_was_deleted_after_the_seeds_is_copied_by_the_next_run(tmp_path, which):
    back = aside(tmp_path)
    with playground(tmp_path) as ground:
        steps = killed(ground, back, "Wait until everything is copied", tail=which == "again")
        names = steps["compared"]["found"][which]
        assert names and "seeded" in steps
        if which == "again":
            await_copied(ground, names[0])
            # Running, a task of it fails where its topic is deleted.
            ground.lab.supervisor.rest(f"mirror-{steps['seeded']['found']['mirror']}")
        topics = ground.module("cluster_info", region=SOURCE, read=["topics"])["topics"]
        described = [{"name": names[0], "partitions": topics[names[0]]["partitions"]}]
        ground.module("topics", region=SOURCE, topics=described, state="absent")
        refused = ground.stage("failback", back)
        told = " ".join(refused.stdout.split())
        assert refused.returncode == 2 and names[0] in told and "run this again" in told, told[-3000:]
        whole(ground, back)


def await_copied(ground, topic):
    """Wait until the mirror has noted that it copied records of the topic."""
    end = time.monotonic() + 90
    aliases = {"source_alias": TARGET, "target_alias": SOURCE}
    target = {"target_client": ground.client(SOURCE), "target_client_secrets": ground.client_secrets(SOURCE)}
    while True:
        found, dummy = run_module_file("mirror_offsets_info", {**target, **aliases})
        if any(row["topic"] == topic and row["mirrored_through"] for row in found["partitions"]):
            return
        assert time.monotonic() < end, found
        time.sleep(1)


def test_seeds_that_the_ledger_does_not_know_lead_on_from_another_machine(tmp_path):
    back = aside(tmp_path)
    with playground(tmp_path) as ground:
        proof = killed(ground, back, "Make room for a copy")["compared"]["found"]["proof"]
        assert len(proof["topics"]) > 1
        seed_some(ground, {**proof, "topics": proof["topics"][:1]})
        Path(proof["report"]).rename(tmp_path / "elsewhere.json")
        refused = ground.stage("failback", back)
        assert refused.returncode == 2 and "failback_accept_no_offset_map" in refused.stdout, refused.stdout[-3000:]
        whole(ground, {**back, "failback_accept_no_offset_map": True})


def seed_some(ground, proof):
    """What a run leaves that is cut off while it seeds the mirror."""
    arguments = {"proof": proof, "source_in_use": True}
    for side, region in (("source", TARGET), ("target", SOURCE)):
        admin = ground.admin(region)
        arguments[f"{side}_client_secrets"] = {"sasl.password": admin.pop("sasl.password")}
        arguments |= {f"{side}_client": admin, f"{side}_alias": region}
    syncs = MirrorNames(TARGET, SOURCE, "identity", ".").offset_syncs
    ground.module("topics", region=SOURCE, topics=[{"name": syncs, "partitions": 1}])
    seeded, dummy = run_module_file("mirror_seed", arguments)
    assert seeded.get("partitions"), seeded
