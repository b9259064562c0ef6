# SPDX-License-Identifier: GPL-3.0-or-later
"""The judgement of what a watch said of whole logs that a campaign spoiled, by the journal of what was written, and by
what a plain consumer reads of both sides at the end.
"""

from __future__ import annotations

from tests.real.proof.support import read_back

from .planting_logs import topic_id

LOST = {"missing", "missing_tail", "altered"}
STRANGE = {"foreign", "altered"}


class StoryOracle:
    """Judges one story, once both sides are at rest.

    :ivar sides: ``({offset: value}, {offset: value})``: what the source was given and has not lost in a cut, and what
        the target has.
    :ivar faults: the offsets of either side whose records the other one does not have.
    """

    def __init__(self, pair, story):
        self.story, self.place = story, story.place
        found = {side: read_back(cluster, [story.place])[story.place] for side, cluster in pair.items()}
        self.ids = tuple(topic_id(pair[side], story.place[0]) for side in ("source", "target"))
        left, right = ({offset: row[1] for offset, row in found[side].items()} for side in ("source", "target"))
        assert left.items() <= story.rows.items(), f"{story}: the source has other records than were written: {left}"
        self.sides = story.rows, right
        self.faults = tuple(
            {offset for offset, value in mine.items() if value not in set(others.values())}
            for mine, others in ((story.rows, right), (right, story.rows))
        )

    def ended(self, state):
        """Whether the watch has nothing left to say."""
        part = state.partitions.get(self.place)
        if part is None or part.stopped or self.story.proven is not None:
            return part is not None and part.stopped is not None
        ends = [max(side) + 1 for side in self.sides]
        return (part.source_id, part.target_id) == self.ids and not part.waiting and _reach(part.examined, ends)

    def wrongs(self, states):
        """What the watch said wrongly or not at all, in words; the last state is the one to end with."""
        part = states[-1].partitions[self.place]
        found = [
            f"round {state.round}: {text}"
            for state in states
            for text in self._passed(state, state.partitions.get(self.place))
        ]
        if (part.source_id, part.target_id) != self.ids:
            found.append("the topics are not those that there are")
        if self.story.former.keys() - {*part.former_ids}:
            found.append(f"not known as former topics: {self.story.former}")
        if self.story.former and not any("begun anew" in note for note in part.notes):
            found.append("nothing was noted of a topic that was made again")
        if (self.story.proven is None) != (part.stopped is None):
            found.append(f"stopped: {part.stopped}")
        if part.stopped is None:
            found += [*self._unnamed(states[-1], part), *self._unlike(states[-1], part)]
        elif self._named(states[-1]):
            # All had been proven, and then nothing more is compared.
            found.append(f"named of a log that lost its end: {self._named(states[-1])}")
        return [f"{self.story.kind} {self.place} ({self.story.words}): {text}" for text in found]

    def _passed(self, state, part):
        """Faults within what a state takes for proven, though nobody accepted them."""
        if part is None or part.begins is None:
            return
        if self.story.proven is not None:
            if not _reach(self.story.proven.through, part.through):
                yield f"{part.through} is proven of a log that lost its end at {self.story.proven.through}"
            return
        if part.source_id in self.story.former:
            lost, listed = (self.story.former[part.source_id], set()), None
        elif part.source_id == self.ids[0]:
            lost, listed = self.faults, self.sides
        else:
            yield f"{part.source_id} was never a topic's id"
            return
        accepted = [row for row in self._named(state) if row.accepted]
        for side in (0, 1):
            # Offsets of the target say nothing while it was another topic.
            if side == 0 or part.target_id == self.ids[1]:
                known = set().union(*(_covered(row, listed)[side] for row in accepted))
                passed = {offset for offset in lost[side] if part.begins[side] <= offset < part.through[side]} - known
                if passed:
                    yield f"proven from {part.begins} through {part.through}, with the faults {sorted(passed)}"

    def _named(self, state):
        """Differences of the logs that there are now."""
        return [row for row in state.standing_differences() if (row.topic, row.partition) == self.place]

    def _unnamed(self, state, part):
        """Faults that are not named, nor counted as never compared; and what is named without being one."""
        named = self._named(state)
        for side, kinds in ((0, LOST), (1, STRANGE)):
            known = set().union(*(_covered(row, self.sides)[side] for row in named if row.kind in kinds))
            left = self.faults[side] - known
            before = {offset for offset in left if part.begins is None or offset < part.begins[side]}
            if left - before:
                yield f"{'source' if side == 0 else 'target'}: not named: {sorted(left - before)}"
            if len(before) > (part.unproven if side == 0 else part.older):
                yield f"{len(before)} records lie before what was compared, and it counts {part.unproven}, {part.older}"
        for row in named:
            covered = _covered(row, self.sides)
            if not covered[0] | covered[1] or covered[0] - self.faults[0] or covered[1] - self.faults[1]:
                yield f"nobody planted {row}"

    def _unlike(self, state, part):
        """Where nothing was accepted: what is proven is on the target in order, and only further copies besides."""
        if part.begins is None or self._named(state):
            return
        left, right = (
            [value for offset, value in sorted(side.items()) if begin <= offset < end]
            for side, begin, end in zip(self.sides, part.begins, part.through, strict=True)
        )
        copies = iter(right)
        if not all(value in copies for value in left) or not {*right} <= {*self.sides[0].values()}:
            yield f"not equal from {part.begins} through {part.through}"
        if part.through != part.examined:
            yield f"nothing differs, and {part.through} is proven of {part.examined}"


def _reach(offsets, ends):
    return all(offset >= end for offset, end in zip(offsets, ends, strict=True))


def _covered(row, sides):
    """Offsets of both sides that a difference names: so many records from its offset on.

    :param sides: as of the oracle; None where only offsets are known.
    """
    found = []
    for side, offset in enumerate((row.source_offset, row.target_offset)):
        if offset is None:
            found.append(set())
        elif sides is None:
            found.append({*range(offset, offset + row.count)})
        else:
            found.append({*sorted(known for known in sides[side] if known >= offset)[: row.count]})
    return found
