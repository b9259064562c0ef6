# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a round reads, and what is known then."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import portion
from tests.support.following import follow


class NoReader:
    """Nothing is new for it."""

    def read(self, wanted, starts):
        return {}


@pytest.mark.parametrize(("end", "whole"), [(60, True), (64, False)])
@pytest.mark.parametrize("full", [False, True])
def test_a_target_that_is_not_read_to_its_end_lacks_nothing_yet(monkeypatch, end, whole, full):
    track = follow(list(range(100, 160)), list(range(100, 160))).track
    monkeypatch.setattr(portion, "AHEAD", 0 if full else 9)
    monkeypatch.setattr(portion, "BATCH", 2)
    monkeypatch.setattr(portion, "_share", lambda unread: 2)
    portions = portion.Portions.__new__(portion.Portions)
    portions.readers, portions.doubted, portions._back = {"target": NoReader()}, {}, {}
    portions._verified, portions._moving = {}, set()
    ends = portion.Ends({}, {}, {track.copy: end}, {}, {}, {})
    portions._read_target([track], ends)
    assert (track.target_whole, track.target_read_whole) == (whole, whole or full)
