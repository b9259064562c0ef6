# SPDX-License-Identifier: GPL-3.0-or-later
"""Many runs of ``manifest``: files are merged, what they hold stays the same, and a cut leaves the old one valid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest import batch
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import NotProvableError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest import content, generations, portions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest.place import locate, private, sha256
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest.side import ManifestSide
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import sides
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.manifest_info import manifest_info
from kafka_dr_spark import compacting, saving, writer
from tests.support.records import from_rows

SPEC = {"kind": "kafka", "name": "a cluster", "config": {"bootstrap.servers": "127.0.0.1:1"}, "timeout": 1}
PARTITIONS = 5


class Cluster:
    """A cluster whose records are a function of their offsets, and the engine that digests them."""

    cluster_id, client, parallelism = "c", None, 2

    def __init__(self, place, config=None):
        self.place, self.config = place, config or {}
        self.low = dict.fromkeys(range(PARTITIONS), 0)
        self.high = dict.fromkeys(range(PARTITIONS), 0)
        self.broken = ""

    def topics(self, pattern):
        return ["orders"]

    def survey(self, names):
        bounds = {number: (self.low[number], self.high[number]) for number in self.high}
        return {"orders": {"topic_id": "t", "config": self.config, "partitions": sorted(bounds), "bounds": bounds}}

    def ends(self, partitions, isolation):
        return {("orders", number): self.high[number] for number in self.high}

    def records(self, partition, low, high, keys=False):
        """Every seventh offset is a marker."""
        rows = [(at, at * 10, b"k%d" % (at % 9), b"%d-%d" % (partition, at), None) for at in range(low, high) if at % 7]
        found = from_rows(rows)
        for name in ("key", "value", "headers") + (() if keys else ("key_high", "key_low", "tombstone")):
            setattr(found, name, None)
        return found

    def map(self, tasks, label="", total=0):
        if tasks and label == self.broken:
            raise KeyboardInterrupt
        return [
            {"id": task["id"], "value": self._digest(task)}
            if task["work"] == "manifest"
            else writer.run(task, lambda records, size: None)
            for task in tasks
        ]

    def _digest(self, task):
        system, inside = locate(task["out"])
        name = f"data/{task['run']}-{task['id']:05d}-{np.random.default_rng().integers(1 << 32):08x}.parquet"
        counts = []
        with private():
            system.create_dir(f"{inside}/data", recursive=True)
            with portions.Writer(system, f"{inside}/{name}") as file:
                for topic, number, low, high, compact in task["ranges"]:
                    found = self.records(number, low, high, compact)
                    file.add(portions.portion(topic, "t", number, found, task["detail"]))
                    counts.append((topic, number, len(found), (int(found.offset[0]), int(found.offset[-1]) + 1)))
        return name, counts, sha256(system, f"{inside}/{name}")

    def save(self, detail="records", digest=""):
        return saving.prepare(SPEC, self.place, ".*", detail, digest).run(self)


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    found = Cluster(str(tmp_path / "m"))
    monkeypatch.setattr(sides, "open_side", lambda spec: found)
    monkeypatch.setattr(saving, "positions_in", lambda client, names: {})
    return found


def hours(cluster, count, detail="records", digest=""):
    """Hourly runs, each with the digest that the one before told; figures of the last."""
    for hour in range(count):
        for number in cluster.high:
            cluster.high[number] += 0 if (hour + number) % 4 == 0 else 20 + number
        result = cluster.save(detail, digest)
        digest = result["digest"]
    return result


def side(cluster, digest=""):
    return ManifestSide({"path": cluster.place, "name": "the manifest", "digest": digest})


def check_whole(cluster, digest="", keys=False):
    """Every record of the cluster is in the manifest as it was, and its chunks are those of a single read."""
    found = side(cluster, digest)
    for number in cluster.high:
        low, high = cluster.low[number], cluster.high[number]
        expected = cluster.records(number, low, high, keys)
        (records,) = found.records("orders", number, [(low, high)])
        for name in ("offset", "content", "timestamp", *(("key_high", "key_low", "tombstone") if keys else ())):
            assert np.array_equal(getattr(records, name), getattr(expected, name)), (number, name)
        for timestamps in (True, False):
            (chunks,) = found.digest([("orders", number, low, high, timestamps)])
            assert chunks.rows["sequence"].tolist() == batch.cut_records(expected, timestamps).rows["sequence"].tolist()


@pytest.mark.parametrize("policy", ["delete", "compact"])
def test_files_are_merged_and_hold_the_same(cluster, policy):
    cluster.config = {"cleanup.policy": policy}
    result = hours(cluster, 30)
    kept = content.load(cluster.place)
    parts = kept["topics"]["orders"]["partitions"].values()
    assert max(len(part["files"]) for part in parts) <= 2 * generations.FANOUT
    assert [name for name in content.files(kept) if "-g1-" in name]
    assert sorted(kept["digests"]) == content.files(kept)
    assert manifest_info({"manifest": cluster.place, "topics": ["orders"], "digest": result["digest"]})["readable"]
    check_whole(cluster, result["digest"], keys=policy == "compact")


def test_portions_of_chunks_stay_apart(cluster):
    """Their bounds are the only places at which a manifest of chunks can be cut."""
    hours(cluster, 12, "chunks")
    rows = side(cluster).portions("orders", 1, 0, cluster.high[1])
    assert [name for name in content.files(content.load(cluster.place)) if "-g1-" in name]
    assert len(rows) == 9 and sum(row["count"] for row in rows) == len(cluster.records(1, 0, cluster.high[1]))


def test_a_merge_that_is_cut_off_leaves_the_old_one_valid(cluster):
    digest = hours(cluster, generations.FANOUT)["digest"]
    cluster.broken = "merge"
    with pytest.raises(KeyboardInterrupt):
        hours(cluster, 5, digest=digest)
    left = content.load(cluster.place)
    assert not [name for name in content.files(left) if "-g1-" in name]
    cluster.high = {int(number): part["high"] for number, part in left["topics"]["orders"]["partitions"].items()}
    check_whole(cluster)
    cluster.broken = ""
    check_whole(cluster, hours(cluster, 1)["digest"])


def test_who_reads_the_old_one_reads_on_and_its_files_go_days_later(cluster, monkeypatch):
    hours(cluster, generations.FANOUT)
    old = content.load(cluster.place)
    ends = dict(cluster.high)
    reading = side(cluster)
    hours(cluster, 5)
    kept = content.load(cluster.place)
    assert kept["superseded"] and not set(kept["superseded"]) & set(content.files(kept))
    assert all(Path(cluster.place, name).exists() for name in content.files(old))
    for number, end in ends.items():
        assert reading.records("orders", number, [(0, end)])[0].offset.tolist() == (
            cluster.records(number, 0, end).offset.tolist()
        )
    monkeypatch.setattr(compacting, "SUPERSEDED_MS", -1)
    hours(cluster, 1)
    assert not [name for name in kept["superseded"] if Path(cluster.place, name).exists()]
    assert content.load(cluster.place)["superseded"] == {}
    check_whole(cluster)


def test_expired_records_are_left_out(cluster):
    hours(cluster, 6)
    cluster.low = {number: end - 30 for number, end in cluster.high.items()}
    hours(cluster, 8)
    kept = content.load(cluster.place)["topics"]["orders"]["partitions"]
    assert all(end > part["low"] for part in kept.values() for first, end in part["spans"])
    check_whole(cluster)


def test_a_manifest_of_before_there_were_spans_goes_on(cluster):
    hours(cluster, 5)
    old = content.load(cluster.place)
    for part in old["topics"]["orders"]["partitions"].values():
        del part["spans"]
        part["files"].reverse()
    del old["superseded"]
    content.store(cluster.place, old)
    check_whole(cluster)
    hours(cluster, 8)
    check_whole(cluster)
    assert [name for name in content.files(content.load(cluster.place)) if "-g1-" in name]


def test_a_file_that_was_changed_is_not_merged_into_a_digest_that_vouches_for_it(cluster):
    digest = hours(cluster, generations.FANOUT - 1)["digest"]
    name = content.files(content.load(cluster.place))[0]
    path = Path(cluster.place, name)
    path.write_bytes(Path(cluster.place, content.files(content.load(cluster.place))[-1]).read_bytes())
    with pytest.raises(NotProvableError, match=f"{name} of the manifest .* is not the one that was written"):
        hours(cluster, 8, digest=digest)
    assert name in content.files(content.load(cluster.place))


@pytest.mark.parametrize("kept", [{"data/a.parquet": "x"}, ["data/a.parquet"], {"../a.parquet": 1}])
def test_nothing_outside_the_data_is_deleted(cluster, kept):
    hours(cluster, 1)
    forged = content.load(cluster.place)
    forged["superseded"] = kept
    content.store(cluster.place, forged)
    with pytest.raises(Exception, match="superseded data files"):
        cluster.save()


def test_a_span_that_lies_hides_no_record(cluster):
    """Who forges a manifest that the ledger does not know shall not get its holes merged."""
    hours(cluster, 3)
    forged = content.load(cluster.place)
    part = forged["topics"]["orders"]["partitions"]["1"]
    part["spans"][0][1] -= 3
    content.store(cluster.place, forged)
    with pytest.raises(NotProvableError, match="does not hold what the manifest says"):
        hours(cluster, 12)
