# SPDX-License-Identifier: GPL-3.0-or-later
"""Save a manifest: only what is new since the last one, unless a topic was created anew meanwhile."""

from __future__ import annotations

import copy
import time
from typing import Any, cast

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest.shapes import OffsetRange, SideSpec
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import (
    KafkaDrError,
    NotProvableError,
    RefusedError,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import positions_in
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import refuse_hidden
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest import content as manifest
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest.place import locate, sha256
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import EVERY_TOPIC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import plan, sides, worker
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.shapes import Engine, Task
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.pattern import matching
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.place import shown

from . import compacting

CONFIGS = (
    "cleanup.policy",
    "retention.ms",
    "retention.bytes",
    "delete.retention.ms",
    "message.timestamp.type",
    "max.message.bytes",
)
ATTEMPTS = 3


def prepare(side_spec: SideSpec, out: str, pattern: str, detail: str, digest: str = "") -> Saving:
    """Freeze the bounds: a :class:`Saving`.

    :param digest: what the ledger knows as the digest of the manifest that is there; empty where it knows none.
    :raises KafkaDrError: the cluster does not answer, nothing matches, or what is there cannot be continued.
    """
    return Saving(side_spec, out, pattern, detail, digest)


class Saving:
    """One run of ``manifest``."""

    def __init__(self, side_spec: SideSpec, out: str, pattern: str, detail: str, digest: str) -> None:
        self.side_spec, self.out, self.detail = side_spec, out, detail
        self.began = time.time()
        # What it calls saved is not read again, and goes into the new one, for which the ledger vouches.
        self.old: dict[str, Any] = (
            manifest.require(out, digest)
            if manifest.load(out)
            else {"format": manifest.FORMAT, "topics": {}, "runs": []}
        )
        # A manifest is saved of a cluster alone.
        self.side = cast(sides.KafkaSide, sides.open_side(side_spec))
        self._refuse_another(out)
        kept, there = matching(self.old["topics"], pattern, "topics"), {*self.side.topics(EVERY_TOPIC)}
        # What a mirror's pattern brought in stays in, also where this one leaves out what looks internal.
        names = sorted({*self.side.topics(pattern), *kept} & there)
        if not names:
            raise NotProvableError(
                f"No topic matches {pattern!r}", remedy="Correct the pattern; the whole name has to match"
            )
        self.deleted = sorted({*kept} - there)
        # What is hidden would stay as it was saved, under the time of this run. Nobody keeps rights to what is gone.
        refuse_hidden(self.side.client, [name for name in self.deleted if "deleted_by" not in self.old["topics"][name]])
        # Positions before bounds: every position then lies within what is digested.
        self.groups = positions_in(self.side.client, set(names))
        self.found = sides.survey_all(self.side, names)
        self.withheld = self._withheld()
        self.run_name = time.strftime("%Y%m%dT%H%M%S", time.gmtime(self.began))

    def _refuse_another(self, out: str) -> None:
        """What was kept of another cluster may be all that speaks for it. :raises RefusedError: the manifest is of
        another cluster.
        """
        kept = self.old.get("cluster_id")
        if kept and kept != self.side.cluster_id:
            raise RefusedError(
                f"The manifest {shown(out)} was made of another cluster",
                expected=f"cluster {self.side.cluster_id}",
                found=f"cluster {kept}",
                remedy="Save to a place of its own for each region; of a region that was made again, to a new one",
            )

    def _withheld(self) -> dict[str, int]:
        """``{"topic-partition": offsets}`` behind the last stable offset: transactions that are open. One that hangs
        keeps all that follows it out of each manifest.
        """
        stable = {(name, at): bound[1] for name, topic in self.found.items() for at, bound in topic["bounds"].items()}
        whole = self.side.ends(list(stable), "read_uncommitted")
        return {
            f"{partition[0]}-{partition[1]}": whole[partition] - end
            for partition, end in stable.items()
            if whole.get(partition, end) > end
        }

    def run(self, engine: Engine) -> dict[str, Any]:
        """Digest what is new, merge files where there are many, then replace manifest.json. Returns figures."""
        before = copy.deepcopy(self.old["topics"])
        compacting.look_up_spans(engine, self.out, before, self.old.get("digests", {}))
        topics, ranges = self._plan(before)
        new, digests = self._digest(engine, topics, ranges)
        self._refuse_created_anew(topics)
        all_topics = {**before, **topics}
        for name in self.deleted:
            all_topics[name].setdefault("deleted_by", int(self.began * 1000))
        digests = {**self.old.get("digests", {}), **digests}
        merged = compacting.compact(engine, self.out, self.run_name, all_topics, digests)
        run = {
            "run": self.run_name,
            "records": new,
            "topics": len(topics),
            "merged_files": merged,
            "seconds": round(time.time() - self.began, 3),
        }
        digest = manifest.store(self.out, self._content(all_topics, digests, run))
        held = sum(part["records"] for topic in topics.values() for part in topic["partitions"].values())
        return {
            "topics": len(topics),
            "new_records": new,
            "records": held,
            "merged_files": merged,
            "digest": digest,
            "withheld": self.withheld,
        }

    def _content(self, topics: dict[str, Any], digests: dict[str, str], run: dict[str, Any]) -> dict[str, Any]:
        """What manifest.json says; files that were superseded long ago are deleted."""
        counting = manifest.files({"topics": topics})
        superseded = self.old.get("superseded", {})
        # What this run wrote may be merged already.
        written = sorted({*manifest.files(self.old), *digests})
        return {
            "format": manifest.FORMAT,
            "cluster_id": self.side.cluster_id,
            "saved_at": int(time.time() * 1000),
            "topics": topics,
            "digests": self._digests(counting, digests),
            "superseded": compacting.delete_superseded(self.out, superseded, written, counting),
            "groups": {**self.old.get("groups", {}), **self.groups},
            "runs": [*self.old["runs"], run][-100:],
        }

    def _digest(self, engine: Engine, topics: dict[str, Any], ranges: list[OffsetRange]) -> tuple[int, dict[str, str]]:
        """Digest the ranges into files, which are added to ``topics``: how many records, and the digests of the files.

        A range of which the log was deleted meanwhile is tried again from where the log begins.
        """
        new = 0
        digests: dict[str, str] = {}
        for attempt in range(ATTEMPTS):
            tasks = self._tasks(ranges, attempt, engine.parallelism)
            again: list[OffsetRange] = []
            records = sum(offsets[3] - offsets[2] for offsets in ranges)
            for result in worker.answers(engine, tasks, "save", records):
                if "error" in result:
                    if result["error"]["kind"] != "range_gone":
                        raise NotProvableError(result["error"]["message"])
                    again.extend(tasks[result["id"]]["ranges"])
                    continue
                name, counts, digests[name] = result["value"]
                new += _count(topics, name, counts)
            if not again:
                return new, digests
            ranges = self._from_where_the_log_begins(topics, again)
        raise NotProvableError(
            "The log kept being deleted while it was read", remedy="Save again, or with a smaller pattern"
        )

    def _tasks(self, ranges: list[OffsetRange], attempt: int, parallelism: int) -> list[Task]:
        return [
            {
                "id": number,
                "work": "manifest",
                "side": self.side_spec,
                "out": self.out,
                "run": f"{self.run_name}-{attempt}",
                "detail": self.detail,
                "ranges": group,
                "topic_ids": {offsets[0]: self.found[offsets[0]]["topic_id"] for offsets in group},
            }
            for number, group in enumerate(plan.split(ranges, parallelism))
        ]

    def _refuse_created_anew(self, topics: dict[str, Any]) -> None:
        now = self.side.survey(list(topics))
        for topic in topics:
            if topic not in now or now[topic]["topic_id"] != topics[topic]["topic_id"]:
                raise NotProvableError(f"Topic {topic} was created anew while it was saved", remedy="Save again")

    def _digests(self, counting: list[str], known: dict[str, str]) -> dict[str, str]:
        """Of every file that counts: as it was written, or as it is now where an old manifest has no digests."""
        system, inside = locate(self.out)
        return {name: known.get(name) or sha256(system, f"{inside}/{name}") for name in counting}

    def _plan(self, saved_topics: dict[str, Any]) -> tuple[dict[str, Any], list[OffsetRange]]:
        """Topics as manifest.json has them, with what is saved already, and the ranges to read."""
        topics, ranges = {}, []
        for name, topic in self.found.items():
            before = saved_topics.get(name)
            if before and (before["topic_id"] != topic["topic_id"] or before["detail"] != self.detail):
                before = None
            compact = "compact" in (topic["config"].get("cleanup.policy") or "")
            partitions = {}
            for number, (low, high) in topic["bounds"].items():
                saved = before["partitions"].get(str(number)) if before else None
                since = low
                part = {"low": low, "high": high, "records": 0, "files": [], "spans": []}
                if saved and saved["high"] >= low and saved["high"] <= high:
                    since = saved["high"]
                    part = {**saved, "low": low, "high": high}
                partitions[str(number)] = part
                ranges.append(OffsetRange(name, number, since, high, compact))
            topics[name] = {
                "topic_id": topic["topic_id"],
                "detail": self.detail,
                "partitions": partitions,
                "config": {key: topic["config"][key] for key in CONFIGS if topic["config"].get(key) is not None},
            }
        return topics, ranges

    def _from_where_the_log_begins(self, topics: dict[str, Any], again: list[OffsetRange]) -> list[OffsetRange]:
        starts = self.side.starts([offset_range[:2] for offset_range in again])
        moved = []
        for topic, number, low, high, compact in again:
            start = starts.get((topic, number))
            if start is None:
                raise KafkaDrError(f"Topic {topic} went away while it was saved")
            topics[topic]["partitions"][str(number)]["low"] = max(
                start, topics[topic]["partitions"][str(number)]["low"]
            )
            moved.append(OffsetRange(topic, number, min(high, max(start, low)), high, compact))
        return moved


def _count(topics: dict[str, Any], file: str, counts: list[tuple[str, int, int, tuple[int, int]]]) -> int:
    """Add a file, and the records that it holds of each partition, to ``topics``; the records of all of them."""
    for topic, partition, records, span in counts:
        part = topics[topic]["partitions"][str(partition)]
        part["files"].append(file)
        part["spans"].append(list(span))
        part["records"] += records
    return sum(count[2] for count in counts)


def withheld_text(withheld: dict[str, int]) -> str:
    """What a manifest does not cover for transactions that are open, in one sentence."""
    worst = sorted(withheld, key=lambda name: -withheld[name])
    return (
        f"Not covered: {sum(withheld.values()):,} offsets behind open transactions in {len(withheld)} partitions "
        f"({', '.join(worst[:5])}{', …' if len(worst) > 5 else ''}). The next manifest covers them, "
        "unless a transaction hangs (kafka-transactions.sh find-hanging)"
    )
