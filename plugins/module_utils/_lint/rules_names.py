# SPDX-License-Identifier: GPL-3.0-or-later
"""Traps in names: policies, patterns, settings that no longer or never existed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .._mm2.access import literal_prefix
from .._mm2.mirror_config import POLICIES
from .._mm2.names import HEARTBEATS, MirrorNames
from .._mm2.properties import QUANTIFIER
from .finding import Finding, finding
from .flows import Flow
from .known_names import KNOWN, PREFIXES

REPLACED = {
    "topics.blacklist": "topics.exclude",
    "topics.whitelist": "topics",
    "groups.blacklist": "groups.exclude",
    "groups.whitelist": "groups",
    "config.properties.blacklist": "config.properties.exclude",
    "topicsBlacklistPattern": "topicsExcludePattern",
    "groupsBlacklistPattern": "groupsExcludePattern",
    "topicsWhitelistPattern": "topicsPattern",
    "rename.topics": "replication.policy.class",
}
GONE = {
    "use.incremental.alter.configs": "It is what Kafka 4 always does",
    "add.source.alias.to.metrics": "The source's alias is always in the metrics' names",
}
OLD_POLICIES = (
    "LegacyReplicationPolicy",
    "NoPrefixReplicationPolicy",
    "CustomMM2ReplicationPolicy",
    "NoopReplicationPolicy",
)
INTERNAL_SAMPLES = (
    "__consumer_offsets",
    "__transaction_state",
    "mm2-offsets.%s.internal",
    "mm2-offset-syncs.%s.internal",
    "%s.checkpoints.internal",
)


def own(flow: Flow, side: str) -> Any:
    """Settings that somebody wrote for this flow, not what a file's other lines add."""
    if flow.kind != "properties":
        return flow.settings.get(side, {})
    start = flow.name + "."
    return {key[len(start) :]: value for key, value in flow.raw.items() if key.startswith(start)}


def old_names(flow: Flow) -> Iterator[Finding]:
    for side in flow.settings:
        for key in own(flow, side):
            if key in REPLACED or key in GONE:
                yield _old_name(key, flow.where(side, key), flow.settings[side].get(key, ""))
    mirrors = ((flow.raw.get("spec") or {}).get("mirrors") or []) if flow.kind == "resource" else []
    for mirror in mirrors:
        for key in REPLACED:
            if key in mirror:
                yield _old_name(key, f"spec.mirrors[].{key}", str(mirror[key]))


def _old_name(key: str, where: str, value: Any) -> Finding:
    if key in GONE:
        return finding(
            "old-name", "warning", where, value, "Kafka 4.0 took this setting away. " + GONE[key], "Remove it"
        )
    return finding(
        "old-name",
        "error",
        where,
        value,
        "Kafka 4.0 took this name away: what is written here is ignored, and the default holds",
        f"{REPLACED[key]}: {value}",
    )


def unknown_names(flow: Flow) -> Iterator[Finding]:
    for side in flow.settings:
        for key in own(flow, side):
            if key not in KNOWN and key not in REPLACED and key not in GONE and not key.startswith(PREFIXES):
                yield finding(
                    "unknown-setting",
                    "warning",
                    flow.where(side, key),
                    flow.settings[side].get(key, ""),
                    "No connector of MirrorMaker 2 knows this setting; it is ignored without a word",
                    "Correct the name, or remove it",
                )


def policies(flow: Flow) -> Iterator[Finding]:
    classes = {side: flow.get(side, "replication.policy.class", default=POLICIES["default"]) for side in flow.settings}
    separators = {side: flow.get(side, "replication.policy.separator", default=".") for side in flow.settings}
    for key, values in (("replication.policy.class", classes), ("replication.policy.separator", separators)):
        if len(set(values.values())) > 1:
            yield finding(
                "policy-differs",
                "error",
                flow.where("checkpoint" if "checkpoint" in values else "source", key),
                ", ".join("%s: %s" % item for item in sorted(values.items())),
                "The connectors name topics differently: checkpoints point at topics that do not exist, and no "
                "position arrives",
                f"The same {key} on every connector",
            )
    for side, name in classes.items():
        if _of_old_product(name):
            yield finding(
                "policy-of-old-product",
                "error",
                flow.where(side, "replication.policy.class"),
                name,
                "This class came with an older product and is not part of Kafka: the connector does not start, "
                "or behaves as that product did",
                f"replication.policy.class: {POLICIES['identity']}",
            )
        elif name not in POLICIES.values():
            yield finding(
                "policy-of-ones-own",
                "info",
                flow.where(side, "replication.policy.class"),
                name,
                "The class must be on the plugin path of every worker, and of every tool that translates offsets",
                "Nothing, if it is there",
            )


def _of_old_product(policy: str) -> bool:
    return (policy.startswith("io.strimzi") and policy.endswith("IdentityReplicationPolicy")) or policy.rsplit(".", 1)[
        -1
    ] in OLD_POLICIES


def alias(flow: Flow) -> Iterator[Finding]:
    separator = flow.get("source", "replication.policy.separator", default=".")
    if (
        flow.get("source", "replication.policy.class", default=POLICIES["default"]) == POLICIES["default"]
        and separator
        and separator in str(flow.source)
    ):
        yield finding(
            "alias-holds-separator",
            "error",
            flow.name,
            str(flow.source),
            f"The policy takes what stands before the first '{separator}' for the source: copies are not "
            "recognised and go round in circles",
            f"An alias without '{separator}', or another replication.policy.separator",
        )


def internal_topics(flow: Flow) -> Iterator[Finding]:
    exclude = flow.get("source", "topics.exclude")
    topics = flow.get("source", "topics", default=".*")
    if exclude is None or "source" not in flow.settings:
        return
    samples = [sample % flow.source if "%" in sample else sample for sample in INTERNAL_SAMPLES]
    copied = [sample for sample in samples if _matches(topics, sample) and not _matches(exclude, sample)]
    if copied:
        yield finding(
            "internal-topics",
            "warning",
            flow.where("source", "topics.exclude"),
            exclude,
            "A value of one's own replaces Kafka's exclusions. MirrorMaker 2 still leaves out what its "
            f"policy calls internal, but not all of: {', '.join(copied)}",
            r"topics.exclude: mm2.*\.internal,.*\.checkpoints\.internal,__.*, and then yours",
        )


def renamed(flow: Flow) -> Iterator[Finding]:
    """Topics that the identity policy renames, where the patterns name them; others are for the doctor to see."""
    if flow.get("source", "replication.policy.class", default=POLICIES["default"]) != POLICIES["identity"]:
        return
    topics = [pattern.strip() for pattern in flow.get("source", "topics", default=".*").split(",")]
    found = [topic for topic in topics if topic.endswith(HEARTBEATS)]
    if found:
        separator = flow.get("source", "replication.policy.separator", default=".")
        yield finding(
            "renamed-by-policy",
            "warning",
            flow.where("source", "topics"),
            ", ".join(found),
            "The identity policy keeps every name but those that end in 'heartbeats': their copies are "
            f"called {flow.source}{separator}..., so that applications do not find them after a switch, and a "
            "restore cannot bring them back",
            "Topics whose names do not end in 'heartbeats'",
        )


def never_copied(flow: Flow) -> Iterator[Finding]:
    """Topics that are named, and that MirrorMaker 2 never copies."""
    if "source" not in flow.settings:
        return
    policy = {java: name for name, java in POLICIES.items()}.get(
        flow.get("source", "replication.policy.class", default=POLICIES["default"]), "default"
    )
    names = MirrorNames(
        flow.source, flow.target, policy, flow.get("source", "replication.policy.separator", default=".")
    )
    found = []
    for pattern in flow.get("source", "topics", default=".*").split(","):
        topic, whole = literal_prefix(pattern.strip())
        if whole and topic and (names.is_internal(topic) or names.is_cycle(topic)):
            found.append(topic)
    if found:
        yield finding(
            "never-copied",
            "error",
            flow.where("source", "topics"),
            ", ".join(found),
            "The replication policy takes these names for internal topics, or for copies of the target's "
            "own: MirrorMaker 2 never copies them",
            "Names that begin with neither '__' nor '.', and are not those of MirrorMaker 2's topics",
        )


def _matches(patterns: Any, name: str) -> bool:
    """As ``DefaultTopicFilter`` does: split at commas, any of them must match the whole name."""
    for pattern in re.split(r"\s*,\s*", patterns):
        try:
            if pattern and re.fullmatch(pattern, name):
                return True
        except re.error:
            continue
    return False


def patterns(flow: Flow) -> Iterator[Finding]:
    for side, keys in (("source", ("topics", "topics.exclude")), ("checkpoint", ("groups", "groups.exclude"))):
        for key in keys:
            value = flow.get(side, key, default="")
            if QUANTIFIER.search(value):
                yield finding(
                    "comma-in-pattern",
                    "error",
                    flow.where(side, key),
                    value,
                    "MirrorMaker 2 splits patterns at every comma: this becomes two broken ones",
                    "Write a{1,2} as aa?, and a{1,} as a+",
                )
            elif (
                side == "source"
                and key == "topics"
                and "*" in value
                and ".*" not in value
                and re.search(r"(^|[^.\])])\*", value)
            ):
                yield finding(
                    "glob-pattern",
                    "warning",
                    flow.where(side, key),
                    value,
                    "This is a regular expression: 'orders*' means order, orders, orderss",
                    "Write .* for anything",
                )


RULES = [old_names, unknown_names, policies, alias, internal_topics, renamed, never_copied, patterns]
