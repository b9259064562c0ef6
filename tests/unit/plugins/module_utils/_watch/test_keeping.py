# SPDX-License-Identifier: GPL-3.0-or-later
"""A writer that lost its transaction tells why."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError, TimedOutError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.producing import FencedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import keeping


class Fenced:
    """A producer whose transaction another one, or the broker, has ended."""

    def begin_transaction(self):
        pass

    def commit_transaction(self):
        raise FencedError("Cannot commit", found="fenced")


@pytest.mark.parametrize(
    ("clocks", "error"),
    [
        ([(0, 1000), (19, 1019)], RefusedError),
        ([(0, 1000), (45, 1045)], TimedOutError),
        # The machine slept.
        ([(0, 1000), (1, 1045)], TimedOutError),
        ([(0, 1000), (1, 400)], RefusedError),
    ],
)
def test_a_round_that_the_broker_gave_up_is_not_taken_for_another_watch(monkeypatch, clocks, error):
    keeper = keeping.Keeper.__new__(keeping.Keeper)
    keeper.mirror, keeper.producer = "m", Fenced()
    monkeypatch.setattr(keeping, "_clocks", iter(clocks).__next__, raising=False)
    with pytest.raises(error):
        keeper.write([])
