# SPDX-License-Identifier: GPL-3.0-or-later
"""Traps by which consumers' positions, topics or their settings do not arrive, or die with the source."""

from __future__ import annotations

from collections.abc import Iterator

from .finding import Finding, duration, finding, number
from .flows import Flow

ON = "true"
SWITCHES = (
    (
        "checkpoint",
        "emit.checkpoints.enabled",
        "error",
        "No position of any consumer group is translated: after a switch all of them start anew",
    ),
    (
        "source",
        "emit.offset-syncs.enabled",
        "error",
        "Nothing maps the offsets of the source to the target's (KIP-1031): no position can be translated",
    ),
    (
        "checkpoint",
        "sync.group.offsets.enabled",
        "warning",
        "Positions are translated but not committed on the target: consumers start anew unless told",
    ),
    ("source", "refresh.topics.enabled", "error", "Topics and partitions made after the start are never copied"),
    (
        "checkpoint",
        "refresh.groups.enabled",
        "error",
        "Groups that appear after the start have no position on the target",
    ),
    (
        "source",
        "sync.topic.configs.enabled",
        "warning",
        "Retention, compaction and sizes drift apart: the target may delete what the source keeps",
    ),
    ("heartbeat", "emit.heartbeats.enabled", "info", "Without heartbeats an idle mirror and a dead one look alike"),
)
INTERVALS = {
    "refresh.topics.interval.seconds": ("source", 3600, "a new topic or partition is copied only after that long"),
    "sync.topic.configs.interval.seconds": ("source", 3600, "a changed topic setting arrives only after that long"),
    "sync.topic.acls.interval.seconds": ("source", 3600, "a changed access rule arrives only after that long"),
    "refresh.groups.interval.seconds": ("checkpoint", 3600, "a new group has no position on the target for that long"),
    "emit.checkpoints.interval.seconds": ("checkpoint", 600, "after a loss consumers repeat up to that much"),
    "sync.group.offsets.interval.seconds": ("checkpoint", 600, "after a loss consumers repeat up to that much"),
    "emit.heartbeats.interval.seconds": ("heartbeat", 60, "a dead mirror is noticed only after that long"),
}


def switched_off(flow: Flow) -> Iterator[Finding]:
    defaults = {"sync.group.offsets.enabled": "false"}
    for side, key, severity, reason in SWITCHES:
        if side in flow.settings and flow.get(side, key, default=defaults.get(key, ON)) != ON:
            yield finding(
                "off-" + key.replace(".enabled", "").replace(".", "-"),
                severity,
                flow.where(side, key),
                flow.get(side, key, default="not set, so false"),
                reason,
                f"{key}: true",
            )


def intervals(flow: Flow) -> Iterator[Finding]:
    """The unit is in the name: seconds. A number meant as milliseconds becomes days (600000 s are nearly a week)."""
    for key, (side, most, reason) in INTERVALS.items():
        seconds = number(flow.get(side, key, default=""))
        if seconds is None:
            continue
        if seconds > most:
            likely = seconds % 1000 == 0 and seconds >= 10000
            yield finding(
                "interval-unit",
                "error" if likely else "warning",
                flow.where(side, key),
                f"{seconds} s, which is {duration(seconds)}",
                ("The unit is seconds and this looks like milliseconds: " if likely else "This is long: ") + reason,
                f"{key}: {seconds // 1000 if likely else most}",
            )
        elif seconds <= 0:
            yield finding(
                "interval-off",
                "warning",
                flow.where(side, key),
                str(seconds),
                "Zero or less switches it off",
                f"{key}: 30",
            )


def flush(flow: Flow) -> Iterator[Finding]:
    milliseconds = number(flow.worker.get("offset.flush.interval.ms", ""))
    if milliseconds is not None and milliseconds > 60000:
        yield finding(
            "flush-interval",
            "warning",
            "offset.flush.interval.ms",
            str(milliseconds),
            "After a crash everything since the last flush is copied again (without exactly-once), and "
            "positions trail that far behind",
            "offset.flush.interval.ms: 5000",
        )


def lag_max(flow: Flow) -> Iterator[Finding]:
    """``OffsetSyncWriter`` writes a sync at least at this distance: 0 is each record, 1 each second one."""
    value = number(flow.get("source", "offset.lag.max", default="100"))
    if value is None or "source" not in flow.settings:
        return
    if value == 1:
        yield finding(
            "offset-lag-max",
            "info",
            flow.where("source", "offset.lag.max"),
            "1",
            "This gives a sync for every second record, not for each; and it concerns positions only, never "
            "how much is copied",
            "offset.lag.max: 0 for every record, 10 for nearly the same at a tenth of the writes",
        )
    elif value > 100:
        yield finding(
            "offset-lag-max",
            "warning",
            flow.where("source", "offset.lag.max"),
            str(value),
            f"Positions are translated only every {value} records, so consumers repeat up to that many in "
            "each partition",
            "offset.lag.max: 10",
        )


def syncs_place(flow: Flow) -> Iterator[Finding]:
    """KIP-716: the default keeps the mapping on the source, where it dies with it."""
    places = {
        flow.get(side, "offset-syncs.topic.location", default="source")
        for side in ("source", "checkpoint")
        if side in flow.settings
    }
    if len(places) > 1:
        yield finding(
            "offset-syncs-split",
            "error",
            flow.where("checkpoint", "offset-syncs.topic.location"),
            " and ".join(sorted(places)),
            "One connector writes the mapping where the other does not look: no position is ever translated",
            "offset-syncs.topic.location: target, on the source and on the checkpoint connector",
        )
    elif places == {"source"}:
        yield finding(
            "offset-syncs-at-source",
            "error",
            flow.where("source", "offset-syncs.topic.location"),
            flow.get("source", "offset-syncs.topic.location", default="not set, so source"),
            "The mapping of offsets is kept in the region whose loss it is needed for, and the mirror needs "
            "WRITE there",
            "offset-syncs.topic.location: target, on the source and on the checkpoint connector",
        )


def checkpoint_missing(flow: Flow) -> Iterator[Finding]:
    if "source" in flow.settings and "checkpoint" not in flow.settings:
        yield finding(
            "no-checkpoints",
            "warning",
            f"{flow.prefix}checkpointConnector",
            "not there",
            "No position of any consumer group reaches the target",
            "Add a checkpoint connector with the same policy settings",
        )


def acl_sync(flow: Flow) -> Iterator[Finding]:
    key = "sync.topic.acls.enabled"
    if "source" in flow.settings and flow.get("source", key, default=ON) == ON:
        yield finding(
            "acl-sync",
            "warning",
            flow.where("source", key),
            flow.get("source", key, default="not set, so true"),
            "Access rules are copied by halves (literal topics only, no WRITE, ALL becomes READ) and never removed; "
            "a rule that fences the source would fence the target too, and an operator that owns the users undoes it",
            "sync.topic.acls.enabled: false, and manage access on both sides",
        )


def history(flow: Flow) -> Iterator[Finding]:
    """Kafka's own exclusions are replaced, not extended, by a value of one's own."""
    value = flow.get("source", "config.properties.exclude")
    if value is not None and "min\\.insync\\.replicas" not in value and "min.insync.replicas" not in value:
        yield finding(
            "config-exclude",
            "warning",
            flow.where("source", "config.properties.exclude"),
            value,
            "A value of one's own replaces Kafka's: min.insync.replicas and throttles of the source are then "
            "forced on the target",
            "Repeat Kafka's own exclusions in front of yours",
        )


RULES = [switched_off, intervals, flush, lag_max, syncs_place, checkpoint_missing, acl_sync, history]
