# SPDX-License-Identifier: GPL-3.0-or-later
"""What lay behind a transaction that was open at the source is read by nobody: a proof after a loss says that."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.reasons import GONE, HIDDEN_COPY, LEADERLESS
from tests.unit.plugins.module_utils._watch.test_never_copied import proven


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, "up to 900 offsets from 100 on"),
        # What the watch had seen and not read counts by itself.
        ({"source_end": 300, "read": 300, "through": (300, 300)}, "up to 700 offsets from 300 on"),
        # A mirror that reads uncommitted records, or the source went on since.
        ({"mirrored": 400}, "up to 600 offsets from 400 on"),
        ({"mirrored": None}, "up to 900 offsets from 100 on"),
        ({"source": 250}, "up to 150 offsets from 100 on"),
    ],
)
@pytest.mark.parametrize(("reason", "looked"), [(None, None), (LEADERLESS, 30), (HIDDEN_COPY, 30)])
def test_what_lay_behind_an_open_transaction_is_named_and_not_counted(reason, looked, more, expected):
    """Producers that are exactly once have one open in most rounds, and what is not committed is not lost."""
    verdict, lost, reasons = proven(reason, looked, **{"source_high": 1000, **more})
    assert (verdict, lost) == ("PROVEN", 0)
    assert f"{expected} lay behind a transaction" in reasons and "in no count" in reasons


def test_it_is_named_beside_what_was_seen_and_not_read():
    verdict, lost, reasons = proven(None, source_end=400, source_high=1000)
    assert (verdict, lost) == ("PROVEN", 300) and "up to 600 offsets from 400 on lay behind" in reasons


@pytest.mark.parametrize("more", [{}, {"source_high": 1000, "source": 100}, {"source_high": 1000, "mirrored": 1000}])
def test_where_none_was_open_nothing_is_said_of_it(more):
    assert "transaction" not in proven(None, **more)[2]


def test_of_a_topic_that_its_owner_deleted_it_is_not_provable():
    assert proven(GONE, 30, source_high=1000)[0] == "NOT_PROVABLE"
