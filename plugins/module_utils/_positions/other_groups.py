# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups whose positions a translation does not bring over: named with what becomes of them, and what can be done.
Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from .._values.askable import is_askable
from .._values.listing import named as named_of
from .._values.safe import CONTROL, shown

SHARE = (
    "a share group's state (which records are acquired, acknowledged, to be delivered again) stays with the brokers "
    "of the source; nobody translates it",
    "Set share.auto.offset.reset of the group on the target before its consumers start, or its start with "
    "kafka-share-groups.sh --reset-offsets; "
    "take into account that records are delivered again",
)
STREAMS = (
    "MirrorMaker 2 does not list groups of the streams protocol (KIP-1071), and positions are of no use without the "
    "application's state",
    "Before it starts on the target, reset it there with kafka-streams-application-reset.sh, or commit positions of "
    "its input topics; and delete its "
    "local state directory with the .checkpoint files, which hold offsets of the source's changelog topics",
)
OTHER = (
    "it is a share group or a group of the streams protocol, whose state stays with the brokers of the source; "
    "nobody translates it",
    "Of a share group, set share.auto.offset.reset on the target before its consumers start. An application of Kafka "
    "Streams is reset there before it "
    "starts, with kafka-streams-application-reset.sh, and its local state directory deleted",
)
EXCLUDED = (
    "the mirror's patterns leave it out",
    "Name it in failover_more_groups (recreate_from_backup_more_groups), or in the mirror's groups",
)
OWN = (
    "the translation to the region that positions are read from did not know it: it is taken for a group of that "
    "region's own",
    "Where it is to go on in the target too, stop its consumers and translate its positions by name (offset_translate "
    "with groups)",
)
SINK = (
    "sinks of Kafka Connect are left out by MirrorMaker 2's own exclusions",
    "Where the sink runs against the target afterwards, name its group in failover_more_groups "
    "(recreate_from_backup_more_groups), or set its offsets "
    "there before it starts (PATCH /connectors/NAME/offsets)",
)
STATE = (
    "its position is brought over, but it has changelog topics: it is an application of Kafka Streams, whose state "
    "is not",
    "Before it starts on the target, delete its local state directory with the .checkpoint files, which hold offsets "
    "of the source's changelog topics; "
    "where stores have to be exact, reset it with kafka-streams-application-reset.sh",
)
REPARTITION = (
    "its position is brought over, but it has repartition topics: what it had read and not worked off stands there, "
    "and is on the target only where the mirror copies them",
    "Where the mirror does not, and every record counts, set its positions on the target back before what it has not "
    "worked off, or reset it with kafka-streams-application-reset.sh",
)
# Suffixes of the topics that an application of Kafka Streams makes for itself (``InternalTopologyBuilder``).
OF_STREAMS = {"-changelog": STATE, "-repartition": REPARTITION}
NONE = (
    "it has committed no position in a mirrored topic",
    "Its consumers start where their auto.offset.reset says; commit a position on the target to decide it",
)
UNSEEN = (
    "no position of it in a mirrored topic was seen before the source was lost",
    "See whether the name in kafka_dr_applications is right; if it is, its consumers start where their "
    "auto.offset.reset says. Commit a position on the "
    "target to decide it",
)
UNKNOWN = (
    "nobody saw it",
    "See whether the name in kafka_dr_applications is right; if it is, its consumers start where their "
    "auto.offset.reset says",
)
NO_COPY = (
    "no partition that it has a position in exists on the target",
    "See why the mirror did not copy these topics",
)
PARTLY = (
    "its positions are brought over, but for those in topics and partitions that the target has no copy of: {}",
    "See why the mirror did not copy these; its consumers begin there where their auto.offset.reset says",
)
TAKEN_BACK = (
    "the position witness saw last that it has no position in {}, where MirrorMaker 2's checkpoints still have one",
    "Its consumers begin there where their auto.offset.reset says; set its positions on the target where that is not "
    "meant",
)
UNASKED = (
    "its name is empty, or holds NUL or half a character, so that it cannot be asked about: nothing is read of it or "
    "committed for it",
    "Give its consumers another group.id; or commit its positions on the target with Kafka's own client",
)
UNLISTED_REMEDY = (
    "List them with kafka-groups.sh --list where the source still answers, or ask their owners, "
    "and decide where each begins on the target"
)
NOT_CONSUMERS = ("share", "streams", "other")


class Kinds(NamedTuple):
    """Which groups there are: ``{group: {type, protocol}}``, whether the source itself said so, and why some are not
    known (empty where all are).
    """

    groups: dict
    alive: bool
    unlisted: str = ""


def other_groups(
    kinds: Kinds,
    positions: Collection[str],
    placed: Collection[str],
    wanted: Callable[[str], bool],
    named: Collection[str],
    topics: Iterable[str] = (),
    uncopied: Mapping[str, list[str]] | None = None,
    withdrawn: Mapping[str, list[str]] | None = None,
    own: Callable[[str], bool] = lambda name: False,
) -> list[dict[str, Any]]:
    """What is said of each group that has no answer, or whose answer is not all that it needs.

    :param kinds: :class:`Kinds`.
    :param positions: groups with a position in a topic of the mirror, whether it is to be translated or not.
    :param placed: groups that have an answer. :param wanted: predicate on groups that are to be translated.
    :param named: groups that applications name.
    :param topics: names of all topics, as the source has them; changelogs and repartition topics tell applications of
        Kafka Streams.
    :param uncopied: of groups that have an answer, the topics and partitions of which there is no copy.
    :param withdrawn: of groups, the topics and partitions in which they have a checkpoint and no position any more.
    :param own: predicate on groups that are the source's own, see :func:`.groups.own_groups`.
    :returns: ``[{group, kind, named, why, remedy}]``, sorted; ``*`` stands for those that could not be listed.
    """
    found, of_streams = [], [topic for topic in topics if topic.endswith(tuple(OF_STREAMS))]
    gone = {group: places for group, places in (withdrawn or {}).items() if wanted(group)}
    for group in sorted(set(kinds.groups) | set(positions) | set(named) | set(gone)):
        kind = kinds.groups.get(group, {})
        if is_askable(group) and (group in placed or group in gone):
            own_topics = of_streams if group in placed else ()
            answer = _besides(group, own_topics, (uncopied or {}).get(group), gone.get(group))
        # Nobody looks at those who neither consume the mirror's topics nor are named: they would hide those that count.
        elif group in named or group in positions or kind.get("type") in NOT_CONSUMERS or not is_askable(group):
            answer = _why_and_remedy(group, kind, kinds, group in positions, wanted(group), own(group))
        else:
            continue
        if answer:
            found.append(_row(group, kind.get("type") or kind.get("protocol") or "unknown", group in named, answer))
    return sorted([*found, *_unlisted(kinds)], key=lambda row: row["group"])


def _unlisted(kinds: Kinds) -> list[dict[str, Any]]:
    why = "share groups and groups of the streams protocol could not be listed: " + kinds.unlisted
    return [_row("*", "unknown", False, (why, UNLISTED_REMEDY))] if kinds.unlisted else []


def _row(group: str, kind: str, of_application: bool, answer: tuple[str, str]) -> dict[str, Any]:
    # Neither the ledger nor a report can hold half a character.
    name = group.encode("utf-8", "backslashreplace").decode()
    return {"group": name, "kind": kind, "named": of_application, "why": answer[0], "remedy": answer[1]}


def _besides(
    group: str, of_streams: Collection[str], uncopied: Collection[str] | None, gone: Collection[str] | None
) -> tuple[str, str] | None:
    """What is said of a group that has an answer; None where that is all that it needs."""
    own = [topic for topic in of_streams if topic.startswith(group + "-")]
    reasons = [reason for suffix, reason in OF_STREAMS.items() if any(topic.endswith(suffix) for topic in own)]
    if uncopied:
        reasons.append((PARTLY[0].format(named_of(uncopied)), PARTLY[1]))
    if gone:
        reasons.append((TAKEN_BACK[0].format(named_of(gone)), TAKEN_BACK[1]))
    return (
        ("; ".join(why for why, dummy in reasons), ". ".join(remedy for dummy, remedy in reasons)) if reasons else None
    )


def told(others: Iterable[Any] | None) -> list[str]:
    """A sentence for each, as a person reads it. Names, and what a ledger says of them, may hold anything.

    :param others: as :func:`other_groups` gives it, from there or from the ledger.
    """
    lines = []
    for group in others or ():
        row = group if isinstance(group, dict) else {"group": group}
        kind = f"{row.get('kind')}{', of an application' if row.get('named') else ''}"
        line = f"{shown(row.get('group'))} ({kind}): {row.get('why')}. {row.get('remedy')}."
        lines.append(CONTROL.sub(" ", line))
    return lines


def _why_and_remedy(
    group: str, kind: dict[str, str], kinds: Kinds, positioned: bool, wanted: bool, own: bool
) -> tuple[str, str]:
    if not is_askable(group):
        return UNASKED
    types = (kind.get("type"), kind.get("protocol"))
    if "share" in types:
        return SHARE
    if "streams" in types and not (positioned and wanted):
        return STREAMS
    if kind.get("type") == "other":
        return OTHER
    if positioned and own:
        return OWN
    if positioned and not wanted:
        return SINK if group.startswith("connect-") else EXCLUDED
    if positioned:
        return NO_COPY
    if not kinds.alive:
        return UNSEEN
    return NONE if kind or kinds.unlisted else UNKNOWN
