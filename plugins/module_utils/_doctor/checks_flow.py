# SPDX-License-Identifier: GPL-3.0-or-later
"""Does the mirror run, and does it get ahead?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._values.listing import named
from .._values.redact import text as without_secrets
from .checks_running import exactly_once, heartbeats, operator_content, tasks, witness
from .finding import finding
from .observe import Observation


def answers(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Whatever could not be read, with the reason."""
    for what, error in seen.problems:
        # What to do about it is told as that of the finding.
        message = str(error).removesuffix(f" {error.remedy.rstrip('.')}.") if error.remedy else str(error)
        yield finding(
            "cannot-read-" + error.kind,
            "error",
            what,
            without_secrets(message).rstrip("."),
            "The doctor could not read this, so it says nothing about it",
            error.remedy or "Give the doctor's principal the right to read it, and look at the cluster",
        )


def two_clusters(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    if seen.one_cluster:
        yield finding(
            "one-cluster",
            "error",
            f"{seen.names.source}->{seen.names.target}",
            f"{seen.names.source} and {seen.names.target} are the same cluster ({seen.one_cluster})",
            "Both clients lead to one cluster: the doctor examined nothing else, and no copy is anywhere",
            "Correct kafka_dr_client of one of them",
        )


def ever_ran(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    if seen.mirror and not seen.mirror[0]["exists"]["source_offsets"]:
        yield finding(
            "never-ran",
            "error",
            seen.names.source_offsets,
            f"no such topic on {seen.names.target}",
            "No mirror of this name ever ran into this target, or it keeps its offsets under another name",
            "Start the mirror; on Kubernetes name the resource's offsetStorageTopic in offsets_topic",
        )


def nothing_copied(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    """A lag of nothing says nothing where there is nothing to copy, or where nobody copies it."""
    if not seen.mirror or not seen.source:
        return
    flow = f"{seen.names.source}->{seen.names.target}"
    rows = [row for row in seen.mirror[-1]["partitions"] if row["source_end"] is not None]
    if not rows:
        yield finding(
            "no-topics",
            "error",
            flow,
            f"no topic of {seen.names.source} that the patterns match and the doctor may see",
            "Nothing is copied, and the lag is not known",
            "Compare topics of the mirror with the source's; give the doctor's principal DESCRIBE on them",
        )
        return
    filled = [row for row in rows if row["source_end"] > row["source_start"]]
    copied = [row for row in rows if row["mirrored_through"] is not None or _end_of_copy(seen, row)]
    if not filled and not copied:
        yield finding(
            "nothing-to-copy",
            "info",
            flow,
            f"no record in {len(rows)} partitions",
            "Whether the mirror copies cannot be seen",
            "Run the probe",
        )
    elif not copied:
        yield finding(
            "nothing-copied",
            "error",
            flow,
            f"{len(filled)} partitions hold records, and none was ever copied",
            "The mirror does not run, may not read the source, or cannot write to the target",
            "Look at the other findings, and at the mirror's log",
        )
    yield from _empty_copies(seen, filled)


def _empty_copies(seen: Observation, filled: list[dict[str, Any]]) -> Iterator[dict[str, str]]:
    """Partitions that the mirror has copied by its stored position, and whose copy holds nothing."""
    empty = [
        row for row in filled if (row["mirrored_through"] or 0) > row["source_start"] and _end_of_copy(seen, row) == 0
    ]
    if empty:
        yield finding(
            "copy-empty",
            "error",
            named(f"{row['topic']}-{row['partition']}" for row in empty),
            "copied by the stored position, and no record there",
            "The copy was made again since: the mirror does not copy again what it copied once",
            "Stop the mirror, remove the topic's stored positions, and mirror it anew",
        )


def _end_of_copy(seen: Observation, row: dict[str, Any]) -> int | None:
    """The end of a partition's copy; None where it could not be seen."""
    bounds = seen.target["offsets"][-1].get(row["target_topic"], {}).get(str(row["partition"])) if seen.target else None
    return bounds["end"] if bounds else None


def progress(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Stuck: what was waiting at the first look still is, and neither the stored position nor the copy moved."""
    if len(seen.mirror) < 2:
        return
    before = {(row["topic"], row["partition"]): row for row in seen.mirror[0]["partitions"]}
    stuck, late = [], []
    for row in seen.mirror[1]["partitions"]:
        first = before.get((row["topic"], row["partition"]))
        if not first or not first["lag"] or not row["lag"]:
            continue
        moved = row["mirrored_through"] != first["mirrored_through"] or _copy_moved(seen, row)
        if not moved:
            stuck.append(row)
        elif row["lag"] > params["max_lag"]:
            late.append(row)
    if stuck:
        # Without exactly-once positions are stored once a minute, so standing still for some seconds is nothing yet.
        sure = seen.mirror[1]["exactly_once_seen"] or sum(row["lag"] for row in stuck) > params["max_lag"]
        yield finding(
            "stuck",
            "error" if sure else "info",
            named(f"{row['topic']}-{row['partition']}" for row in stuck),
            f"{sum(row['lag'] for row in stuck)} records wait and none was copied in {params['watch_seconds']} s",
            "The mirror is down, its task failed, or it waits for a broker",
            "Look at the other findings, and at the mirror's log",
        )
    if late:
        yield finding(
            "lag",
            "warning",
            named(f"{row['topic']}-{row['partition']}" for row in late),
            f"{sum(row['lag'] for row in late)} records behind, and moving",
            "The mirror is slower than its source, or was down for a while",
            "If it does not shrink: more tasks (tuning.tasks_max), more nodes, or a closer look at the network",
        )


def _copy_moved(seen: Observation, row: dict[str, Any]) -> bool:
    if not seen.target or len(seen.target["offsets"]) < 2:
        return False
    ends = [
        look.get(row["target_topic"], {}).get(str(row["partition"]), {}).get("end") for look in seen.target["offsets"]
    ]
    return ends[0] != ends[1]


def open_transactions(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    for side, view in (("source", seen.source), ("target", seen.target)):
        if not view or len(view["offsets"]) < 2:
            continue
        hanging = []
        for topic, partitions in view["offsets"][0].items():
            for number, bounds in partitions.items():
                then = view["offsets"][1].get(topic, {}).get(number, {})
                if bounds["stable"] < bounds["end"] and then.get("stable") == bounds["stable"]:
                    hanging.append(f"{topic}-{number}")
        if hanging:
            reader = (
                "The mirror reads only what is committed, so it"
                if side == "source"
                else "Consumers that read only what is committed"
            )
            yield finding(
                "open-transaction",
                "warning",
                named(sorted(hanging)),
                f"open for more than {params['watch_seconds']} s on {getattr(seen.names, side)}",
                f"A transaction was begun and not ended. {reader} cannot pass it",
                "End or restart its producer; for one that is gone: kafka-transactions.sh find-hanging and abort",
            )


def conflicts(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    if seen.mirror and seen.mirror[0]["conflicts"]:
        rows = seen.mirror[0]["conflicts"]
        yield finding(
            "conflicting-positions",
            "error",
            named(f"{row['topic']}-{row['partition']}" for row in rows),
            f"{len(rows)} keys in more than one partition of {seen.names.source_offsets}",
            "Somebody wrote positions with another partitioner than Connect's: after a restart an old one may win",
            "Stop the mirror, delete the wrong rows with a tombstone in their own partition, and write the right "
            "ones with murmur2",
        )


CHECKS = [
    answers,
    two_clusters,
    ever_ran,
    nothing_copied,
    witness,
    operator_content,
    heartbeats,
    tasks,
    progress,
    open_transactions,
    conflicts,
    exactly_once,
]
