# SPDX-License-Identifier: GPL-3.0-or-later
"""What counts as never copied, what as expired in the copy, and of what nobody knows. Whole comparisons in memory."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest import chunks
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import second_pass, sides
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage import spans
from tests.support.chosen import chosen
from tests.support.compared import DAY, NOW, Side, copied, judged, log

WEEK = {"retention.ms": str(7 * DAY)}
YOUNG = log(range(500))


@pytest.fixture(autouse=True)
def in_memory(monkeypatch):
    monkeypatch.setattr(chunks, "MASK", 0x3)
    monkeypatch.setattr(sides, "open_side", lambda spec: spec["side"])
    monkeypatch.setattr(second_pass, "now_ms", lambda: NOW)


@pytest.mark.parametrize(
    ("size", "expired", "unsure", "why"),
    [
        (9000, 200, 0, "were copied, and are not salvaged"),
        (8999, 0, 200, "its retention does not explain that they are gone"),
        (None, 0, 200, "no broker tells how large its log is"),
    ],
)
def test_a_limit_by_size_explains_nothing_where_nobody_tells_the_size(monkeypatch, size, expired, unsure, why):
    """The copy was made again: what is gone before its offset 200 was the former topic's."""
    told = {} if size is None else {("t", 0): size}
    monkeypatch.setattr(second_pass, "log_sizes_on", lambda side, partitions: told)
    limited = {**WEEK, "retention.bytes": "9000"}
    target = Side(copied(YOUNG[200:300], first=200), "target", start=200, **limited)
    choice = chosen(Side(YOUNG, "source", **WEEK), target, end=300, through=300)
    assert (spans.count(choice.wanted), choice.expired, choice.unsure) == (400 - expired, expired, unsure)
    assert len(choice.reasons) == 1 and why in choice.reasons[0]
    # A proof of what the source limits by size reckons, as it did.
    report, part = judged(Side(YOUNG[:300], "source", **limited), target)
    assert report["verdict"] == ("LOSS" if size == 8999 else "PROVEN"), part


STAMPED = {"message.timestamp.type": "LogAppendTime"}
# A host that says the same again and again; eight days old at first.
ALIKE = log([7] * 1000, time=lambda at: NOW - (8 * DAY if at < 400 else DAY // 24) + at)


@pytest.mark.parametrize(
    ("start", "config", "wanted", "expired", "unsure"),
    [
        (400, {}, 0, 400, 0),
        # Which of them are gone cannot be told: all had been copied, and those that retention took count as lost.
        (400, STAMPED, 400, 0, 400),
        (0, STAMPED, 0, 0, 0),
    ],
)
def test_what_looks_alike_where_no_times_are_kept_is_not_known_to_be_lost(start, config, wanted, expired, unsure):
    target = Side(ALIKE[start:], "target", start=start, **WEEK, **config)
    choice = chosen(Side(ALIKE, "source", **WEEK), target, end=1000, through=1000)
    assert (spans.count(choice.wanted), choice.expired, choice.unsure) == (wanted, expired, unsure)
    assert not unsure or "does not keep records' times" in choice.reasons[-1]


@pytest.mark.parametrize(("start", "unsure"), [(0, 0), (400, 100)])
def test_nor_beyond_what_is_known_to_have_been_copied(start, unsure):
    """That is a lower bound. Where the log still has its begin, what it lacks is behind its end."""
    target = Side(ALIKE[start:900], "target", start=start, **WEEK, **STAMPED)
    choice = chosen(Side(ALIKE[start:], "source", start=start, **WEEK), target, end=900, through=800)
    assert (spans.count(choice.wanted), choice.unsure) == (100, unsure)
