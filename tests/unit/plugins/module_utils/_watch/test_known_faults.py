# SPDX-License-Identifier: GPL-3.0-or-later
"""What was accepted is not named again when it is read again, and excuses nothing else that becomes of the record."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import judging
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.known import unknown
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Difference
from tests.support.scrubbing_in_memory import LOG, Log, Scrub

# Added to a value: the record has other headers, or another value.
HEADERS, VALUE = 1_000_000, 10_000


class FieldLog(Log):
    """A log of which the fields can be read."""

    def records(self, topic, partition, ranges, keep="fields", **more):
        found = super().records(topic, partition, ranges, **more)
        for part in found if keep == "fields" else ():
            values = part.content
            part.headers, part.value, part.key = values // HEADERS, values % HEADERS, values % VALUE
        return found


def fault(kind, source, target, count=1, field=None):
    return Difference("t", 0, 0, kind, source, target, None, field, count, 1)


def accepted(monkeypatch, target, portion=1000, source=LOG):
    """A copy whose differences were all explained."""
    scrub = Scrub(monkeypatch, source, target, portion)
    for found in list(scrub.track.faults):
        scrub.track.accept(found)
    return scrub


@pytest.mark.parametrize("portion", [7, 25, 1000])
def test_a_record_that_moved_and_was_destroyed_since_is_named(monkeypatch, portion):
    scrub = accepted(monkeypatch, [*LOG[:20], LOG[21], LOG[20], *LOG[22:]], portion)
    assert [(row.kind, row.count) for row in scrub.told] == [("reordered", 1)]
    assert scrub.day() == []
    moved = scrub.told[0]
    scrub.target.log[moved.target_offset] = 900
    assert sorted(row[0] for row in scrub.day()) == ["foreign", "missing"]


@pytest.mark.parametrize("fields", [4, 100_000])
def test_other_headers_excuse_no_other_value(monkeypatch, fields):
    monkeypatch.setattr(judging, "FIELDS", fields)
    scrub = accepted(monkeypatch, LOG)
    scrub.source, scrub.target = FieldLog(list(LOG)), FieldLog(list(LOG))
    scrub.scrubber.source, scrub.scrubber.target = scrub.source, scrub.target
    scrub.target.log[20] += HEADERS
    assert [row[:3] for row in scrub.day()] == [("altered", 20, 20)]
    scrub.told = list(scrub.track.found)
    assert scrub.told[0].field == "headers,timestamp"
    scrub.track.accept(scrub.told[0])
    assert scrub.day() == []
    scrub.target.log[20] += VALUE - HEADERS
    assert [(row[0], row[1], row[2]) for row in scrub.day()] == [("altered", 20, 20)]
    assert scrub.track.faults[0].field == "value,timestamp"


def test_what_is_copied_again_at_the_end_is_a_further_copy(monkeypatch):
    scrub = accepted(monkeypatch, [*LOG[:20], *LOG[23:], *LOG[20:23]])
    assert scrub.day() == [] and scrub.track.part.scrubbed


@pytest.mark.parametrize(
    ("found", "before", "left"),
    [
        (fault("reordered", 20, 21), [fault("reordered", 20, 21)], []),
        (fault("missing", 20, None), [fault("reordered", 20, 21)], [0]),
        (fault("foreign", None, 21), [fault("reordered", 20, 21)], [0]),
        (fault("reordered", 20, 21), [fault("reordered", 20, 30)], [0]),
        (fault("missing", 20, None), [fault("altered", 20, 20, field="headers")], [0]),
        (fault("altered", 20, 20, field="headers"), [fault("altered", 20, 20, field="headers")], []),
        (fault("altered", 20, 20, field="value"), [fault("altered", 20, 20, field="headers")], [0]),
        (fault("altered", 20, 20, field="value"), [fault("altered", 20, 20, field="value,headers")], [0]),
        (fault("altered", 20, 20, field="value,timestamp"), [fault("altered", 20, 20, field="content")], [0]),
        # Of what was read without its fields, all of them were told to be others.
        (fault("altered", 20, 20, field="key,value"), [fault("altered", 20, 20, field="content")], []),
        # Which of them it is cannot be told this time; its timestamp can.
        (fault("altered", 20, 20, field="content"), [fault("altered", 20, 20, field="value")], []),
        (fault("altered", 20, 20, field="content"), [fault("altered", 20, 20, field="value,headers")], []),
        (fault("altered", 20, 20, field="content"), [fault("altered", 20, 20, field="value,timestamp")], [0]),
        (fault("altered", 20, 20, field="content"), [fault("altered", 20, 20, field="timestamp")], [0]),
        (fault("altered", 20, 20, field="timestamp"), [fault("altered", 20, 20, field="content")], [0]),
        # A record that the target lacks, and one of nobody.
        (fault("missing", 20, None, 5), [fault("missing_tail", 22, None, 2)], [0, 1, 4]),
        (fault("foreign", None, 20, 5), [fault("aborted", None, 18, 3), fault("foreign", None, 24, 9)], [1, 2, 3]),
        (fault("altered", 20, 30, 3, "value"), [fault("missing", 20, None, 2), fault("foreign", None, 31, 2)], [0, 2]),
        (fault("reordered", 20, 30, 3), [fault("missing", 21, None)], [0, 2]),
        (fault("reordered", 20, 30), [fault("foreign", None, 30)], [0]),
        (fault("altered", 20, 20, 4, "key"), [fault("altered", 21, 21, 2, "key"), fault("missing", 20, None)], [0, 3]),
    ],
)
def test_only_what_was_told_of_both_offsets_is_known(found, before, left):
    assert unknown(found, before).nonzero()[0].tolist() == left
