# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Groups whose positions a translation does not bring over: named with what becomes of them, and what can be done. Pure."""

from __future__ import annotations

SHARE = ("a share group's state (which records are acquired, acknowledged, to be delivered again) stays with the brokers of the source; nobody translates it",
         "Set share.auto.offset.reset of the group on the target before its consumers start, or its start with kafka-share-groups.sh --reset-offsets; "
         "take into account that records are delivered again")
STREAMS = ("MirrorMaker 2 does not list groups of the streams protocol (KIP-1071), and positions are of no use without the application's state",
           "Before it starts on the target, reset it there with kafka-streams-application-reset.sh, or commit positions of its input topics; and delete its "
           "local state directory with the .checkpoint files, which hold offsets of the source's changelog topics")
EXCLUDED = ("the mirror's patterns leave it out", "Name it in failover_more_groups (recreate_from_backup_more_groups), or in the mirror's groups")
SINK = ("sinks of Kafka Connect are left out by MirrorMaker 2's own exclusions",
        "Where the sink runs against the target afterwards, name its group in failover_more_groups (recreate_from_backup_more_groups), or set its offsets "
        "there before it starts (PATCH /connectors/NAME/offsets)")
STATE = ("its position is brought over, but it has changelog topics: it is an application of Kafka Streams, whose state is not",
         "Before it starts on the target, delete its local state directory with the .checkpoint files, which hold offsets of the source's changelog topics; "
         "where stores have to be exact, reset it with kafka-streams-application-reset.sh")
CHANGELOG = "-changelog"
NONE = ("it has committed no position in a mirrored topic",
        "Its consumers start where their auto.offset.reset says; commit a position on the target to decide it")
UNKNOWN = ("nobody saw it", "See whether the name in kafka_dr_applications is right; if it is, its consumers start where their auto.offset.reset says")
NO_COPY = ("no partition that it has a position in exists on the target", "See why the mirror did not copy these topics")


def other_groups(kinds, positions, placed, wanted, named, topics=()):
    """What is said of each group that has no answer, or whose answer is not all that it needs.

    :param kinds: ``{group: {type, protocol}}`` as the source lists them, or None where it is lost and nobody knows.
    :param positions: groups with a position in a topic of the mirror, whether it is to be translated or not.
    :param placed: groups that have an answer. :param wanted: predicate on names: groups that are to be translated. :param named: groups that applications name.
    :param topics: names of all topics, among which changelogs tell applications of Kafka Streams.
    :returns: ``[{group, kind, named, why, remedy}]``, sorted.
    """
    found = {}
    changelogs = [topic for topic in topics if topic.endswith(CHANGELOG)]
    for group in sorted(set(kinds or ()) | set(positions) | set(named)):
        kind = (kinds or {}).get(group, {})
        if group in placed:
            if any(topic.startswith(group + "-") for topic in changelogs):
                found[group] = {"group": group, "kind": kind.get("type") or "unknown", "named": group in named, "why": STATE[0], "remedy": STATE[1]}
            continue
        said = _said(group, kind, kinds is not None, group in positions, wanted(group))
        # Who neither consumes the mirror's topics nor is named is not looked at: a lost list of others' groups would hide those that count.
        if group in named or group in positions or (kind.get("type") in ("share", "streams")):
            found[group] = {"group": group, "kind": kind.get("type") or kind.get("protocol") or "unknown", "named": group in named,
                            "why": said[0], "remedy": said[1]}
    return [found[group] for group in sorted(found)]


def unlisted(error):
    """What stands for all share and streams groups where the client cannot list them."""
    return {"group": "*", "kind": "unknown", "named": False, "why": "share groups and groups of the streams protocol could not be listed: %s" % error,
            "remedy": "List them with kafka-groups.sh --list on the source, and decide where each begins on the target"}


def _said(group, kind, listed, positioned, wanted):
    if kind.get("type") == "share" or kind.get("protocol") == "share":
        return SHARE
    if (kind.get("type") == "streams" or kind.get("protocol") == "streams") and not (positioned and wanted):
        return STREAMS
    if positioned and not wanted:
        return SINK if group.startswith("connect-") else EXCLUDED
    if positioned:
        return NO_COPY
    return NONE if kind or not listed else UNKNOWN
