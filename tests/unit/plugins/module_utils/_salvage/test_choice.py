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
