# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirror that is not exactly once notes late how far it copied: what the copy holds is not lost."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.comparison import Options
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import closed_report
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed, WatchState
from tests.unit.plugins.module_utils._watch.test_never_copied import PLACE, proven


@pytest.mark.parametrize(
    ("beyond", "mirrored", "lost", "reason"),
    [
        (900, 100, 0, "900 records that the copy holds beyond"),
        (300, 100, 600, "300 records that the copy holds beyond"),
        (1200, 100, 0, "900 records that the copy holds beyond"),
        # What it had noted explains as many of them.
        (300, 400, 600, "300 offsets that it had not read"),
        (500, 400, 400, "200 records that the copy holds beyond"),
    ],
)
def test_what_the_copy_holds_beyond_is_not_lost_and_not_shown(beyond, mirrored, lost, reason):
    found = proven(None, mirrored=mirrored, source_end=1000, beyond=beyond)
    assert found[:2] == ("NOT_PROVABLE", lost) and reason in found[2]


@pytest.mark.parametrize("more", [{}, {"source_end": 1000, "source": 100}])
def test_where_no_more_had_been_seen_it_is_the_tail_of_the_last_seconds(more):
    verdict, lost, reasons = proven(None, beyond=7, **more)
    assert (verdict, lost) == ("PROVEN", 0) and "holds beyond" not in reasons


def test_the_records_that_windows_held_are_named_all_the_same(monkeypatch):
    rows = [[130, "00", 1], [131, "00", 1]]
    monkeypatch.setattr(closed_report, "_lost", lambda *words: rows)
    part = Confirmed("orders", "s", "t", read=132, source_end=140)
    options = Options("orders", bounds={"mirrored_through": {"orders": {"0": 130}}})
    closing = cast(
        Any, SimpleNamespace(state=WatchState("m", partitions={PLACE: part}), topics=["orders"], options=options)
    )
    found = {"partition": 0, "lost": 2 + 8 - 5, "beyond": 5}
    closed_report._name_proven(closing, "orders", found)
    assert (found["lost_records"], found["lost_records_left_out"]) == (rows, 3)
