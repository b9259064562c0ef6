# SPDX-License-Identifier: GPL-3.0-or-later
"""How a failback's drill judges what was processed twice, and in which order."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from kafka_dr_lab import repeating
from kafka_dr_lab.drill import SOURCE, TARGET
from kafka_dr_lab.journals import Held, Journals
from kafka_dr_lab.report import Report

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "lab" / "apps"))
from journal import COMMITTED, PROCESSED, PRODUCED, open_journal

PLACE = ("orders", 0)
BACK = 50.0
# B got a to c by the mirror, d by its own producer, and e, which only A had, by the salvage.
LOG = [Held(0, "a", False), Held(1, "b", False), Held(2, "c", False), Held(3, "d", False), Held(5, "e", True)]
BEFORE = [(SOURCE, at, name) for at, name in enumerate("abce")]
AFTER = [(TARGET, 2, "c"), (TARGET, 3, "d"), (TARGET, 5, "e")]
RANGES = (
    {"topic": "orders", "partition": 0, "first": 2, "last": 2, "records": 1, "cause": "position"},
    {"topic": "orders", "partition": 0, "first": 5, "last": 5, "records": 1, "cause": "replay"},
)


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """Run a check over journals and logs; ``{name: passed}``."""
    files = [tmp_path / name for name in ("producer.sqlite", "consumer.sqlite")]
    produced, processed = open_journal(str(files[0]), PRODUCED), open_journal(str(files[1]), PROCESSED, COMMITTED)
    query = "INSERT INTO produced (id, topic, region, state, sent_at) VALUES (?, 'orders', ?, 'acknowledged', ?)"
    sent = [("a", SOURCE, 1), ("b", SOURCE, 2), ("c", SOURCE, 3), ("e", SOURCE, 4), ("d", TARGET, 60)]
    produced.executemany(query, sent)

    def judge(check, *arguments, ranges=RANGES, rows=(*BEFORE, *AFTER), logs=(LOG, LOG)):
        processed.execute("DELETE FROM processed")
        query = "INSERT INTO processed (id, topic, region, partition, offset, at) VALUES (?, 'orders', ?, 0, ?, ?)"
        processed.executemany(query, [(name, where, at, 9 if where == SOURCE else 60) for where, at, name in rows])
        report = Report("failback", "host", {})
        drill = SimpleNamespace(
            journals=Journals(tmp_path), report=report, resumed_at=BACK, client=lambda region: {"region": region}
        )
        (tmp_path / "reprocessed.json").write_text(json.dumps({"ranges": ranges}))
        counts = {"records": len(ranges), "records_salvaged": sum(one["cause"] != "position" for one in ranges)}
        found = {**counts, "files": [str(tmp_path / "reprocessed.json")]}
        monkeypatch.setattr(repeating, "step", lambda name, drill: found)
        monkeypatch.setattr(
            repeating, "topic_logs", lambda config, topics: {PLACE: logs[[SOURCE, TARGET].index(config["region"])]}
        )
        check(drill, *arguments)
        return report.data, {one["name"]: one["passed"] for one in report.data["checks"]}

    return judge


def test_what_is_listed_was_processed_twice(judged):
    data, passed = judged(repeating.check_processed_twice, {PLACE: 4})
    assert all(passed.values()) and len(passed) == 3
    assert (data["listed_reprocessed"], data["listed_salvaged"], data["unlisted_reprocessed"]) == (2, 1, 0)


@pytest.mark.parametrize("name", ["d", "b"])
def test_what_was_processed_once_is_listed_wrongly(judged, name):
    at = next(one.offset for one in LOG if one.id == name)
    ranges = [{**RANGES[0], "first": at, "last": at}, RANGES[1]]
    passed = judged(repeating.check_processed_twice, {PLACE: 4}, ranges=ranges)[1]
    assert not passed["listed_as_processed_twice"]


@pytest.mark.parametrize(("commit", "known"), [(3, True), (4, False)])
def test_what_is_not_listed_lies_at_or_beyond_the_last_commit(judged, commit, known):
    data, passed = judged(repeating.check_processed_twice, {PLACE: commit}, ranges=RANGES[:1])
    assert (passed["unlisted_beyond_last_commit"], data["unlisted_reprocessed"]) == (known, 1)


def test_order_is_kept_but_for_what_was_salvaged(judged):
    assert judged(repeating.check_order)[1] == {"order_kept": True}
    swapped = [LOG[1], LOG[0], *LOG[2:]]
    assert judged(repeating.check_order, logs=(LOG, swapped))[1] == {"order_kept": False}
    assert judged(repeating.check_order, logs=(swapped, LOG))[1] == {"order_kept": False}
    rows = [BEFORE[1], BEFORE[0], *BEFORE[2:], *AFTER]
    assert judged(repeating.check_order, rows=rows)[1] == {"order_kept": False}
    twice = [*LOG, Held(6, "a", False)]
    assert judged(repeating.check_order, logs=(twice, twice))[1] == {"order_kept": True}
    unmarked = [*LOG[:4], Held(5, "e", False)]
    assert judged(repeating.check_order, logs=(unmarked, unmarked))[1] == {"order_kept": False}
