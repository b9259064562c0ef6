# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is written, copied, copied twice, deleted and unknown between rounds: what is kept agrees with itself and
with both logs, and no partition is stopped or blamed.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import windows
from tests.support.following import PLACE
from tests.support.rounds_in_memory import Rounds

SIDES = ("source", "target")
STEPS = st.one_of(
    st.tuples(st.sampled_from(["write", "copy", "copy again", "expire source", "expire target"]), st.integers(1, 9)),
    st.tuples(
        st.sampled_from([f"{look} {side}" for look in ("know", "lose", "set back") for side in SIDES]),
        st.integers(1, 5),
    ),
    st.tuples(st.sampled_from(["look", "look and note", "restart"]), st.just(0)),
)


class World:
    """Two logs, a mirror, retention, and a watch that looks at them."""

    def __init__(self) -> None:
        self.rounds, self.values, self.copied = Rounds([], []), count(1000), 0
        self.seen: dict[str, Any] = dict.fromkeys(SIDES, "whole")
        self.whole, self.rounds.ends = self.rounds.ends, self.ends

    def ends(self) -> Any:
        found, track = self.whole(), self.rounds.track
        for side, read in (("source", track.part.read), ("target", track.target_read)):
            for known in (getattr(found, side), getattr(found, f"{side}_high")):
                if self.seen[side] is None:
                    known.pop(PLACE, None)
                elif self.seen[side] != "whole":
                    known[PLACE] = max(0, read - self.seen[side])
        return found

    def step(self, what: str, number: int) -> None:
        rounds, (verb, dummy, side) = self.rounds, what.rpartition(" ")
        if what == "write":
            rounds.source += [next(self.values) for dummy in range(number)]
        elif what == "copy":
            first = max(self.copied, rounds.starts[0])
            rounds.target += rounds.source[first : first + number]
            self.copied = max(self.copied, min(first + number, len(rounds.source)))
        elif what == "copy again":
            # What the mirror copies once more is still in the source.
            rounds.target += rounds.source[max(self.copied - number, rounds.starts[0]) : self.copied]
        elif what == "expire source":
            rounds.starts[0] = min(self.copied, rounds.starts[0] + number)
        elif what == "expire target":
            rounds.starts[1] = min(len(rounds.target), rounds.starts[1] + number)
        elif what == "restart" and rounds.kept.rows:
            rounds.open()
        elif side in SIDES:
            self.seen[side] = {"know": "whole", "lose": None, "set back": number}[verb]
        elif what.startswith("look"):
            rounds.through = self.copied if what == "look and note" and self.seen["target"] == "whole" else None
            rounds.round()
            self.check()

    def check(self) -> None:
        """What was kept by this round."""
        rounds, state = self.rounds, self.rounds.kept.state()
        part = state.partitions[PLACE]
        assert part.stopped is None and not rounds.track.faults, (part.stopped, rounds.track.faults)
        held = windows.records(PLACE, part, state.windows.get(PLACE, []))
        assert held.offset.tolist() == list(range(part.examined[0], part.read))
        assert held.content.tolist() == rounds.source[part.examined[0] : part.read]
        if part.begins is not None:
            proven = rounds.source[part.begins[0] : part.through[0]]
            assert {*proven} <= {*rounds.target[part.begins[1] : part.through[1]]}


@settings(max_examples=1000)
@given(st.lists(STEPS, min_size=3, max_size=25))
def test_what_is_kept_agrees_with_itself_and_with_both_logs(steps: list[tuple[str, int]]) -> None:
    world = World()
    for what, number in steps:
        world.step(what, number)
