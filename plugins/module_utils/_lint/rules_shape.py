# SPDX-License-Identifier: GPL-3.0-or-later
"""Traps in the configuration as a whole: loops, flows that do not run, resources that an API server cuts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._mm2.mirror_config import POLICIES
from .finding import Finding, finding
from .flows import FLOW, Flow, as_text

OLD_FIELDS = ("connectCluster", "clusters")
OLD_MIRROR_FIELDS = ("sourceCluster", "targetCluster", "heartbeatConnector")
TOP_CLIENT = ("consumer.", "producer.", "admin.")
WORKER_KEYS = ("offset.flush.interval.ms", "offset.flush.timeout.ms", "group.id", "plugin.path")


def loops(kind: str, flows: list[Flow], raw: Any) -> Iterator[Finding]:
    """``IdentityReplicationPolicy`` does not know where a record came from: a circle copies it for ever."""
    plain = [flow for flow in flows if flow.get("source", "replication.policy.class") == POLICIES["identity"]]
    ways: dict[str, set[str]] = {}
    for flow in plain:
        ways.setdefault(flow.source, set()).add(flow.target)
    for flow in plain:
        if _reaches(ways, flow.target, flow.source):
            back = next((other for other in plain if (other.source, other.target) == (flow.target, flow.source)), None)
            if back and _disjoint(
                flow.get("source", "topics", default=".*"), back.get("source", "topics", default=".*")
            ):
                continue
            yield finding(
                "loop",
                "error",
                flow.name,
                "identity policy in a circle",
                "A copied record keeps its name, so it is copied back, and again, without end",
                "The default policy for both directions, or patterns of topics that never overlap",
                flow=flow.name,
            )


def _reaches(ways: dict[str, set[str]], start: str, goal: str) -> bool:
    seen, todo = set(), [start]
    while todo:
        region = todo.pop()
        if region == goal:
            return True
        if region not in seen:
            seen.add(region)
            todo += ways.get(region, ())
    return False


def _disjoint(first: str, other: str) -> bool:
    """True only for lists of plain names or of distinct literal beginnings."""
    beginnings = []
    for patterns in (first, other):
        found = []
        for pattern in patterns.split(","):
            literal = pattern.strip().replace("\\.", "\0")
            head = literal.split(".", 1)[0].split("*", 1)[0]
            if not head or any(letter in head for letter in "[](){}|?+^$\\"):
                return False
            found.append(head.replace("\0", "."))
        beginnings.append(found)
    return not any(a.startswith(b) or b.startswith(a) for a in beginnings[0] for b in beginnings[1])


def flows_that_do_not_run(kind: str, flows: list[Flow], raw: Any) -> Iterator[Finding]:
    if kind != "properties":
        return
    aliases = [alias.strip() for alias in as_text(raw.get("clusters")).split(",") if alias.strip()]
    pairs = dict.fromkeys(match.group(1, 2) for match in (FLOW.match(str(key)) for key in raw) if match)
    for pair in pairs:
        name = "->".join(pair)
        missing = [alias for alias in pair if alias not in aliases]
        if missing:
            yield finding(
                "flow-of-unknown-cluster",
                "error",
                "clusters",
                ", ".join(aliases) or "nothing",
                f"Flow {name} names {' and '.join(missing)}, which is not in the list of clusters: it is ignored "
                "without a word",
                f"clusters: {', '.join(aliases + missing)}",
                flow=name,
            )
        elif as_text(raw.get(name + ".enabled")) == "" and any(key.startswith(name + ".topics") for key in raw):
            yield finding(
                "flow-not-enabled",
                "warning",
                name + ".enabled",
                "not set, so false",
                "The flow has settings and does not run",
                f"{name}.enabled: true",
                flow=name,
            )
    if not flows:
        yield finding(
            "nothing-runs",
            "error",
            "clusters",
            ", ".join(aliases) or "nothing",
            "No flow is enabled: nothing is copied",
            "A->B.enabled: true",
        )


def unheard_lines(kind: str, flows: list[Flow], raw: Any) -> Iterator[Finding]:
    """``MirrorMakerConfig``: client and worker settings count with a cluster's or flow's prefix only."""
    if kind != "properties":
        return
    for key in raw:
        if key.startswith(TOP_CLIENT) or key in WORKER_KEYS:
            yield finding(
                "unheard-setting",
                "error",
                key,
                as_text(raw[key]),
                "Without a prefix nobody hears it",
                "%s.%s"
                % (flows[0].name if flows and key.startswith(TOP_CLIENT) else flows[0].target if flows else "A", key),
            )


def resource_shape(kind: str, flows: list[Flow], raw: Any) -> Iterator[Finding]:
    """An API server that serves both versions drops the fields of the other one, for good."""
    if kind != "resource":
        return
    spec = raw.get("spec") or {}
    version = str(raw.get("apiVersion", "")).rsplit("/", maxsplit=1)[-1]
    old = [field for field in OLD_FIELDS if field in spec]
    old += [field for field in OLD_MIRROR_FIELDS if any(field in mirror for mirror in spec.get("mirrors") or [])]
    new = ["target"] if "target" in spec else []
    new += ["mirrors[].source"] if any("source" in mirror for mirror in spec.get("mirrors") or []) else []
    if old and new:
        yield finding(
            "shapes-mixed",
            "error",
            "spec",
            ", ".join(old + new),
            "Fields of v1beta2 and of v1 in one resource: those of the other version are dropped",
            "Only target and mirrors[].source (v1), or only connectCluster, clusters and "
            "mirrors[].sourceCluster (v1beta2)",
        )
    elif version == "v1" and old:
        yield _other_version(old, "v1beta2", "v1", "target and mirrors[].source, or apiVersion .../v1beta2")
    elif version == "v1beta2" and new:
        yield _other_version(
            new, "v1", "v1beta2", "connectCluster, clusters and mirrors[].sourceCluster, or apiVersion .../v1"
        )
    elif version == "v1beta2" and str(raw.get("apiVersion", "")).startswith("kafka.strimzi.io"):
        yield finding(
            "old-version",
            "info",
            "apiVersion",
            raw["apiVersion"],
            "Strimzi 1.0 no longer serves v1beta2; with it the heartbeat connector goes too",
            "Convert the resource before the operator is upgraded",
        )


def _other_version(fields: list[str], theirs: str, written: str, expected: str) -> Finding:
    return finding(
        "shape-of-other-version",
        "error",
        "spec",
        ", ".join(fields),
        f"These fields are {theirs}'s and are dropped by an API server that writes {written}",
        expected,
    )


def resource_places(kind: str, flows: list[Flow], raw: Any) -> Iterator[Finding]:
    if kind != "resource":
        return
    spec = raw.get("spec") or {}
    for flow in flows:
        if spec.get("connectCluster") and spec["connectCluster"] != flow.target:
            yield finding(
                "connect-not-at-target",
                "error",
                "spec.connectCluster",
                spec["connectCluster"],
                "Connect keeps its offsets in another cluster than the copies: they cannot be written in one "
                "transaction and may die with the source",
                f"connectCluster: {flow.target}",
                flow=flow.name,
            )
        if as_text(flow.clusters.get(flow.source, {}).get("exactly.once.source.support")):
            yield finding(
                "exactly-once-unheard",
                "error",
                f"config of cluster {flow.source}",
                "exactly.once.source.support",
                "It belongs to the Connect worker, which is configured by the target cluster's config",
                f"Move it to the config of {flow.target}",
                flow=flow.name,
            )
        for side, settings in flow.settings.items():
            if "tasks.max" in settings:
                yield finding(
                    "tasks-max-unheard",
                    "warning",
                    flow.where(side, "tasks.max"),
                    settings["tasks.max"],
                    "The operator owns this key and ignores it here",
                    f"tasksMax: {settings['tasks.max']} beside config",
                    flow=flow.name,
                )


def several_policies(kind: str, flows: list[Flow], raw: Any) -> Iterator[Finding]:
    """Two flows into one target with identity policy may write one topic, which then has neither source's order."""
    for at, flow in enumerate(flows):
        for other in flows[at + 1 :]:
            same = flow.target == other.target and flow.source != other.source
            plain = all(
                compared.get("source", "replication.policy.class") == POLICIES["identity"] for compared in (flow, other)
            )
            if (
                same
                and plain
                and not _disjoint(
                    flow.get("source", "topics", default=".*"), other.get("source", "topics", default=".*")
                )
            ):
                yield finding(
                    "merged-topics",
                    "warning",
                    flow.target,
                    f"{flow.name} and {other.name}",
                    "Topics of the same name are merged into one: neither source can be proven or restored from it",
                    "The default policy, or patterns that never overlap",
                    flow=flow.name,
                )


RULES = [loops, flows_that_do_not_run, unheard_lines, resource_shape, resource_places, several_policies]
