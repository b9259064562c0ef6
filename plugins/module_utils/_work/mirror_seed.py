# SPDX-License-Identifier: GPL-3.0-or-later
"""Write what a mirror goes on from into its own topics; the work of ``mirror_seed``."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any

from .._errors import KafkaDrError, RefusedError, UsageError
from .._kafka.client import KafkaClient
from .._kafka.distinct import refuse_same
from .._kafka.groups import every_group
from .._kafka.mm2_topics import read_offset_syncs, read_source_offsets, read_witness
from .._kafka.offsets import topic_offsets
from .._kafka.topic_changes import ensure_topics
from .._kafka.topics import describe_topics
from .._kafka.writer import write
from .._mm2 import codec, codec_connect, witness
from .._mm2.names import MirrorNames, check_names, workers_group
from .._positions import seeds
from .._positions.proof_map import read_proof
from .._positions.witnessed import unless_others

# As Connect makes its offset topic (KafkaOffsetBackingStore).
OFFSETS_PARTITIONS = 25
NAMED = 5
REMEDY = (
    "After a restore, prove it again with recreate_from_backup; in a planned move, go on without turning the mirror: "
    "-e failover_reverse=false; in a failback, delete the topic in the region that is back, and run it again: what is "
    "not there is copied. Or make a backup in another region with initial_setup"
)

Partition = tuple[str, int]


def mirror_seed(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Seed the source offsets and the offset syncs of a mirror that is stopped.

    Nothing is written unless both regions are still as the proof saw them, no worker is left, and the mirror's topics
    are empty or hold these very seeds; what was written is read back.

    :returns: ``changed``, ``partitions``, ``pairs``, ``source_offsets{topic: {partition: last offset}}``, ``diff``.
    """
    names = check_names(MirrorNames(params["source_alias"], params["target_alias"], "identity", params["separator"]))
    source, target = _clients(params, names)
    rows = seeds.source_offsets(params["proof"], names.source, params["connector"])
    pairs = seeds.offset_syncs(params["proof"], _maps(params))
    _unchanged_since(params["proof"], source, target, bool(params.get("source_in_use")))
    # Who only looks has not removed the old mirror, which comes first.
    if not check_mode:
        _no_worker(target, workers_group(names.source))
    topic = params["offsets_topic"] or names.source_offsets
    wanted = {(row.topic, row.partition): row.offset for row in rows}
    has = read_source_offsets(target, topic, names.source, params["connector"])
    syncs = read_offset_syncs(target, names.offset_syncs)
    seeded = has is not None and has["offsets"] == wanted and not has["conflicts"]
    paired = syncs is not None and [(row.partition, row.value) for row in syncs] == [(0, pair) for pair in pairs]
    result = {
        "changed": not (seeded and paired),
        "partitions": len(rows),
        "pairs": len(pairs),
        "source_offsets": _by_topic(wanted),
        "diff": {"before": _by_topic(has["offsets"] if has else {}), "after": _by_topic(wanted)},
    }
    if not check_mode:
        _refuse_foreign(target, topic, has, seeded)
        _refuse_foreign(target, names.offset_syncs, syncs, paired)
    if not check_mode and result["changed"]:
        _ensure_offsets_topic(target, topic, params["replication_factor"])
        if not seeded:
            _write_source_offsets(target, topic, rows)
        if not paired:
            _write_pairs(params, names, target, pairs)
        _read_back(target, topic, names, params["connector"], wanted)
    return result


def _clients(params: dict[str, Any], names: MirrorNames) -> tuple[KafkaClient, KafkaClient]:
    source = KafkaClient(params["source_client"], params["source_client_secrets"], params["timeout"], names.source)
    target = KafkaClient(params["target_client"], params["target_client_secrets"], params["timeout"], names.target)
    refuse_same(source, target)
    return source, target


def _ensure_offsets_topic(target: KafkaClient, topic: str, replication_factor: int) -> None:
    described = {
        "name": topic,
        "partitions": OFFSETS_PARTITIONS,
        "replication_factor": replication_factor,
        "configs": {"cleanup.policy": "compact"},
    }
    ensure_topics(target, [described], "present", False)


def _write_source_offsets(target: KafkaClient, topic: str, rows: list[codec_connect.SourceOffset]) -> None:
    # Connect's own producer is Java's: the key decides the partition by murmur2, or a later row would stand beside this
    # one.
    write(target, topic, [(None, *codec_connect.encode_source_offset(row)) for row in rows])


def _write_pairs(
    params: dict[str, Any], names: MirrorNames, target: KafkaClient, pairs: list[codec.OffsetSync]
) -> None:
    _make_known(params, names, target)
    write(target, names.offset_syncs, [(0, *codec.encode_offset_sync(pair)) for pair in pairs])


def _make_known(params: dict[str, Any], names: MirrorNames, target: KafkaClient) -> None:
    """Tell the topic of the mirror's position witness, where it knows other topics of these names, which ones the seeds
    are about. Pairs from before the witness itself sees these do not count, and positions seen before they do.
    """
    topic = params.get("positions_topic") or ""
    known = unless_others(read_witness(target, topic) if topic else None, names.source, names.target)
    if known is None or known["at"] is None:
        return
    at = int(time.time() * 1000)
    present = {proven["target_topic"]: proven["target_topic_id"] for proven in params["proof"]["topics"]}
    before = {name: (topic["id"], topic["recreated"]) for name, topic in known["topics"].items()}
    rows = [
        witness.encode_topic(name, at, topic_id, witness.recreated_at(topic_id, at, before.get(name)))
        for name, topic_id in sorted(present.items())
        if name not in before or before[name][0] != topic_id
    ]
    write(target, topic, [(0, *row) for row in rows])


def _maps(params: dict[str, Any]) -> dict[Partition, Any]:
    """``{(topic, partition): runs}`` of the proof's report; none where the caller goes on without pairs.

    :raises UsageError: there is no report. Without pairs MirrorMaker 2 would translate no position of a group that is
        idle or behind.
    """
    report = params["proof"].get("report") or ""
    if os.path.exists(report):
        return {key: proof_map.runs for key, proof_map in read_proof(report).items()}
    if params["without_pairs"]:
        return {}
    raise UsageError(
        "The offset map of the proof is not here",
        expected="the report of the proof that the ledger names, on this machine",
        found=report or "no path",
        remedy="Put report.json back, or run this where it is. recreate_from_backup proves a restore again, and a "
        "planned failover by the same command. Or go on without (failback_accept_no_offset_map, "
        "new_backup_accept_no_offset_map): groups that are idle or behind have no position in the backup until they "
        "move",
    )


def _by_topic(offsets: Mapping[Partition, int | None]) -> dict[str, dict[str, int | None]]:
    by_topic: dict[str, dict[str, int | None]] = {}
    for (topic, number), offset in sorted(offsets.items()):
        by_topic.setdefault(topic, {})[str(number)] = offset
    return by_topic


def _unchanged_since(proof: dict[str, Any], source: KafkaClient, target: KafkaClient, in_use: bool) -> None:
    """The backup must be as the proof saw it, and the restored region must hold at least that.

    :param in_use: whether applications work in the restored region. Their transactions are open beyond what was proven.
    """
    sides = (
        (source, "target_topic", "target_topic_id", "target", "the active region", False),
        (target, "topic", "source_topic_id", "source", "the backup", True),
    )
    for client, name, identity, side, what, still in sides:
        described = describe_topics(client, [topic[name] for topic in proof["topics"]])
        wrong = [
            topic[name]
            for topic in proof["topics"]
            if topic[name] not in described or described[topic[name]]["id"] != topic.get(identity)
        ]
        if wrong:
            raise RefusedError(
                f"Topic {', '.join(wrong[:NAMED])} of {client.name} is not the one that was proven",
                expected="the topic id of the proof",
                found="another one, or no topic",
                remedy=REMEDY,
            )
        partitions = {name: topic["partitions"] for name, topic in described.items()}
        bounds = topic_offsets(client, partitions, gone="waited for")
        for topic in proof["topics"]:
            for number, partition in topic["partitions"].items():
                part = f"'{topic[name]}' partition {number}"
                now, then = bounds[topic[name]][number], partition[side][1]
                if now["stable"] < now["end"] and (still or not in_use):
                    raise RefusedError(
                        f"Topic {part} of {client.name} has an open transaction",
                        expected=f"last stable offset {now['end']} to be the end",
                        found=now["stable"],
                        remedy="Wait until it has ended or timed out, then run this again",
                    )
                if now["stable"] < then or (still and now["stable"] != then):
                    raise _moved(what, part, then, now["stable"])


def _moved(what: str, part: str, then: int, now: int) -> RefusedError:
    return RefusedError(
        f"{what.capitalize()} is not as the proof saw it", expected=f"{part} to end at {then}", found=now, remedy=REMEDY
    )


def _no_worker(target: KafkaClient, group: str) -> None:
    members = every_group(target, [group]).get(group)
    if members:
        raise RefusedError(
            "A worker of the mirror still runs",
            expected=f"group '{group}' on {target.name} without members",
            found=f"{members}",
            remedy="Stop the mirror first; it would overwrite what is written now",
        )


def _refuse_foreign(target: KafkaClient, topic: str, found: Any, ours: bool) -> None:
    rows = found["offsets"] if isinstance(found, dict) else found
    if rows and not ours:
        raise RefusedError(
            f"Topic '{topic}' on {target.name} holds what another mirror wrote",
            expected="it empty or absent",
            found=f"{len(rows)} rows",
            remedy="Remove the old mirror first, which deletes its internal topics",
        )


def _read_back(
    target: KafkaClient, topic: str, names: MirrorNames, connector: str, wanted: Mapping[Partition, int | None]
) -> None:
    now = read_source_offsets(target, topic, names.source, connector)
    if now is None or now["offsets"] != wanted or now["conflicts"]:
        raise KafkaDrError(
            f"Source offsets of mirror {names.source} -> {names.target} are not what was written",
            expected=f"{len(wanted)} partitions",
            found=f"{len(now['offsets'])}, conflicts {now['conflicts']}" if now else "0, conflicts None",
            remedy=f"See who else writes to '{topic}', then remove the mirror and run this again",
        )
