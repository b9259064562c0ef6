# SPDX-License-Identifier: GPL-3.0-or-later
"""What was processed twice after a failback, and in which order, judged by the applications' journals."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .drill import SOURCE, TARGET, Drill
from .failing_back import step
from .journals import Partition, topic_logs
from .landscape import GROUP, TOPICS
from .playbook import collection
from .waiting import until

# A range that ``reprocessed`` lists, and the ids of the records that lie there.
Listed = list[tuple[dict[str, Any], list[str]]]
# Why a range is listed: the group went on before its last position, or a salvage wrote it again.
POSITION = "position"


def last_commits(drill: Drill) -> dict[Partition, int]:
    """Where the group stands in the region that is back, read before any stage looks at it; nowhere where its disks are
    lost.
    """
    client = collection("_kafka.client").KafkaClient(drill.client(SOURCE, "kdr-stages"), name=SOURCE)

    def read() -> dict[Partition, int]:
        found: dict[Partition, int] = collection("_kafka.groups").group_positions(client, [GROUP]).get(GROUP, {})
        return found

    return {} if drill.arguments.returns == "empty" else until("the group's last positions", read, 60)


def check_processed_twice(drill: Drill, commits: dict[Partition, int]) -> None:
    """Check that what is listed as processed twice was, and that what is not listed lies at or beyond the last commit.

    :param commits: the result of :func:`last_commits`.
    """
    found = step("processed_twice", drill)
    listed = _listed(drill, found)
    counts = [
        sum(
            int(listed_range["records"]) for listed_range, _ids in listed if (listed_range["cause"] == POSITION) == read
        )
        for read in (1, 0)
    ]
    drill.report.data["listed_reprocessed"], drill.report.data["listed_salvaged"] = sum(counts), counts[1]
    drill.report.check(
        "listed_as_in_the_ledger",
        [int(found.get(name) or 0) for name in ("records", "records_salvaged")] == [sum(counts), counts[1]],
        f"{sum(counts)} records, {counts[1]} of them salvaged, as in the files",
        f"{found.get('records')}, {found.get('records_salvaged')}",
    )
    places = drill.journals.processed_places(SOURCE, drill.resumed_at)
    before, times = {row[0] for row in places}, drill.journals.processed_times()
    named = [identity for _listed_range, ids in listed for identity in ids]
    wrong = [identity for identity in named if identity not in before or times[identity] < 2]
    expected = "every record that is listed processed before, and again"
    drill.report.check("listed_as_processed_twice", not wrong and len(named) == sum(counts), expected, len(wrong))
    again = drill.journals.processed_again(SOURCE, drill.resumed_at) & before - drill.journals.sent_again()
    unlisted = again - {*named}
    # A consumer had processed these and not committed: nobody can tell.
    drill.report.data["unlisted_reprocessed"] = len(unlisted)
    known = [row for row in places if row[0] in unlisted and row[3] < commits.get((row[1], row[2]), 0)]
    drill.report.check(
        "unlisted_beyond_last_commit",
        not known,
        f"each of {len(unlisted)} unlisted repeats at or after the last commit in {SOURCE}",
        f"{len(known)} before it",
    )


def _listed(drill: Drill, found: dict[str, Any]) -> Listed:
    """Each range with the ids of the records that the region holds there, by the file that lists all of them."""
    ranges = json.loads(Path(found["files"][0]).read_text())["ranges"] if found.get("files") else []
    logs = topic_logs(drill.client(TARGET), sorted({listed_range["topic"] for listed_range in ranges}))
    listed = []
    for listed_range in ranges:
        part = logs[(listed_range["topic"], listed_range["partition"])]
        span = range(listed_range["first"], listed_range["last"] + 1)
        listed.append((listed_range, [held.id for held in part if held.offset in span]))
    return listed


def check_order(drill: Drill) -> None:
    """Check that the order of sending is kept within each partition, but for what was salvaged: in the topics of both
    regions, and as the consumer processed them first.
    """
    logs = [topic_logs(drill.client(region), list(TOPICS)) for region in (SOURCE, TARGET)]
    salvaged = {held.id for log in logs for part in log.values() for held in part if held.salvaged}
    rows: list[tuple[Any, str]] = []
    for number, log in enumerate(logs):
        rows += [((number, *place), held.id) for place, part in log.items() for held in part]
    rows += [(("processed", topic, part), identity) for topic, part, identity in drill.journals.first_processed()]
    late = []
    for sent in drill.journals.sent_once():
        late += _out_of_order({identity: at for identity, at in sent.items() if identity not in salvaged}, rows)
    drill.report.check(
        "order_kept", not late, "the order of sending in each partition, but for what was salvaged", len(late)
    )


def _out_of_order(sent: dict[str, float], rows: Iterable[tuple[Any, str]]) -> list[str]:
    """Ids that come after one that was sent later. What is twice in a place is judged elsewhere: the first one counts.

    :param rows: places and ids, in order within each place.
    """
    latest: dict[Any, float] = {}
    late, seen = [], set()
    for place, identity in rows:
        at = sent.get(identity)
        if at is None or (place, identity) in seen:
            continue
        seen.add((place, identity))
        if at < latest.get(place, 0.0):
            late.append(identity)
        latest[place] = max(at, latest.get(place, 0.0))
    return late
