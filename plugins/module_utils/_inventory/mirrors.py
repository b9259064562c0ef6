# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirrors as the inventory describes them: looked up, reversed, and what of topics and groups each copies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._errors import UsageError
from .._mm2.mirror_config import (
    POLICIES,
    checked,
    checkpoints_topic,
    offset_syncs_topic,
    policy_name,
    source_offsets_topic,
)
from .._mm2.names import MirrorNames, configs_topic, status_topic
from .._mm2.properties import pattern_text
from .turning import further_copy, turn_obstacle, turned_mirror


def find_mirror(
    mirrors: list[dict[str, Any]] | None,
    source: str,
    target: str,
    regions: dict[str, dict[str, Any]] | None = None,
    turned: bool = False,
    moved: bool = False,
) -> dict[str, Any] | None:
    """The mirror from source to target.

    :param regions: hostvars; where they are given, a name that is no region is told as such.
    :param turned: whether the only mirror the other way round counts, turned round, where none is described from
        source to target.
    :param moved: whether the mirror of a further copy counts, moved to the source, where none joins the two.
    :returns: the mirror; nothing where a region is not named, which is for a role's argument spec to say.
    :raises UsageError: a name is no region, both are the same, or there is no such mirror, or more than one.
    """
    if not source or not target:
        return {}
    if source == target:
        raise UsageError(
            f"Source and target are both {source}", expected="two different regions", remedy="Name the other one"
        )
    if regions is not None:
        _check_regions((source, target), regions)
    found = _from_to(mirrors, source, target)
    back = [mirror for mirror in _from_to(mirrors, source=target, target=source) if not turn_obstacle(mirror)]
    if turned and not found and len(back) == 1:
        found = [turned_mirror(back[0])]
    if moved and not found and not back and (copy := further_copy(mirrors, target, source)):
        found = [turned_mirror(copy["mirror"])]
    if len(found) != 1:
        raise UsageError(
            f"No single mirror copies {source} to {target}",
            expected="one entry of kafka_dr_mirrors",
            found=_listed(mirrors or []),
            remedy=_way_to(mirrors, source, target),
        )
    policy = policy_name(found[0].get("policy"))
    return found[0] if policy in (None, found[0].get("policy", policy)) else dict(found[0], policy=policy)


def _from_to(mirrors: list[dict[str, Any]] | None, source: str, target: str) -> list[dict[str, Any]]:
    return [mirror for mirror in mirrors or [] if mirror.get("source") == source and mirror.get("target") == target]


def _listed(mirrors: list[dict[str, Any]]) -> str:
    flows = (f"{mirror.get('name')} ({mirror.get('source')} to {mirror.get('target')})" for mirror in mirrors)
    return ", ".join(flows) or "none"


def _check_regions(names: tuple[str, str], regions: dict[str, dict[str, Any]]) -> None:
    """Refuse a name that is no region of the inventory."""
    known = [
        name
        for name in regions
        if "kafka_dr_client" in regions[name] or regions[name].get("kafka_dr_platform") == "kubernetes"
    ]
    if not known:
        raise UsageError(
            "The inventory describes no region",
            expected="hosts with kafka_dr_client, or kafka_dr_platform: kubernetes",
            found="none",
            remedy="Name the inventory with -i, by a path that leads to it from here",
        )
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(
            f"Region {', '.join(unknown)} is unknown",
            expected=f"one of {', '.join(sorted(known)) or 'none'}",
            found=groups_among(unknown, regions),
            remedy="A region is a host of the inventory with kafka_dr_client; correct the name, or add it",
        )


def _way_to(mirrors: list[dict[str, Any]] | None, source: str, target: str) -> str:
    """What to do about a mirror that is not there; one the other way means as a rule that two names were exchanged."""
    if any((mirror.get("source"), mirror.get("target")) == (target, source) for mirror in mirrors or []):
        return (
            f"Exchange the two names: a mirror copies {target} to {source}. To go back to a region that was "
            "left, see 'Undo' in docs/runbooks/failover.md"
        )
    return "Add it to kafka_dr_mirrors in the inventory"


def groups_among(names: list[str], regions: dict[str, dict[str, Any]]) -> str | None:
    """Which of the names are groups of the inventory, told with their hosts; None if there is none.

    :param regions: hostvars.
    """
    groups = next((regions[name].get("groups") for name in regions), None) or {}
    found = [f"group {name} of {', '.join(groups[name]) or 'no hosts'}" for name in names if name in groups]
    return "the " + ", the ".join(found) if found else None


def reverse_of(mirror: dict[str, Any], name: str) -> dict[str, Any]:
    """The same mirror the other way, as a restore needs it: configs of topics and positions of groups are left alone,
    and nothing else is written.

    :raises UsageError: the mirror renames topics, so that its copies would come back under other names.
    """
    if (mirror.get("policy") or "identity") != "identity":
        raise UsageError(
            f"Mirror '{mirror.get('name')}' renames topics",
            expected="the identity policy, so that records come back where they were",
            found=mirror["policy"],
            remedy="Make backups with policy: identity",
        )
    config = {side: dict(values or {}) for side, values in (mirror.get("config") or {}).items()}
    # The proof's offset map says where groups go on; pairs of offsets would only slow the copy.
    config["source"] = {
        # A restore copies everything at once and waits for nobody: bigger polls and batches cost the target's broker
        # less.
        "consumer.max.poll.records": 20000,
        "producer.override.batch.size": 1048576,
        **config.get("source", {}),
        "sync.topic.configs.enabled": "false",
        "emit.offset-syncs.enabled": "false",
    }
    config.setdefault("checkpoint", {}).update(
        {"sync.group.offsets.enabled": "false", "emit.checkpoints.enabled": "false"}
    )
    config.setdefault("heartbeat", {})["emit.heartbeats.enabled"] = "false"
    return dict(mirror, name=name, source=mirror["target"], target=mirror["source"], config=config)


def topics_pattern(mirror: dict[str, Any]) -> str:
    """One regular expression for the users' topics that the mirror copies, by their names in the source; what it
    excludes does not match.
    """
    full = checked(mirror)
    return names_of(full).data_pattern(*_patterns(full))


def target_topics_pattern(mirror: dict[str, Any]) -> str:
    """One regular expression for the copies of :func:`topics_pattern`, by their names in the target."""
    full = checked(mirror)
    return names_of(full).copies_pattern(*_patterns(full))


def groups_pattern(mirror: dict[str, Any]) -> str:
    """Regular expressions, separated by commas, of the groups whose positions the mirror carries, but for
    :func:`groups_left_out`.

    All groups where there is no mirror.
    """
    return _joined(mirror, "groups") if mirror else ".*"


def groups_left_out(mirror: dict[str, Any]) -> str:
    """Regular expressions, separated by commas, of the groups that the mirror leaves out: its own, and those that
    MirrorMaker 2 always does.
    """
    return _joined(mirror, "groups_exclude") if mirror else ""


def _joined(mirror: dict[str, Any], key: str) -> str:
    full = checked(mirror)
    return ",".join(pattern_text(pattern, full["name"]) for pattern in full[key])


def names_of(mirror: dict[str, Any]) -> MirrorNames | MirrorNames:
    """How the mirror names its copies. A class of its own is taken for the default policy, which has a prefix like most
    of them.
    """
    full = checked(mirror)
    return MirrorNames(
        full["source"], full["target"], "identity" if full["policy"] == "identity" else "default", full["separator"]
    )


def _patterns(full: dict[str, Any]) -> list[list[str]]:
    return [[pattern_text(pattern, full["name"]) for pattern in full[key]] for key in ("topics", "topics_exclude")]


def copy_of(mirror: dict[str, Any], topic: str) -> str:
    """The name in the target of the mirror's copy of a topic.

    :raises UsageError: as :func:`rename_of`.
    """
    rename_of(mirror)
    return names_of(mirror).copy_of(topic)


def renamed(mirror: dict[str, Any], topics: Iterable[str]) -> list[str]:
    """Those of the topics whose copies have other names, sorted: with the identity policy, MirrorMaker 2 renames those
    whose names end in ``heartbeats``.
    """
    names = names_of(mirror)
    return sorted(topic for topic in topics if names.copy_of(topic) != topic)


def rename_of(mirror: dict[str, Any]) -> str:
    """How a mirror names its copies, in the proof's words: ``identity:`` or ``prefix:``, and what is put before the
    name, by the former only before names that end in ``heartbeats``.

    :raises UsageError: the mirror has a policy class of its own, whose names nobody here knows.
    """
    full = checked(mirror)
    if full["policy"] not in POLICIES:
        raise UsageError(
            f"Mirror '{full['name']}' names topics by a class of its own",
            expected="the policy identity or default",
            found=full["policy"],
            remedy="Prove it with the playbook verify_restore, once a name",
        )
    return f"{'identity' if full['policy'] == 'identity' else 'prefix'}:{full['source']}{full['separator']}"


def prepared_topics(mirror: dict[str, Any], positions_topic: str | None = None) -> list[dict[str, Any]]:
    """Topics that must exist in the target before the mirror starts, with the configs they need; the witness's only
    where it is named.
    """
    factor = checked(mirror)["tuning"].get("replication_factor")
    kept = {"cleanup.policy": "delete", "retention.ms": -1, "segment.bytes": 52428800}
    topics = [{"name": offset_syncs_topic(mirror), "partitions": 1, "replication_factor": factor, "configs": kept}]
    if positions_topic:
        topics.append(
            {
                "name": positions_topic,
                "partitions": 1,
                "replication_factor": factor,
                "configs": {"cleanup.policy": "compact", "segment.ms": 3600000, "segment.bytes": 52428800},
            }
        )
    return topics


def internal_topics(mirror: dict[str, Any]) -> list[dict[str, str]]:
    """Every topic that MirrorMaker 2 keeps for this mirror in the target, dedicated mode."""
    source = mirror["source"]
    names = [
        offset_syncs_topic(mirror),
        checkpoints_topic(mirror),
        source_offsets_topic(mirror),
        configs_topic(source),
        status_topic(source),
    ]
    return [{"name": name} for name in names]
