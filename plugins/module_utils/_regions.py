# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Regions, users, applications and mirrors as the inventory describes them: looked up and checked."""

from __future__ import annotations

import json

from ._errors import UsageError
from ._mm2.mirror_config import POLICIES, checked, checkpoints_topic, offset_syncs_topic, policy_name, source_offsets_topic
from ._mm2.names import MirrorNames, configs_topic, status_topic
from ._mm2.properties import pattern_text


def hosts_with(regions, variable):
    """Names of the hosts that have this variable.

    :param regions: hostvars.
    """
    return [name for name in regions if variable in regions[name]]


def told(names, regions):
    """Regions with what runs each, as ``north_america (host) and europe (kubernetes)``.

    :param names: names of regions. :param regions: hostvars.
    """
    return " and ".join("%s (%s)" % (one, regions[one].get("kafka_dr_platform") or "no platform" if one in regions else "unknown") for one in names)


def user_for(region, purpose):
    """The region's user of this purpose, or None."""
    return next((one for one in region.get("kafka_dr_users") or [] if one.get("purpose") == purpose), None)


def client_of(region, purpose):
    """The region's client without secrets, as the user of this purpose where there is one."""
    client = dict(region.get("kafka_dr_client") or {})
    user = user_for(region, purpose)
    if user:
        client["sasl.username"] = user["name"]
    return client


def secrets_of(region, purpose):
    """The secrets that belong to :func:`client_of`."""
    secrets = dict(region.get("kafka_dr_client_secrets") or {})
    user = user_for(region, purpose)
    if user and user.get("password"):
        secrets["sasl.password"] = user["password"]
    return secrets


def client_files(regions, sides, purpose, directory):
    """A client with its secrets as a JSON file for each side.

    :param regions: hostvars.
    :param sides: ``{side: region}``; the side gives the file its name.
    :returns: ``[{path, content}]``; contents hold passwords.
    """
    return [{"path": "%s/%s.json" % (directory, side), "content": json.dumps({**client_of(regions[name], purpose), **secrets_of(regions[name], purpose)})}
            for side, name in sides.items()]


def find_mirror(mirrors, source, target, regions=None):
    """The mirror from source to target.

    :param regions: hostvars; where they are given, a name that is no region is told as such.
    :returns: the mirror; nothing where a region is not named, which is for a role's argument spec to say.
    :raises UsageError: a name is no region, both are the same, or there is no such mirror, or more than one.
    """
    if not source or not target:
        return {}
    if source == target:
        raise UsageError("Source and target are both %s" % source, expected="two different regions", remedy="Name the other one")
    if regions is not None:
        known = [name for name in regions if "kafka_dr_client" in regions[name] or regions[name].get("kafka_dr_platform") == "kubernetes"]
        unknown = [name for name in (source, target) if name not in known]
        if unknown:
            raise UsageError("Region %s is unknown" % ", ".join(unknown), expected="one of %s" % (", ".join(sorted(known)) or "none"),
                             found=groups_among(unknown, regions),
                             remedy="A region is a host of the inventory with kafka_dr_client; correct the name, or add it")
    found = [one for one in mirrors or [] if one.get("source") == source and one.get("target") == target]
    if len(found) != 1:
        known = ", ".join("%s (%s to %s)" % (one.get("name"), one.get("source"), one.get("target")) for one in mirrors or []) or "none"
        raise UsageError("No single mirror copies %s to %s" % (source, target), expected="one entry of kafka_dr_mirrors", found=known,
                         remedy="Add it to kafka_dr_mirrors in the inventory")
    policy = policy_name(found[0].get("policy"))
    return found[0] if policy in (None, found[0].get("policy", policy)) else dict(found[0], policy=policy)


def groups_among(names, regions):
    """Which of the names are groups of the inventory, told with their hosts; None if there is none.

    :param regions: hostvars.
    """
    groups = next((regions[name].get("groups") for name in regions), None) or {}
    found = ["group %s of %s" % (name, ", ".join(groups[name]) or "no hosts") for name in names if name in groups]
    return "the " + ", the ".join(found) if found else None


def reverse_of(mirror, name):
    """The same mirror the other way, as a restore needs it: configs of topics and positions of groups are left alone, and nothing else is written.

    :raises UsageError: the mirror renames topics, so that its copies would come back under other names.
    """
    if (mirror.get("policy") or "identity") != "identity":
        raise UsageError("Mirror '%s' renames topics" % mirror.get("name"), expected="the identity policy, so that records come back where they were",
                         found=mirror["policy"], remedy="Make backups with policy: identity")
    config = {side: dict(values or {}) for side, values in (mirror.get("config") or {}).items()}
    # The proof's offset map says where groups go on; pairs of offsets would only slow the copy.
    config["source"] = {
        # A restore copies everything at once and waits for nobody: bigger polls and batches cost the target's broker less.
        "consumer.max.poll.records": 20000, "producer.override.batch.size": 1048576,
        **config.get("source", {}), "sync.topic.configs.enabled": "false", "emit.offset-syncs.enabled": "false",
    }
    config.setdefault("checkpoint", {}).update({"sync.group.offsets.enabled": "false", "emit.checkpoints.enabled": "false"})
    config.setdefault("heartbeat", {})["emit.heartbeats.enabled"] = "false"
    return dict(mirror, name=name, source=mirror["target"], target=mirror["source"], config=config)


def topics_pattern(mirror):
    """One regular expression for the users' topics that the mirror copies, by their names in the source; what it excludes does not match."""
    full = checked(mirror)
    return names_of(full).data_pattern(*_patterns(full))


def target_topics_pattern(mirror):
    """One regular expression for the copies of :func:`topics_pattern`, by their names in the target."""
    full = checked(mirror)
    return names_of(full).copies_pattern(*_patterns(full))


def names_of(mirror):
    """How the mirror names its copies. A class of its own is taken for the default policy, which has a prefix like most of them."""
    full = checked(mirror)
    return MirrorNames(full["source"], full["target"], "identity" if full["policy"] == "identity" else "default", full["separator"])


def _patterns(full):
    return [[pattern_text(one, full["name"]) for one in full[key]] for key in ("topics", "topics_exclude")]


def rename_of(mirror):
    """How a mirror names its copies, in the proof's words: ``identity:`` or ``prefix:``, and what is put before the name, by the former only before
    names that end in ``heartbeats``.

    :raises UsageError: the mirror has a policy class of its own, whose names nobody here knows.
    """
    full = checked(mirror)
    if full["policy"] not in POLICIES:
        raise UsageError("Mirror '%s' names topics by a class of its own" % full["name"], expected="the policy identity or default", found=full["policy"],
                         remedy="Prove it with the playbook verify_restore, once a name")
    return "%s:%s%s" % ("identity" if full["policy"] == "identity" else "prefix", full["source"], full["separator"])


def prepared_topics(mirror, positions_topic=None):
    """Topics that must exist in the target before the mirror starts, with the configs they need; the witness's only where it is named."""
    factor = checked(mirror)["tuning"].get("replication_factor")
    kept = {"cleanup.policy": "delete", "retention.ms": -1, "segment.bytes": 52428800}
    made = [{"name": offset_syncs_topic(mirror), "partitions": 1, "replication_factor": factor, "configs": kept}]
    if positions_topic:
        made.append({"name": positions_topic, "partitions": 1, "replication_factor": factor,
                     "configs": {"cleanup.policy": "compact", "segment.ms": 3600000, "segment.bytes": 52428800}})
    return made


def internal_topics(mirror):
    """Every topic that MirrorMaker 2 keeps for this mirror in the target, dedicated mode."""
    source = mirror["source"]
    names = [offset_syncs_topic(mirror), checkpoints_topic(mirror), source_offsets_topic(mirror), configs_topic(source), status_topic(source)]
    return [{"name": name} for name in names]


def ends(topics):
    """``{topic: {partition: last stable offset}}`` from the topics of ``cluster_info``."""
    return {name: {number: one["stable"] for number, one in topic.get("offsets", {}).items()} for name, topic in topics.items()}


def starts(topics):
    """``{topic: {partition: log start}}`` from the topics of ``cluster_info``."""
    return {name: {number: one["start"] for number, one in topic.get("offsets", {}).items()} for name, topic in topics.items()}


def with_records(topics):
    """Names of the topics, as ``cluster_info`` gives them with offsets, that hold anything."""
    return sorted(name for name, topic in topics.items() if any(one["end"] > one["start"] for one in topic.get("offsets", {}).values()))


def copied_ends(status):
    """What a mirror had copied of its source, and what it had not.

    :param status: result of ``mirror_offsets_info``.
    :returns: ``source{topic: {partition: offset after the last record copied}}``, ``known`` (the ends that the position witness saw last),
        ``lost{total, topics{topic: offsets}}`` (None where there was no witness), ``witnessed_at`` (seconds since the epoch).
        Offsets count as records here: on a source written in transactions the markers among them make the figure an upper bound.
    """
    source = {}
    for row in status.get("partitions") or []:
        if row["mirrored_through"] is not None:
            source.setdefault(row["topic"], {})[str(row["partition"])] = row["mirrored_through"]
    witness = status.get("witness") or {}
    known = witness.get("ends")
    lost = {"total": None, "topics": {}}
    if known is not None:
        topics = {
            topic: sum(max(0, end - source.get(topic, {}).get(number, 0)) for number, end in ends.items()) for topic, ends in known.items()
        }
        lost = {"total": sum(topics.values()), "topics": {topic: count for topic, count in topics.items() if count}}
    return {"source": source, "known": known or {}, "lost": lost, "witnessed_at": witness.get("ends_at")}
