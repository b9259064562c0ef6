# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole salvage: align, look, export, write, prove, report."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, cast

from .._digest.shapes import SideSpec
from .._errors import KafkaDrError, NotProvableError
from .._proof import look_again, plan, worker
from .._proof.comparison import Comparison
from .._proof.first_pass import SIDES
from .._proof.shapes import Engine
from .._proof.sides import KafkaSide
from .._values.listing import named
from . import actions, places, preparing, progress, report, spans
from .choice import choose
from .directory import Directory
from .part import Part
from .planning import Look
from .proving import Claim
from .writing import Work, refuse_other_way

TASKS_PER_CORE = 4
# Records of one file, about.
FILE_RECORDS = 500000
# Topic, partition, runs of offsets.
Piece = tuple[str, int, list[list[int]]]


class Salvage:
    """One run."""

    def __init__(self, source: SideSpec, target: SideSpec, wanted: preparing.Wanted) -> None:
        self.began = time.time()
        self.wanted, self.rules = wanted, actions.parse(wanted.actions)
        self.comparison: Comparison = preparing.at_rest(source, target, wanted)
        self.source = cast(KafkaSide, self.comparison.source)
        self.target = cast(KafkaSide, self.comparison.target)
        self.directory = Directory(wanted.out, report.identity(self))
        self.parts: list[Part] = []
        self.files: dict[str, dict[str, Any]] = {}
        self.reasons: list[str] = []

    def run(self, engine: Engine) -> dict[str, Any]:
        """Salvage; the report without its engine. :raises KafkaDrError: something was refused, or failed."""
        self.engine = engine
        self.directory.begin()
        try:
            self._align()
            self._look()
            self.directory.refuse_gone(
                {(part.pair.topic.name, str(part.pair.number)): part.accounted for part in self.parts}
            )
            self._export()
            self._write()
            self._prove()
            self._look_again()
            salvage_report = report.build(self)
            self.directory.commit(self.files, report.for_directory(salvage_report))
            return salvage_report
        except BaseException:
            self.directory.abandon()
            raise

    def _align(self) -> None:
        self.comparison.run(self.engine)
        unclear = [
            f"{pair.topic.name}-{pair.number}: {pair.error['message'] if pair.error else 'too much differs'}"
            for pair in self.comparison.pairs
            if pair.error or (pair.result or {}).get("unnamed")
        ]
        if unclear:
            raise NotProvableError(
                f"What {self.target.name} never got of {self.source.name} is not known",
                found=named(unclear, separator="; "),
                remedy="Remove the cause, or salvage fewer topics",
            )
        by_topic = {topic.name: actions.action_for(self.rules, topic.name) for topic in self.comparison.topics}
        choices = {pair: choose(pair) for pair in self.comparison.pairs}
        writing = any(
            by_topic[pair.topic.name] in actions.WRITING and len(choice.wanted) for pair, choice in choices.items()
        )
        places.refuse(self.comparison, by_topic, choices)
        found = places.prepare(self.target.client, self.comparison, by_topic, choices) if writing else {}
        known = progress.read_all(self.target.client) if writing else {}
        for pair, choice in choices.items():
            action = by_topic[pair.topic.name]
            work = places.work(pair, action, choice, found, self.source.name)
            before = progress.Progress()
            if action in actions.WRITING:
                before = known.get((work.topic_id, work.partition), before)
                refuse_other_way(work, before)
            part = Part(pair, action, choice, work, before)
            if action == actions.REPLAY:
                place = (work.topic_id, work.partition, work.target_topic, work.target_topic_id)
                # What was replayed before the copy ended is from an earlier loss, and part of what is compared.
                part.others = spans.within(progress.replayed_by_others(known, *place), pair.target_range[1])
            self.parts.append(part)

    def _look(self) -> None:
        """Read what is to be written, or depends on keys, before anything is written."""
        for part in self.parts:
            part.export = part.choice.wanted
        looked = [
            part
            for part in self.parts
            if len(part.choice.older) or (len(part.choice.wanted) and part.action in actions.WRITING)
        ]
        for part, value in zip(looked, self._map("salvage_plan", looked, self._look_of), strict=True):
            for name in ("write", "export", "superseded", "already", "torn"):
                setattr(part, name, spans.as_runs(value[name]))

    def _look_of(self, part: Part) -> Look:
        pair = part.pair
        return Look(
            work=part.work,
            copy=pair.topic.target_name,
            older=part.choice.older.tolist(),
            written=part.known.written().tolist(),
            following=part.known.next or 0,
            compacted="compact" in pair.topic.mode and pair.topic.target is not None,
            since=pair.target_range[1],
            own=part.known.written_to(pair.topic.target_name).tolist(),
            others=part.others.tolist(),
            timestamps=pair.topic.timestamps,
            deletions_kept=preparing.remembers_deletions(pair.topic, self.wanted.bounds),
            expires_before=preparing.expires_before(pair.topic),
        )

    def _export(self) -> None:
        pieces: list[Piece] = []
        for part in self.parts:
            if part.action != actions.NONE:
                pieces += [
                    (*part.pair.partition_on("source"), runs) for runs in report.pieces(part.export, FILE_RECORDS)
                ]
        weights = [sum(count for dummy, count in piece[2]) for piece in pieces]
        groups = plan.groups(pieces, weights, self.engine.parallelism) if pieces else []
        tasks = [
            {
                "id": number,
                "work": "salvage_export",
                "source": self.comparison.source_spec,
                "out": self.wanted.out,
                "file": self.directory.path_of(number),
                "partitions": _joined(group),
            }
            for number, group in enumerate(groups)
        ]
        by_place = {part.pair.partition_on("source"): part for part in self.parts}
        for result in worker.answers(self.engine, tasks, "export", sum(weights)):
            value = _value(result)
            self.files[tasks[result["id"]]["file"]] = {key: value[key] for key in ("sha256", "records", "bytes")}
            for topic, number, records, size in value["partitions"]:
                by_place[(topic, number)].exported += records
                by_place[(topic, number)].bytes += size

    def _write(self) -> None:
        writing = [part for part in self.parts if len(part.write)]
        self._map("salvage_write", writing, lambda part: _with(part.work, part.write))

    def _prove(self) -> None:
        """Read back what was written, by the entries of the transactions that wrote it."""
        claimed = [part for part in self.parts if len(part.write) or part.known.portions]
        if not claimed:
            return
        known = progress.read_all(self.target.client)
        for part in claimed:
            part.known = known.get((part.work.topic_id, part.work.partition), part.known)
        for part, value in zip(claimed, self._map("salvage_prove", claimed, self._claim), strict=True):
            part.written = value["records"]
            part.bytes += value["bytes"]
            wanted, written = part.write, part.known.written()
            if not value["equal"]:
                part.reasons.append(
                    f"'{part.work.target_topic}' does not hold what was written to it: "
                    f"expected {value['expected']} records, found {value['records']}, or others"
                )
            if value["covered"]:
                part.reasons.append(
                    f"{value['covered']} keys of '{part.work.target_topic}' have an older record of {self.source.name} "
                    "behind what others wrote while it was replayed; see what each key is to have there"
                )
            if value["unseen"]:
                part.reasons.append(
                    f"what others wrote to '{part.work.target_topic}' below offset {value['unseen']} while it was "
                    "replayed was deleted, so that nobody can tell which keys have an older record behind it"
                )
            if spans.count(spans.without(wanted, written)) or spans.count(spans.without(written, wanted)):
                part.reasons.append(
                    f"expected {spans.count(wanted)} records to be written, found {spans.count(written)} by the entries"
                )
            if part.reasons:
                cleaned = ", unless a cleaner has taken records since" if "compact" in part.pair.topic.mode else ""
                part.reasons[-1] += (
                    f"; find out who may write there{cleaned}, and give {part.pair.topic.name} the action export"
                )

    def _claim(self, part: Part) -> Claim:
        replayed = part.action == actions.REPLAY
        overwritten = replayed and not part.pair.topic.timestamps
        return Claim(
            part.work,
            part.known.written().tolist(),
            part.known.written_to(part.work.target_topic).tolist(),
            not overwritten,
            part.pair.target_range[1] if replayed and "compact" in part.pair.topic.mode else None,
        )

    def _look_again(self) -> None:
        """Name what changed since the comparison: topics of either side, and records of the source."""
        for side in SIDES:
            where = self.comparison.side(side).name
            for name in look_again.gone(self.comparison, side):
                self.reasons.append(f"{name} was deleted or created anew on {where} during the run")
        moved = preparing.unsettled(self.comparison)
        if moved:
            self.reasons.append(f"{self.source.name} was written to during the run: {named(moved)}")

    def _map(self, work: str, parts: list[Part], travelling: Any) -> list[Any]:
        """The results for partitions, in their order. :raises KafkaDrError: one could not be done."""
        weights = [max(1, spans.count(part.choice.wanted)) for part in parts]
        numbers = plan.groups(list(range(len(parts))), weights, self.engine.parallelism * TASKS_PER_CORE)
        tasks = [
            {
                "id": number,
                "work": work,
                "source": self.comparison.source_spec,
                "target": self.comparison.target_spec,
                "partitions": [travelling(parts[index]) for index in group],
            }
            for number, group in enumerate(numbers)
            if group
        ]
        found: dict[int, Any] = {}
        failed: list[KafkaDrError] = []
        for result in worker.answers(self.engine, tasks, work.removeprefix("salvage_"), sum(weights)) if parts else []:
            for index, value in zip(numbers[result["id"]], _value(result), strict=True):
                if "error" in value:
                    failed.append(_error(value["error"]))
                else:
                    found[index] = value["value"]
        if failed:
            raise _together(failed)
        return [found[index] for index in range(len(parts))]


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Pieces of one partition made one, so that a file has each partition once."""
    found: dict[tuple[str, int], list[list[int]]] = {}
    for topic, number, runs in sorted(pieces):
        found.setdefault((topic, number), []).extend(runs)
    return [(*place, runs) for place, runs in found.items()]


def _with(work: Work, runs: Any) -> Work:
    """The work with other offsets."""
    return Work(**{**vars(work), "wanted": runs.tolist()})


def _value(result: dict[str, Any]) -> Any:
    if "error" in result:
        raise _error(result["error"])
    return result["value"]


def _error(failure: dict[str, Any]) -> KafkaDrError:
    error = KafkaDrError(failure["message"], **failure["facts"])
    error.kind = failure["kind"]
    return error


def _together(failed: Iterable[KafkaDrError]) -> KafkaDrError:
    """The first error, and how many more partitions could not be done."""
    first, *more = failed
    if more:
        first.args = (f"{first} {len(more)} more partitions failed.",)
    return first
