# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Write what a mirror goes on from into its own topics; the work of ``mirror_seed``."""

from __future__ import annotations

import os

from ._errors import KafkaDrError, RefusedError, UsageError
from ._kafka.client import KafkaClient
from ._kafka.cluster import describe_topics
from ._kafka.distinct import refuse_same
from ._kafka.groups import every_group
from ._kafka.mm2_topics import log_bounds, read_offset_syncs, read_source_offsets
from ._kafka.topics import ensure_topics
from ._kafka.writer import write
from ._mm2 import codec, codec_connect, seeds
from ._mm2.names import MirrorNames, check_names, workers_group
from ._mm2.proof_map import read_proof

# As Connect makes its offset topic (KafkaOffsetBackingStore).
OFFSETS_PARTITIONS = 25
NAMED = 5
REMEDY = "Prove the restore again with recreate_from_backup, or make a backup in another region with initial_setup"


def mirror_seed(params, check_mode):
    """Seed the source offsets and the offset syncs of a mirror that is stopped.

    Nothing is written unless both regions are still as the proof saw them, no worker is left, and the mirror's topics are empty or hold these
    very seeds; what was written is read back.

    :returns: ``changed``, ``partitions``, ``pairs``, ``source_offsets{topic: {partition: last offset}}``, ``diff``.
    """
    names = check_names(MirrorNames(params["source_alias"], params["target_alias"], "identity", params["separator"]))
    source = KafkaClient(params["source_client"], params["source_client_secrets"], params["timeout"], names.source)
    target = KafkaClient(params["target_client"], params["target_client_secrets"], params["timeout"], names.target)
    refuse_same(source, target)
    rows = seeds.source_offsets(params["proof"], names.source, params["connector"])
    pairs = seeds.offset_syncs(params["proof"], _maps(params))
    _unchanged_since(params["proof"], source, target)
    _no_worker(target, workers_group(names.source))
    topic = params["offsets_topic"] or names.source_offsets
    wanted = {(row.topic, row.partition): row.offset for row in rows}
    has = read_source_offsets(target, topic, names.source, params["connector"])
    syncs = read_offset_syncs(target, names.offset_syncs)
    seeded = has is not None and has["offsets"] == wanted and not has["conflicts"]
    paired = syncs is not None and [(row.partition, row.value) for row in syncs] == [(0, pair) for pair in pairs]
    result = {
        "changed": not (seeded and paired), "partitions": len(rows), "pairs": len(pairs), "source_offsets": _by_topic(wanted),
        "diff": {"before": _by_topic((has or {}).get("offsets") or {}), "after": _by_topic(wanted)},
    }
    # Who only looks has not removed the old mirror, which comes first.
    if not check_mode:
        _refuse_foreign(target, topic, has, seeded)
        _refuse_foreign(target, names.offset_syncs, syncs, paired)
    if check_mode or not result["changed"]:
        return result
    factor = params["replication_factor"]
    kept = {"name": topic, "partitions": OFFSETS_PARTITIONS, "replication_factor": factor, "configs": {"cleanup.policy": "compact"}}
    ensure_topics(target, [kept], "present", False)
    if not seeded:
        # Connect's own producer is Java's: the key decides the partition by murmur2, or a later row would stand beside this one.
        write(target, topic, [(None, *codec_connect.encode_source_offset(row)) for row in rows])
    if not paired:
        write(target, names.offset_syncs, [(0, *codec.encode_offset_sync(pair)) for pair in pairs])
    _read_back(target, topic, names, params["connector"], wanted)
    return result


def _maps(params):
    """``{(topic, partition): runs}`` of the proof's report; none where the caller goes on without pairs.

    :raises UsageError: there is no report. Without pairs MirrorMaker 2 would translate no position of a group that is idle or behind.
    """
    report = params["proof"].get("report") or ""
    if os.path.exists(report):
        return {key: one.runs for key, one in read_proof(report).items()}
    if params["without_pairs"]:
        return {}
    raise UsageError(
        "The offset map of the proof is not here", expected="the report of the proof that the ledger names, on this machine", found=report or "no path",
        remedy="Put report.json back, run this where it is, or make the proof again with recreate_from_backup. With without_pairs, groups that are idle or "
               "behind have no position in the backup until they move",
    )


def _by_topic(offsets):
    made = {}
    for (topic, number), offset in sorted(offsets.items()):
        made.setdefault(topic, {})[str(number)] = offset
    return made


def _unchanged_since(proof, source, target):
    """The backup must be as the proof saw it, and the restored region must hold at least that."""
    sides = (
        (source, "target_topic", "target_topic_id", "target", "the restored region", False),
        (target, "topic", "source_topic_id", "source", "the backup", True),
    )
    for client, name, identity, side, what, still in sides:
        described = describe_topics(client, [topic[name] for topic in proof["topics"]])
        wrong = [topic[name] for topic in proof["topics"] if described.get(topic[name], {}).get("id") != topic.get(identity)]
        if wrong:
            raise RefusedError("Topic %s of %s is not the one that was proven" % (", ".join(wrong[:NAMED]), client.name),
                               expected="the topic id of the proof", found="another one, or no topic", remedy=REMEDY)
        bounds = log_bounds(client, {name: one["partitions"] for name, one in described.items()})
        for topic in proof["topics"]:
            for number, one in topic["partitions"].items():
                now, then = bounds[topic[name]][number], one[side][1]
                if now["stable"] < now["end"]:
                    raise RefusedError("Topic '%s' partition %s of %s has an open transaction" % (topic[name], number, client.name),
                                       expected="last stable offset %d to be the end" % now["end"], found=now["stable"],
                                       remedy="Wait until it has ended or timed out, then run this again")
                if now["stable"] < then or (still and now["stable"] != then):
                    raise RefusedError("%s is not as the proof saw it" % what.capitalize(),
                                       expected="'%s' partition %s to end at %d" % (topic[name], number, then), found=now["stable"], remedy=REMEDY)


def _no_worker(target, group):
    members = every_group(target).get(group)
    if members:
        raise RefusedError("A worker of the mirror still runs", expected="group '%s' on %s without members" % (group, target.name), found="%d" % members,
                           remedy="Stop the mirror first; it would overwrite what is written now")


def _refuse_foreign(target, topic, found, ours):
    rows = found["offsets"] if isinstance(found, dict) else found
    if rows and not ours:
        raise RefusedError("Topic '%s' on %s holds what another mirror wrote" % (topic, target.name), expected="it empty or absent",
                           found="%d rows" % len(rows), remedy="Remove the old mirror first, which deletes its internal topics")


def _read_back(target, topic, names, connector, wanted):
    now = read_source_offsets(target, topic, names.source, connector)
    if now is None or now["offsets"] != wanted or now["conflicts"]:
        raise KafkaDrError("Source offsets of mirror %s -> %s are not what was written" % (names.source, names.target), expected="%d partitions" % len(wanted),
                           found="%d, conflicts %s" % (len((now or {}).get("offsets") or {}), (now or {}).get("conflicts")),
                           remedy="See who else writes to '%s', then remove the mirror and run this again" % topic)
