# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics that are not what they were when their manifest was saved: grown, deleted, hidden."""

from __future__ import annotations

import pytest
from confluent_kafka.admin import NewPartitions

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import MirrorNames
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import worker
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.comparison import Options, prepare
from tests.real.ledger.guarded import guarded, let_read
from tests.support.sides import saved, side

from .support import admin, create, drop, some, write

pytestmark = pytest.mark.real
ROWS = some(50)


def save(config, out, prefix):
    return saved(side(config, "north"), rf"{prefix}\..*", str(out))


def compared(out, target, prefix, through, **ends):
    """The report, and the verdicts of its topics. :param ends: further bounds."""
    manifest = {"kind": "manifest", "path": str(out), "name": "manifest", "digest": ""}
    options = Options(rf"{prefix}\..*", bounds={"mirrored_through": through, **ends})
    report = prepare(manifest, side(target.client, "south"), options).run(worker.InProcess())
    return report, {topic["topic"]: topic["verdict"] for topic in report["topics"]}


@pytest.mark.parametrize("filled", [False, True])
def test_a_partition_that_was_added_since_is_named_and_the_rest_is_judged(pair, tmp_path, filled):
    prefix = f"grown{filled}".lower()
    grown, sound = f"{prefix}.grown", f"{prefix}.sound"
    for cluster in pair.values():
        create(cluster, {grown: (1, {}), sound: (1, {})})
        write(cluster, {grown: ROWS, sound: ROWS})
    save(pair["source"].client, tmp_path, prefix)
    for cluster in pair.values():
        keep = admin(cluster)
        keep.create_partitions([NewPartitions(grown, 2)])[grown].result(30)
        if filled:
            write(cluster, {grown: [row.but(partition=1) for row in ROWS]})
    both = {"0": 50, "1": 50} if filled else {"0": 50}
    report, verdicts = compared(tmp_path, pair["target"], prefix, {grown: both, sound: {"0": 50}})
    assert verdicts == {grown: "NOT_PROVABLE" if filled else "PROVEN", sound: "PROVEN"}, report["reasons"]
    missing = "partition 1: the partition is missing in" if filled else "partition 1 is not in the manifest"
    assert [reason for reason in report["reasons"] if reason.startswith(f"{grown}: {missing}")], report["reasons"]
    # What nobody says to have been copied is named, and not judged.
    report, verdicts = compared(tmp_path, pair["target"], prefix, {sound: {"0": 50}})
    assert verdicts == {grown: "PROVEN", sound: "PROVEN"} and "is not judged" in str(report["reasons"])


def test_a_topic_that_was_deleted_on_both_sides_is_no_loss(pair, tmp_path):
    old, kept, through = "gone.old", "gone.kept", {"gone.old": {"0": 50}, "gone.kept": {"0": 50}}
    for cluster in pair.values():
        create(cluster, {old: (1, {}), kept: (1, {})})
        write(cluster, {old: ROWS, kept: ROWS})
    save(pair["source"].client, tmp_path, "gone")
    drop(pair["target"], [old])
    assert compared(tmp_path, pair["target"], "gone", through)[0]["verdict"] == "LOSS"
    drop(pair["source"], [old])
    # Until it is saved again, nobody knows that this was meant.
    assert compared(tmp_path, pair["target"], "gone", through)[0]["verdict"] == "LOSS"
    save(pair["source"].client, tmp_path, "gone")
    report, verdicts = compared(tmp_path, pair["target"], "gone", through)
    assert (report["verdict"], verdicts) == ("PROVEN", {kept: "PROVEN"})
    assert [reason for reason in report["reasons"] if reason.startswith(f"{old}: it was deleted before")]
    # An end that somebody gives is meant to be compared.
    report, dummy = compared(tmp_path, pair["target"], "gone", {}, source={old: {"0": 50}})
    assert report["verdict"] == "NOT_PROVABLE" and f"{old}: the bounds speak of it" in str(report["reasons"])
    # A copy that is there is judged.
    create(pair["target"], {old: (1, {})})
    write(pair["target"], {old: ROWS[:20]})
    assert compared(tmp_path, pair["target"], "gone", through)[1][old] == "LOSS"


def test_what_another_pattern_leaves_out_was_not_deleted(pair, tmp_path):
    """A mirror's pattern brought in a topic whose name looks internal; the nightly run has a plain one."""
    name, through = "d.checkpoints.internal", {"d.checkpoints.internal": {"0": 55}}
    for cluster in pair.values():
        create(cluster, {name: (1, {}), "d.other": (1, {})})
        write(cluster, {name: ROWS, "d.other": ROWS})
    of_a_mirror = MirrorNames("na", "eu", separator="_").data_pattern([r"d\..*"], [])
    saved(side(pair["source"].client, "north"), of_a_mirror, str(tmp_path))
    write(pair["source"], {name: ROWS[:5]})
    save(pair["source"].client, tmp_path, "d")
    drop(pair["target"], [name])
    report, verdicts = compared(tmp_path, pair["target"], "d", through)
    assert (report["verdict"], verdicts[name]) == ("LOSS", "LOSS"), report["reasons"]
    (topic,) = [topic for topic in report["topics"] if topic["topic"] == name]
    assert topic["partitions"][0]["records_source"] == 55, "saved on"


def test_what_a_cluster_hides_by_now_is_not_called_saved(tmp_path):
    source, of_user = guarded(tmp_path, "hides", ["prover"])
    try:
        create(source, {name: (1, {}) for name in ("m.one", "m.two")})
        write(source, {name: ROWS for name in ("m.one", "m.two")})
        let_read(source, "prover", "m.one", "m.two")
        groups = {"principal": "prover", "resource": "group", "name": "*", "operations": ["DESCRIBE", "READ"]}
        ensure_acls(KafkaClient(source.client), [groups], "present", False)
        save(of_user("prover"), tmp_path / "out", "m")
        before = (tmp_path / "out" / "manifest.json").read_bytes()
        let_read(source, "prover", "m.one", state="absent")
        with pytest.raises(RefusedError, match=r"m\.one.*DESCRIBE"):
            save(of_user("prover"), tmp_path / "out", "m")
        assert (tmp_path / "out" / "manifest.json").read_bytes() == before
        # Once it is known to be deleted, the right is needed by nobody.
        let_read(source, "prover", "m.one")
        drop(source, ["m.one"])
        save(of_user("prover"), tmp_path / "out", "m")
        let_read(source, "prover", "m.one", state="absent")
        save(of_user("prover"), tmp_path / "out", "m")
    finally:
        source.stop()
