# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a standing proof, out of what it says of itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._errors import KafkaDrError
from .._kafka.client import KafkaClient
from .._values.listing import named
from .reasons import EXPECTED
from .state import Partition, read_state
from .summary import summarise

NAMED = 3


class Trouble(NamedTuple):
    """A kind, ``error``, ``warning`` or ``info``, and three sentences without their full stops."""

    kind: str
    severity: str
    found: str
    cause: str
    remedy: str


def standing_proof(
    target: KafkaClient, mirror: str, ends: Mapping[Partition, int] | None = None
) -> tuple[dict[str, Any] | None, str | None]:
    """What the watch of a mirror says, and why it cannot be read.

    :param ends: last stable offsets of the source, where they are known.
    :returns: as of :func:`.summary.summarise`, None where no round was ever ended, or nothing can be believed; then the
        reason follows. Nothing else that a look at the mirror reads depends on it.
    """
    try:
        state = read_state(target, mirror)
    except KafkaDrError as error:
        return None, str(error)
    return (None if state is None else summarise(state, ends or None)), None


def troubles(
    watch: dict[str, Any] | None, most_age: float, most_unproven: float, unreadable: str | None = None
) -> Iterator[Trouble]:
    """What is wrong.

    :param watch, unreadable: as of :func:`standing_proof`.
    :param most_age: seconds that the last round may be old.
    :param most_unproven: seconds that a record may stay without being proven.
    """
    if unreadable:
        yield Trouble(
            "watch-unreadable",
            "error",
            f"it cannot be read: {unreadable}",
            "Somebody else wrote among what it keeps, or the topic does not answer; nothing that it says is believed",
            "See what the error says, and who may write there (the gate ledger_writers names them)",
        )
        return
    if watch is None:
        yield Trouble(
            "watch-missing",
            "error",
            "no round of the watch is known",
            "It was never installed, or has never ended a round",
            "Run initial_setup with initial_setup_watch=true; look at its service or pod and at its log",
        )
        return
    yield from _late(watch, most_age, most_unproven)
    yield from _wrong(watch)
    yield from _left_out(watch)


def _left_out(watch: dict[str, Any]) -> Iterator[Trouble]:
    if watch["never_compared"]:
        yield Trouble(
            "watch-gap",
            "warning",
            f"{watch['never_compared']} records that the source may still hold were never compared",
            "They lie before the first record that both sides have, or were skipped when the watch began anew",
            "Compare the topics with verify_restore",
        )
    if watch.get("vanished_records"):
        yield Trouble(
            "watch-vanished",
            "warning",
            f"{watch['vanished_records']} proven offsets were deleted from the target before they had expired there",
            "Somebody deleted records, or shortened and lengthened the topic's retention",
            "Compare the topics with verify_restore; copy anew what the source still has. A proof after a loss calls "
            "these partitions not provable until the records would have expired",
        )
    absent = [f"{row['topic']} ({row['reason']})" for row in watch["topics_not_watched"]]
    if absent:
        yield Trouble(
            "watch-leaves-out",
            "info" if all(row["reason"] in EXPECTED for row in watch["topics_not_watched"]) else "warning",
            f"topics that are not watched: {named(absent, NAMED)}",
            "The watch cannot stand for them, or cannot look at them now, so that nothing new of them is proven",
            "Read the reasons; nothing is wrong with a topic that is compacted, or that was deleted in the source",
        )


def _wrong(watch: dict[str, Any]) -> Iterator[Trouble]:
    differences = watch["differences"]
    if differences:
        count = len(differences) + watch.get("differences_left_out", 0)
        first = named((difference["text"] for difference in differences), NAMED)
        yield Trouble(
            "watch-differs",
            "error",
            f"{count} differences that nobody accepted: {first}",
            "The copy does not hold what the source holds; nothing after the first of them in a partition is proven",
            "Compare the partitions with verify_restore, find out who or what changed the copy, and copy these topics "
            "anew, or accept what is explained with the playbook watch_accept",
        )
    stopped = [f"{row['topic']}-{row['partition']} ({row['reason']})" for row in watch["stopped"]]
    if stopped:
        yield Trouble(
            "watch-stopped",
            "error",
            f"not watched any more: {named(stopped, NAMED)}",
            "What was proven there is not what the log holds now, as after an unclean election or from other disks",
            "Find out what happened to the log, prove the topic with verify_restore, and begin its watch anew",
        )


def _late(watch: dict[str, Any], most_age: float, most_unproven: float) -> Iterator[Trouble]:
    if watch["age_seconds"] is None:
        yield Trouble(
            "watch-stale",
            "error",
            f"its last round ended {watch['ahead_seconds']:.0f} s ahead of this machine's clock",
            "The clocks of this machine and of the target's brokers differ, so that nobody can tell whether it runs",
            "Set the clocks of both, then run this again",
        )
    elif watch["age_seconds"] > most_age:
        yield Trouble(
            "watch-stale",
            "error",
            f"its last round is {watch['age_seconds']:.0f} s old, more than {most_age:.0f} s",
            "It does not run, cannot read one of the regions, or cannot write to its topic",
            "Look at its service or pod and at its log, then start it",
        )
    elif watch["unproven_seconds"] > most_unproven:
        yield Trouble(
            "watch-behind",
            "warning",
            f"{watch['unproven_records']} records are not proven, the oldest for {watch['unproven_seconds']:.0f} s"
            if watch["unproven_records"]
            else f"nothing that the source got in the last {watch['unproven_seconds']:.0f} s is proven",
            "The mirror or the watch does not keep up or cannot look at a topic, or a difference holds it back"
            + (
                f"; {watch['undecided_records']} offsets of the source lie behind a transaction that is open there"
                if watch.get("undecided_records")
                else ""
            ),
            "See lag first; then look at its log, and at kafka_dr_watch.max_mb_per_second",
        )
