# SPDX-License-Identifier: GPL-3.0-or-later
"""What is committed with a position is what was committed with that very one."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.groups import Position
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.plan import metadata_of

WITNESSED = Position(5, "witness", 1.0, "of five")
CHECKPOINT = Position(900, "checkpoint", 2.0, "of nine hundred", WITNESSED)


@pytest.mark.parametrize(("origin", "text"), [("witness", "of five"), ("checkpoint", "of nine hundred")])
def test_the_text_is_that_of_the_position_that_the_row_goes_by(origin, text):
    row = {"group": "g", "topic": "t", "target_topic": "a.t", "partition": 0, "position_from": origin}
    assert metadata_of([row], {"g": {("t", 0): CHECKPOINT}}) == {"g": {("a.t", 0): text}}
