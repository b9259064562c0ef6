# SPDX-License-Identifier: GPL-3.0-or-later
"""A move that was made while the ledger of its region was lost, or an older one: another history, which no number of an
epoch shows.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.epochs import NOWHERE, stories
from tests.unit.plugins.module_utils._ledger.test_epochs import Ledgers, active


def round_trips(number):
    """Regions a and b whose applications went from a to b and home, so many times; a works."""
    ledgers = Ledgers("a", "b")
    for dummy in range(number):
        ledgers.move("b", "b")
        ledgers.move("a", "a")
    assert active(ledgers.look("b")) == ("a", 2 * number)
    return ledgers


@pytest.mark.parametrize(("trips", "kept"), [(1, 0), (2, 0), (2, 2)], ids=["deleted", "deleted later", "put back"])
@pytest.mark.parametrize("accepted", ["a", "b"])
def test_a_move_that_knew_too_little_is_split_brain_until_a_person_decides(trips, kept, accepted):
    ledgers = round_trips(trips)
    ledgers.entries["b"] = ledgers.entries["b"][:kept]
    ledgers.away = {"a"}
    ledgers.move("b", "b")
    ledgers.away = set()
    for here in "ab":
        (conflict,) = ledgers.look(here)["conflicts"]
        assert conflict["epoch"] == kept + 1 and {story["region"] for story in conflict["stories"]} == {"a", "b"}
        assert "a since" in stories([conflict]) and "b since" in stories([conflict])
    ledgers.move(accepted, accepted, accepted=accepted)
    for here in "ab":
        said = ledgers.look(here)
        assert not said["conflicts"] and active(said)[0] == accepted
    ledgers.move("b", "b")
    ledgers.move("a", "a")
    assert not ledgers.look("b")["conflicts"]


def test_a_move_that_names_the_region_that_counts_is_no_other_history():
    ledgers = round_trips(1)
    ledgers.move("b", "b")
    ledgers.entries["b"] = []
    ledgers.away = {"a"}
    ledgers.move("b", "b")
    ledgers.away = set()
    assert not ledgers.look("a")["conflicts"], "b works, whichever ledger is asked"


def test_a_restore_that_was_begun_beside_another_one_leads_nobody_anywhere():
    ledgers = Ledgers("a", "b", "c")
    ledgers.move("b", "a")
    ledgers.away = {"a", "c"}
    ledgers.move("b", "none")
    ledgers.away = {"a", "b"}
    ledgers.move("c", "none")
    ledgers.move("c", "a")
    ledgers.away = {"a"}
    assert active(ledgers.look("b")) == ("a", 3) and not ledgers.look("b")["conflicts"]


def test_mirrors_that_are_set_up_at_the_same_time_share_a_history():
    ledgers = Ledgers("a", "b", "c")
    for here in "bc":
        ledgers.write(here, "a", epoch=1, epoch_from=NOWHERE, stage="initial_setup")
    ledgers.away = {"a", "c"}
    ledgers.move("b", "b")
    ledgers.away = set()
    assert not ledgers.look("c")["conflicts"] and active(ledgers.look("c"))[0] == "b"
