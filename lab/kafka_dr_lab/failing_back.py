# SPDX-License-Identifier: GPL-3.0-or-later
"""After an unplanned failover the lost region is back: nothing that was acknowledged is given up, and it goes home."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from .checks import check_ledgers, check_loss, check_proofs, read_ledger
from .drill import SOURCE, TARGET, Drill, Records
from .journals import topic_ids
from .landscape import TOPICS
from .returning import ACCEPTED, STRAY, produce_stray
from .waiting import until


def come_back(drill: Drill) -> set[str]:
    """Start the lost region again, unless it was only asleep, and let a producer that nobody fenced write to it.

    :returns: ids of records that only that region has and that somebody was told are safe.
    """
    if not drill.asleep:
        drill.say(f"{SOURCE} comes back {'empty' if drill.arguments.returns == 'empty' else 'with its disks'}")
        (drill.lab.bring_back if drill.arguments.returns == "empty" else drill.lab.start_again)(SOURCE)
    answer = until("the region to accept a record", lambda: _accepted(drill), 60)
    drill.report.check("returned_source_is_alive", answer == ACCEPTED, "it accepts a record", answer)
    elsewhere = _ids(topic_ids(drill.client(TARGET), list(TOPICS)))
    in_source = _ids(topic_ids(drill.client(SOURCE), list(TOPICS)))
    acknowledged = set(drill.journals.acknowledged(SOURCE)) | {STRAY}
    return (in_source & acknowledged) - elsewhere


def _accepted(drill: Drill) -> str:
    answer = produce_stray(drill)
    return answer if answer == ACCEPTED else ""


def _ids(records: Records) -> set[str]:
    return {identity for counter in records.values() for identity in counter}


def check_salvaged(drill: Drill, only_there: set[str]) -> None:
    """Check what the stage saved against the journals, and what it kept against what it says."""
    found = step("salvaged", drill)
    unanswered = drill.journals.unanswered(SOURCE)
    salvaged = int(found.get("salvaged") or 0)
    drill.report.data["salvaged"] = salvaged
    # What a producer was not told about may be there too; it was sent again elsewhere.
    most = len(only_there | unanswered)
    drill.report.check(
        "salvaged_as_lost",
        len(only_there) <= salvaged <= most,
        f"{len(only_there)} records that only {SOURCE} had, and at most {most - len(only_there)} whose answer was lost",
        salvaged,
    )


def check_nothing_lost_for_ever(drill: Drill, records: Records) -> None:
    """Check that every record that was ever acknowledged is there in the end, and once; where the disks are lost, all
    but what had not been copied.
    """
    acknowledged = drill.journals.acknowledged()
    missing = set(acknowledged) - _ids(records)
    drill.report.data["lost_for_ever"] = len(missing)
    if drill.arguments.returns == "empty":
        check_loss(drill)
        in_journal = drill.journals.acknowledged(SOURCE)
        missing -= {identity for identity, (_topic, at) in in_journal.items() if at <= drill.resumed_at}
    drill.report.check("lost_for_ever", not missing, "0 acknowledged records missing", len(missing))
    strays = sum(counter[STRAY] for counter in records.values())
    drill.report.check("stray_salvaged", strays == 1, "the stray record once", strays)


def check_home(drill: Drill) -> None:
    """Check that both ledgers tell the same, and how long nothing protected the active region."""
    entries, source_entries = check_proofs(drill), check_proofs(drill, SOURCE)
    check_ledgers(drill, SOURCE)
    seconds = [
        round(_moment(entry["at"]) - _moment(entry["found"]["since"]), 1)
        for entry in [*entries, *source_entries]
        if entry["step"] == "protected" and entry["found"].get("since")
    ]
    drill.report.data["protected_again_seconds"] = seconds
    drill.report.check("protected_again", len(seconds) == 2, "a mirror after each of two moves", str(seconds))


def step(name: str, drill: Drill) -> dict[str, Any]:
    """What the stage wrote of a step; empty where it had none."""
    found = [entry["found"] for entry in read_ledger(drill) if (entry["stage"], entry["step"]) == ("failback", name)]
    return found[-1] if found else {}


def _moment(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
