# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof of a living source by what its watch has proven: only the tail beyond it is compared.

A partition is compared from its last matched pair of records on if the logs of both sides are the ones that the watch
proved, if all that the source holds now lies in what was proven, or after it, and if the map of offsets that is kept
reaches back to the lowest group. Every other partition, and whatever is not equal there, is compared as a whole: so the
verdict is that of a proof of everything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .._digest.shapes import SideSpec, TopicSurvey
from .._errors import KafkaDrError, NotProvableError
from .._kafka.groups import positions_in
from .._mm2.names import these_alone
from .._proof import report, verdict
from .._proof.comparison import Comparison, Options
from .._proof.offset_rows import OffsetRows
from .._proof.pairs import Pair, Topic
from .._proof.shapes import Engine, Report
from .._proof.sides import KafkaSide
from .offset_maps import offset_map, same_logs, usable
from .state import TOPIC, Confirmed, Partition, WatchState, require_state

Starts = dict[str, dict[int, int]]


class Tail:
    """A proof of the tails. ``unusable`` says why the watch was not gone by; then everything is compared.

    :raises KafkaDrError: a side does not answer.
    """

    def __init__(self, source: SideSpec, target: SideSpec, mirror: str, options: Options, topic: str = TOPIC) -> None:
        self.source_spec, self.target_spec, self.mirror, self.options = source, target, mirror, options
        self.source, self.target = KafkaSide(source), KafkaSide(target)
        self.unusable, self.state = "", WatchState(mirror)
        self.tails: dict[Partition, Confirmed] = {}
        try:
            self.state = self._read(topic)
            self.tails = self._tails()
        except KafkaDrError as error:
            # Everything is compared instead.
            self.unusable = str(error)
        self.comparison = Comparison(*self._specs(), options)

    @property
    def records_total(self) -> int:
        """Records that are read at most (by offsets), if all tails are equal."""
        return self.comparison.records_total

    def run(self, engine: Engine) -> Report:
        """Compare; the report without its engine."""
        first = self.comparison
        first.compare(engine)
        again = [topic.name for topic in first.topics if any(self._unequal(topic, pair) for pair in topic.pairs)]
        found = []
        if again:
            whole = Comparison(self.source_spec, self.target_spec, replace(self.options, topics=these_alone(again)))
            found.append(whole.run(engine))
            first.topics = [topic for topic in first.topics if topic.name not in again]
        self.tails = {place: part for place, part in self.tails.items() if place[0] not in again}
        if first.topics:
            found.append(report.build(first))
        return self._merged(found)

    # -- what is proven ------------------------------------------------------------------------------------------------

    def _read(self, topic: str) -> WatchState:
        state = require_state(self.target.client, self.mirror, topic)
        clusters = self.source.cluster_id, self.target.cluster_id
        if (state.source_cluster, state.target_cluster, state.rename) != (*clusters, self.options.rename):
            raise NotProvableError(
                f"The watch of the mirror '{self.mirror}' is of another mirror than the one to prove",
                expected=f"{clusters[0]} to {clusters[1]}, renamed by {self.options.rename}",
                found=f"{state.source_cluster} to {state.target_cluster}, renamed by {state.rename}",
            )
        return state

    def _tails(self) -> dict[Partition, Confirmed]:
        wanted, bounded = re.compile(self.options.topics), self.options.bounds or {}
        # What is bounded, or compared without timestamps, is another question than the watch answered.
        if bounded or self.options.ignore_timestamps:
            return {}
        parts = {
            place: part
            for place, part in self.state.partitions.items()
            if wanted.fullmatch(place[0])
            and place[0] not in self.state.not_watched
            and usable(part)
            and part.anchor is not None
            # What the target held before the first record of both is nobody's, or of a former log.
            and not part.older
        }
        present = self._present(parts)
        parts = {place: part for place, part in parts.items() if place in present}
        same = same_logs(
            self.target.client, {place: (_copy(place, part), part.target_tip) for place, part in parts.items()}
        )
        same &= same_logs(self.source.client, {place: (place, parts[place].source_tip) for place in same})
        return self._mapped({place: parts[place] for place in same})

    def _mapped(self, parts: dict[Partition, Confirmed]) -> dict[Partition, Confirmed]:
        """Those whose map reaches back to where the lowest group is: what follows the proof translates by it."""
        lows = {place: offset_map(part).source_range[0] for place, part in parts.items()}
        cut = {place for place, part in parts.items() if part.begins is not None and lows[place] > part.begins[0]}
        if not cut:
            return parts
        behind = {
            (topic, int(number))
            for topics in positions_in(self.source.client, {topic for topic, dummy in cut}).values()
            for topic, offsets in topics.items()
            for number, offset in offsets.items()
            if (topic, int(number)) in cut and offset < lows[topic, int(number)]
        }
        return {place: part for place, part in parts.items() if place not in behind}

    def _present(self, parts: dict[Partition, Confirmed]) -> set[Partition]:
        sources = self.source.survey(sorted({topic for topic, dummy in parts}))
        return present(parts, sources, self.target.survey(sorted({part.target_topic for part in parts.values()})))

    # -- what is compared ----------------------------------------------------------------------------------------------

    def _specs(self) -> tuple[SideSpec, SideSpec]:
        source: Starts = {}
        target: Starts = {}
        for (topic, number), part in self.tails.items():
            anchor = part.anchor or {}
            source.setdefault(topic, {})[number] = anchor["source"]
            target.setdefault(part.target_topic, {})[number] = anchor["target"]
        return {**self.source_spec, "starts": source}, {**self.target_spec, "starts": target}

    def _unequal(self, topic: Topic, pair: Pair) -> bool:
        """Whether the tail of a partition shows anything but that it is equal, from the last matched pair on."""
        part = self.tails.get((topic.name, pair.number))
        if part is None:
            return False
        if pair.result is None or pair.error is not None or topic.not_provable or topic.partition_difference:
            return True
        anchor, rows = part.anchor or {}, pair.result["offset_map"]
        begins = len(rows) and [int(rows[0][0]), int(rows[0][1])] == [anchor["source"], anchor["target"]]
        return not begins or any(pair.result["counts"].values()) or pair.target_moved

    # -- the report ----------------------------------------------------------------------------------------------------

    def _merged(self, found: list[Report]) -> Report:
        topics = sorted((topic for part in found for topic in part["topics"]), key=lambda topic: topic["topic"])
        for topic in topics:
            for part in topic["partitions"]:
                tail = self.tails.get((topic["topic"], part["partition"]))
                if tail is not None:
                    _extend(part, tail)
        outcome = verdict.worst(part["verdict"] for part in found)
        reasons = [f"the watch was not gone by: {self.unusable}"] if self.unusable else []
        return {
            **found[0],
            "verdict": outcome,
            "complete": verdict.complete(outcome),
            "reasons": reasons + [reason for part in found for reason in part["reasons"]],
            "totals": report.summed(part["totals"] for part in found),
            "began": min(part["began"] for part in found),
            "seconds": max(part["seconds"] for part in found),
            "options": report.asked(self.options),
            "topics": topics,
            "watch": self._used(),
        }

    def _used(self) -> dict[str, Any]:
        if not self.tails:
            return {"mirror": self.mirror, "used": False, "reason": self.unusable or "nothing could be gone by"}
        return {
            "mirror": self.mirror,
            "used": True,
            "round": self.state.round,
            "at": self.state.at,
            "partitions": len(self.tails),
            "proven_records": sum(part.records for part in self.tails.values()),
        }


def present(
    parts: Mapping[Partition, Confirmed], sources: Mapping[str, TopicSurvey], copies: Mapping[str, TopicSurvey]
) -> set[Partition]:
    """Those of the same topics, of which all that the source holds was proven and is held by the target."""
    found = set()
    for place, part in parts.items():
        source, copy = sources.get(place[0]), copies.get(part.target_topic)
        if source is None or copy is None or part.begins is None:
            continue
        if (source["topic_id"], copy["topic_id"]) != (part.source_id, part.target_id):
            continue
        # Compaction removes records at any place, and leaves where the log begins and ends as it was.
        if any("compact" in (side["config"].get("cleanup.policy") or "") for side in (source, copy)):
            continue
        start, copied = source["bounds"].get(place[1], (-1, 0))[0], copy["bounds"].get(place[1], (1 << 62, 0))[0]
        if start >= part.begins[0] and (copied <= part.begins[1] or _holds(part, start, copied)):
            found.add(place)
    return found


def _copy(place: Partition, part: Confirmed) -> Partition:
    return part.target_topic, place[1]


def _holds(part: Confirmed, start: int, copied: int) -> bool:
    """Whether the target holds the copy of what the source begins with, as far as the map reaches."""
    copy = offset_map(part).copy_at(start)
    return copy is not None and copy >= copied


def _extend(part: dict[str, Any], tail: Confirmed) -> None:
    """Tell what was proven before, and put its offset map before that of the tail."""
    before, anchor = offset_map(tail), (tail.anchor or {})["source"]
    rows = [(row["source_offset"], row["target_offset"], row["count"]) for row in part["offset_map"]]
    older = [(source, target, min(count, anchor - source)) for source, target, count in before.runs if source < anchor]
    part["proven_before"], part["proven_through"] = tail.records, list(tail.through)
    part["offset_map"] = OffsetRows(_joined([*older, *rows]))
    if older:
        part["source_range"][0], part["target_range"][0] = older[0][0], older[0][1]


def _joined(rows: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """The same rows, neighbours as one."""
    joined: list[tuple[int, int, int]] = []
    for row in rows:
        last = joined[-1] if joined else None
        if last is not None and (last[0] + last[2], last[1] + last[2]) == row[:2]:
            joined[-1] = (last[0], last[1], last[2] + row[2])
        else:
            joined.append(row)
    return joined
