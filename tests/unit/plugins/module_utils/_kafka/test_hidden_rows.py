# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of Connect's offsets topic that are not to be seen, or that come while it is read."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka import mm2_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec_connect import (
    SOURCE_CONNECTOR,
    SourceOffset,
    encode_source_offset,
)

KEY = ("t", 0)


class Message:
    def __init__(self, place, key, value):
        self.offset, self.key, self.value = lambda: place, lambda: key, lambda: value
        self.timestamp = lambda: (1, place)


@pytest.fixture
def topic(monkeypatch):
    """A partition with a row for each offset that was copied; ``bounds`` are those of each time they are asked for."""

    def begun(offsets, *bounds):
        answers = iter([{0: {"start": 0, "stable": stable, "end": end}} for stable, end in bounds])
        rows = [
            Message(place, *encode_source_offset(SourceOffset(SOURCE_CONNECTOR, "a", *KEY, offset)))
            for place, offset in enumerate(offsets)
        ]
        monkeypatch.setattr(mm2_topics, "_bounds", lambda *dummy: next(answers))
        monkeypatch.setattr(mm2_topics, "read", lambda dummy, ranges, timeout: [(0, rows[ranges[0][2] : ranges[0][3]])])
        return mm2_topics.read_source_offsets(SimpleNamespace(timeout=1, name="b"), "offsets", "a")

    return begun


def test_rows_behind_an_open_transaction_are_hidden(topic):
    assert topic([1, 2, 3], (1, 3))["hidden"] == {KEY}
    assert topic([1, 2, 3], (3, 3))["hidden"] == set()


def test_a_row_that_comes_while_it_is_read_is_no_control_record(topic):
    assert not topic([1, 2], (2, 2), (3, 3))["transactional"]
    assert topic([1, 2], (3, 3))["transactional"]
