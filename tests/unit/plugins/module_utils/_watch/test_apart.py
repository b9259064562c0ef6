# SPDX-License-Identifier: GPL-3.0-or-later
"""A source that is lost after its retention had passed the watch: the last matched pair tells nothing of the rest."""

from __future__ import annotations

import pytest

from tests.support.closed_in_memory import closed
from tests.support.following import PLACE
from tests.support.rounds_in_memory import Rounds

LOG = list(range(1000, 1400))


def passed(copied):
    """Rounds over 100 equal records, before the source gets 150 more, of which it deletes 100 that nobody read."""
    rounds = Rounds(LOG[:100], LOG[:100])
    rounds.round()
    rounds.source += LOG[100:250]
    rounds.target += LOG[100:copied]
    rounds.starts[0] = 200
    return rounds


def test_copies_that_were_not_looked_at_when_retention_passed_are_not_foreign(monkeypatch):
    rounds = passed(230)
    whole = rounds.ends

    def without_target():
        found = whole()
        found.target.pop(PLACE)
        return found

    rounds.ends = without_target
    rounds.round()
    assert rounds.part.begins is None
    verdict, counts, standing = closed(monkeypatch, rounds, 230)
    assert (verdict, counts) == ("PROVEN", {"lost": 20, "beyond": 100})
    assert standing.doubts == {PLACE: ["100 records were never compared"]}


@pytest.mark.parametrize("restarted", [False, True])
def test_nor_are_copies_that_came_later(monkeypatch, restarted):
    rounds = passed(180)
    rounds.round()
    rounds.target += LOG[200:230]
    if restarted:
        rounds.open()
    verdict, counts, standing = closed(monkeypatch, rounds, 230)
    assert (verdict, counts) == ("PROVEN", {"lost": 20})
    assert standing.doubts == {PLACE: ["100 records were never compared"]}
