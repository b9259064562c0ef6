# SPDX-License-Identifier: GPL-3.0-or-later
"""A lost region was only asleep: it goes on by itself in the middle of the failover, and its applications write."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from datetime import datetime

from .checks import Entry, read_ledger
from .drill import SOURCE, TARGET, Drill
from .errors import LabError
from .journals import Held, Partition, topic_logs
from .landscape import TOPICS
from .playbook import collection
from .returning import STRAY
from .waiting import until

POLL_SECONDS = 0.3


@contextlib.contextmanager
def waking(drill: Drill) -> Iterator[None]:
    """Let the region go on as soon as the ledger of the target names the target as the active region.

    :raises LabError: what runs meanwhile did not name it.
    """
    ended = threading.Event()
    thread = threading.Thread(target=_wake_once_named, args=(drill, ended), daemon=True, name="waking")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(30)
    if not drill.woken_at:
        raise LabError(f"{SOURCE} slept through the failover: expected {TARGET} to be named active in its ledger")


def _wake_once_named(drill: Drill, ended: threading.Event) -> None:
    fold = collection("_ledger.fold").fold
    while not ended.wait(POLL_SECONDS):
        # While somebody writes, a ledger may not be read to its end; the next look does.
        with contextlib.suppress(LabError):
            if fold(read_ledger(drill))["active_region"] == TARGET:
                drill.woken_at = drill.lab.wake(SOURCE)
                drill.say(f"{SOURCE} GOES ON: {TARGET} has just been named the active region")
                return


def check_woken(drill: Drill) -> None:
    """Check that the region went on before the failover had ended, and that an application wrote to it afterwards."""
    ends = [_moment(entry) for entry in read_ledger(drill) if (entry["stage"], entry["step"]) == ("failover", "stage")]
    drill.report.check(
        "woken_in_the_middle",
        drill.lost_at < drill.woken_at < ends[-1],
        f"{SOURCE} goes on before the failover ends",
        f"{ends[-1] - drill.woken_at:.1f} s before",
    )
    until("an application to write to the region that was asleep", lambda: _acknowledged(drill, drill.woken_at), 60)


def check_strays(drill: Drill) -> set[str]:
    """Check that the region wrote nothing to the target by itself, and that the salvage wrote what only it has.

    :returns: ids of records that only that region had when it was fenced and that somebody was told are safe.
    """
    # Of the stage that moved the applications home; the applications write there again from then on.
    named = [_moment(entry) for entry in read_ledger(drill, SOURCE) if entry["step"] == "active_region"]
    there = _acknowledged(drill, 0.0, named[-1]) | {STRAY}
    logs = topic_logs(drill.client(TARGET), list(TOPICS))
    copied, salvaged = (
        {held.id for log in logs.values() for held in log if held.salvaged is way} for way in (False, True)
    )
    late = copied_late(logs, there, set(drill.journals.acknowledged(TARGET)))
    drill.report.check("woken_region_copies_nothing", not late, "0 records copied after the move", len(late))
    strays = _acknowledged(drill, drill.woken_at, named[-1])
    drill.report.data["strays"] = len(strays)
    drill.report.check(
        "written_after_waking", bool(strays), f"records that {SOURCE} took after it woke up", len(strays)
    )
    only_there = there - copied
    missing, more = only_there - salvaged, salvaged - only_there - drill.journals.unanswered(SOURCE)
    drill.report.check(
        "salvaged_what_only_it_had",
        not missing and not more,
        f"{len(only_there)} records, and what was not answered",
        f"{len(missing)} of them missing, {len(more)} others",
    )
    return only_there


def copied_late(logs: dict[Partition, list[Held]], there: set[str], here: set[str]) -> list[str]:
    """Ids of the lost region's records that were copied to a partition after its first record of the target's own.

    :param there: ids that the lost region took before the applications were home.
    :param here: ids that the target took.
    """
    late, alone = [], there - here
    for log in logs.values():
        moved = False
        for held in log:
            moved = moved or held.id in here
            if moved and held.id in alone and not held.salvaged:
                late.append(held.id)
    return late


def _acknowledged(drill: Drill, since: float, until_then: float = float("inf")) -> set[str]:
    """Ids that the lost region acknowledged between two wall times."""
    found = drill.journals.acknowledged(SOURCE).items()
    return {identity for identity, (_topic, at) in found if since < at < until_then}


def _moment(entry: Entry) -> float:
    return datetime.fromisoformat(entry["at"]).timestamp()
