# SPDX-License-Identifier: GPL-3.0-or-later
"""A partition and its copy as MirrorMaker 2 makes one, with the true map kept: what translation is measured against.

The mirror copies batches. Exactly-once, each batch ends in a control record; otherwise a restart begins at an earlier
record and copies again. Offset syncs follow ``OffsetSyncWriter`` (first of a life, after a gap, every ``lag_max``
records, and the delayed at a flush); any may be superseded before it is written, and the log of syncs may have lost its
beginning.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.evidence import Evidence
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.outline import Outline
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.scan import Scan
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.spans import spans_to_read


@dataclass
class History:
    """``source``: {offset: content}; ``target``: [(offset, source offset or None for others' records, content)];
    ``syncs``: pairs as written.
    """

    exactly_once: bool
    source: dict
    source_end: int
    target: list = field(default_factory=list)
    target_end: int = 0
    syncs: list = field(default_factory=list)
    mirror_end: int = 0
    reset: bool = False
    mixed: bool = False
    flushed: int = 0
    source_start: int = 0
    target_start: int = 0
    everything: dict = field(default_factory=dict)
    compacted: set = field(default_factory=set)

    def truth(self, position):
        """The highest target offset such that each copied record from the position on has a copy at or after it."""
        last = {
            upstream: offset for offset, upstream, dummy in self.target if upstream is not None and upstream >= position
        }
        others = [offset for offset, upstream, dummy in self.target if upstream is None]
        return min([*last.values(), *others], default=self.target_end)

    def loses(self, position, answer):
        """Whether a consumer that begins at ``answer`` misses a record, told by content: as many equal ones have to
        come as are due.

        What compaction took from the source is not due; what retention took there, but not from the target, is.
        """
        due, come = {}, {}
        for upstream in self._due(position):
            content = self.everything[upstream]
            due[content] = due.get(content, 0) + 1
        for dummy, upstream, content in self.target:
            if upstream is None:
                due[content] = due.get(content, 0) + 1
        for offset, dummy, content in self.target:
            if offset >= answer:
                come[content] = come.get(content, 0) + 1
        return any(come.get(content, 0) < count for content, count in due.items())

    def _due(self, position):
        """Source offsets that are copied and due; records of others are due one by one."""
        upstreams = {
            upstream for dummy, upstream, dummy2 in self.target if upstream is not None and upstream >= position
        }
        return upstreams - self.compacted

    def repeated(self, position, answer):
        """Records before the position between the answer and the truth."""
        truth = self.truth(position)
        return sum(
            1
            for offset, upstream, dummy in self.target
            if upstream is not None and upstream < position and answer <= offset < truth
        )


@st.composite
def histories(draw):
    """A :class:`History`. The shape is drawn, so that it shrinks; the records come from a seeded generator, so that
    thousands take seconds.
    """
    shape = Shape(
        exactly_once=draw(st.booleans()),
        records=draw(st.integers(0, 60)),
        lives=draw(st.integers(1, 3)),
        contents=draw(st.sampled_from([2, 1 << 40])),
        gaps=draw(st.sampled_from([(1,), (1, 1, 1, 2), (1, 2), (1, 1, 1, 1, 9)])),
        lag_max=draw(st.sampled_from([0, 2, 5, 100])),
        superseded=draw(st.sampled_from([0, 0, 0.1, 0.3, 0.8])),
        kept=draw(st.sampled_from(["all", "all", "some", "last"])),
        expired=draw(st.sampled_from([0, 0, 0.5])),
        source_expired=draw(st.sampled_from([0, 0, 0.5, 1])),
        compacted=draw(st.sampled_from([0, 0, 0, 0.4])),
        cut_short=draw(st.booleans()),
        reset=draw(st.sampled_from([False, False, True])),
        foreign=draw(st.sampled_from([0, 0, 0, 3])),
        without=draw(st.sampled_from([0, 0, 1, 2])),
        cleaned=draw(st.sampled_from([0, 0, 0, 0.5, 1])),
        keys=draw(st.sampled_from([1, 3, 10, 50])),
    )
    if shape.reset:
        shape.superseded = 0
    return build(shape, random.Random(draw(st.integers(0, 1 << 30))))


@dataclass
class Shape:
    """What a history is to be like; fractions from 0 to 1."""

    exactly_once: bool = True
    records: int = 60
    lives: int = 1
    contents: int = 1 << 40
    gaps: tuple = (1,)
    lag_max: int = 100
    superseded: float = 0
    kept: str = "all"
    expired: float = 0
    source_expired: float = 0
    compacted: float = 0
    cut_short: bool = False  # the last life ends soon
    reset: bool = False  # an exactly-once mirror whose offsets were set back between lives
    foreign: int = 0  # records of others behind the copies
    without: int = 0  # lives before the mirror became exactly-once
    cleaned: float = 0  # of the target, by compaction
    keys: int = 10


def build(shape, dice):
    """A :class:`History` of that shape; ``dice`` is a ``random.Random``."""
    source, offset = {}, dice.choice([0, 0, 7])
    for dummy in range(shape.records):
        source[offset] = dice.randrange(shape.contents)
        offset += dice.choice(shape.gaps)
    history = History(shape.exactly_once, source, offset, everything=dict(source))
    _mirror(shape, dice, history, sorted(source))
    _age(shape, dice, history)
    return history


class _Syncs:
    """The offset syncs that one life of a mirror writes, as ``OffsetSyncWriter`` decides."""

    def __init__(self, shape, dice, history):
        self._shape, self._dice, self._history = shape, dice, history
        self._last = self._previous = self.delayed = None

    def copied(self, upstream, end):
        """The record at ``upstream`` was copied to ``end``."""
        first = self._last is None
        due = first or end - (self._last + 1) >= self._shape.lag_max or upstream != self._previous + 1
        self._previous = upstream
        if not due:
            self.delayed = (upstream, end)
            return
        written = self._dice.random() >= self._shape.superseded or (first and self._history.reset)
        self._last, self.delayed = end, None
        if written:
            self._history.syncs.append((upstream, end))

    def write_delayed(self):
        """Write the sync that was put off, if there is one."""
        if self.delayed is not None:
            self._history.syncs.append(self.delayed)
            self.delayed = None


def _mirror(shape, dice, history, offsets):
    at = flushed = 0
    end = history.target_start = dice.choice([0, 0, 5])
    history.mixed = history.exactly_once and bool(shape.without)
    for life in range(shape.lives):
        in_transactions = history.exactly_once and life >= shape.without
        if life and (not history.exactly_once or life <= shape.without):
            at = flushed
        if life and history.exactly_once and shape.reset:
            at = flushed = dice.randint(0, at)
            history.reset = True
        syncs = _Syncs(shape, dice, history)
        for dummy in range(1 if shape.cut_short and life == shape.lives - 1 else dice.randint(1, 6)):
            batch = offsets[at : at + dice.randint(1, 15)]
            for upstream in batch:
                history.target.append((end, upstream, history.source[upstream]))
                syncs.copied(upstream, end)
                end += 1
            at += len(batch)
            if in_transactions and batch:
                end += 1
                flushed = at
            elif dice.random() < 0.5:
                flushed = at
            if syncs.delayed is not None and dice.random() < 0.5:
                syncs.write_delayed()
        if history.exactly_once and shape.reset and life < shape.lives - 1:
            # Offsets are set back while the connector is stopped, and stopping it writes the delayed sync of its last
            # record.
            syncs.write_delayed()
    history.mirror_end = end
    for dummy in range(shape.foreign):
        history.target.append((end, None, dice.randrange(shape.contents)))
        end += 1
    history.target_end = end
    history.flushed = offsets[flushed - 1] + 1 if flushed else None


def _age(shape, dice, history):
    """Retention on either side, compaction of the source, and a log of syncs that lost its beginning or all but the
    last pair.
    """
    if history.reset:
        pass  # an exactly-once mirror set back by hand is told from the pairs alone, so they have to be kept
    elif shape.kept == "some":
        history.syncs = history.syncs[dice.randint(0, len(history.syncs)) :]
    elif shape.kept == "last":
        history.syncs = history.syncs[-1:]
    history.target_start += int((history.target_end - history.target_start) * shape.expired)
    history.target = [one for one in history.target if one[0] >= history.target_start]
    history.source_start = int(history.source_end * shape.source_expired)
    history.source = {offset: content for offset, content in history.source.items() if offset >= history.source_start}
    _clean(history, history.target_start + int((history.target_end - history.target_start) * shape.cleaned), shape.keys)
    history.compacted = {offset for offset in history.source if dice.random() < shape.compacted}
    history.source = {offset: content for offset, content in history.source.items() if offset not in history.compacted}


def _clean(history, end, keys):
    """Compaction of the target up to ``end``: of each key the last record stays, at its offset."""
    last = {content % keys: offset for offset, dummy, content in history.target if offset < end}
    history.target = [one for one in history.target if one[0] >= end or last[one[2] % keys] == one[0]]


def evidence_of(history, positions, alive, limit=1000, manifest=None, sealed=False):
    """Evidence as the module would collect it: the same questions asked of the history.

    :param sealed: where the mirror's writing ended is told.
    :param manifest: ``(low, high)`` of the source that a manifest holds, where the source is lost.
    """
    end = max(history.target_start, history.mirror_end) if sealed else history.target_end
    outline = Outline(
        history.syncs,
        (history.target_start, end),
        (history.source_start, history.source_end) if alive else None,
        history.flushed,
        history.exactly_once and history.flushed is not None,
        sealed=sealed,
        mixed=history.mixed,
    )
    target, source = spans_to_read(outline, positions, limit)
    records = [(offset, content) for offset, dummy, content in history.target]
    target_scans = [scan_of(records, low, high) for low, high in target]
    source_scans = []
    if alive:
        source_scans = [scan_of(sorted(history.source.items()), low, high) for low, high in source]
    elif manifest:
        spans = [(max(low, manifest[0]), min(high, manifest[1])) for low, high in source]
        source_scans = [scan_of(sorted(history.everything.items()), low, high) for low, high in spans if low < high]
    return Evidence(outline, target_scans, source_scans)


def scan_of(records, low, high):
    """A :class:`Scan` of ``[(offset, content)]``."""
    inside = [one for one in records if low <= one[0] < high]
    return Scan(
        low, high, np.array([one[0] for one in inside], np.int64), np.array([one[1] for one in inside], np.uint64)
    )
