# SPDX-License-Identifier: GPL-3.0-or-later
"""A round reads the source of a partition that it cannot judge, since nobody can say how the target is: what it keeps
agrees with itself, and the watch goes on from it.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.read_events import RangeGoneError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import portion
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.standing import stand
from tests.support.following import PLACE
from tests.support.rounds_in_memory import Rounds

LOG = list(range(1000, 1400))


def unlike(rounds, **places):
    """Let the next looks find another end of a side, or none."""
    whole = rounds.ends

    def ends():
        found = whole()
        for side, end in places.items():
            for known in (getattr(found, side), getattr(found, f"{side}_high")):
                if end is None:
                    known.pop(PLACE, None)
                else:
                    known[PLACE] = end
        return found

    rounds.ends = ends
    return lambda: setattr(rounds, "ends", whole)


@pytest.mark.parametrize("end", [98, None], ids=["a leader changes", "unknown"])
@pytest.mark.parametrize("restarted", [False, True])
def test_the_watch_goes_on_once_the_target_is_known_again(end, restarted):
    rounds = Rounds(LOG[:100], LOG[:100])
    rounds.round()
    rounds.source += LOG[100:150]
    again = unlike(rounds, target=end)
    rounds.round()
    state = rounds.kept.state()
    assert (state.partitions[PLACE].read, state.partitions[PLACE].waiting) == (150, 50)
    copy = {"topic_id": "b", "config": {}, "partitions": [0], "bounds": {0: (0, 100)}}
    assert not stand(state, ".*", {"t": [0]}, {"t": copy}, 10**12).faults
    again()
    if restarted:
        rounds.open()
    rounds.target += LOG[100:150]
    rounds.round()
    assert (rounds.part.stopped, rounds.part.through, rounds.part.waiting) == (None, (150, 150), 0)


def test_also_one_whose_target_was_never_known():
    rounds = Rounds(LOG[:100], [])
    unlike(rounds, target=None)
    rounds.round()
    rounds.open()
    assert (rounds.part.stopped, rounds.part.waiting) == (None, 100)


def test_what_waited_when_it_was_stopped_stays_said():
    rounds = Rounds(LOG[:100], LOG[:100])
    rounds.round()
    rounds.source += LOG[100:150]
    rounds.watch.portions.read([rounds.track], rounds.ends(), 1_000_000)
    rounds.track.stop("its log is another one")
    rounds.watch._keep(0.0)
    part = rounds.kept.state().partitions[PLACE]
    assert (part.read, part.waiting) == (150, 50)


def test_what_the_target_deleted_before_it_was_read_is_not_missing():
    """Some of what lay before was read and not judged yet."""
    rounds = Rounds(LOG[:100], LOG[:100])
    rounds.round()
    rounds.source += LOG[100:150]
    rounds.target += LOG[100:150]
    again = unlike(rounds, source=None)
    rounds.round()
    assert len(rounds.track.fresh) == 50
    again()
    rounds.source += LOG[150:250]
    rounds.target += LOG[150:250]
    rounds.starts[1] = 200
    rounds.round()
    assert not rounds.track.held and rounds.part.waiting == 0
    assert (rounds.part.begins, rounds.part.through) == ((200, 200), (250, 250))
    assert (rounds.part.unproven, rounds.part.older) == (100, 50)


def test_a_partition_that_its_target_stopped_is_not_read_on():
    """What is read of its source would be in no window, and stand in no count."""
    rounds = Rounds(LOG[:100], LOG[:10] + LOG[11:100])
    rounds.round()
    rounds.source += LOG[100:150]
    rounds.round()
    assert rounds.track.held and rounds.part.waiting == 50
    rounds.source += LOG[150:250]
    rounds.target += LOG[100:200]
    rounds.starts[1] = 140
    rounds.round()
    part = rounds.kept.state().partitions[PLACE]
    assert part.stopped is not None and (part.read, part.source_end, part.waiting) == (150, 250, 50)


def test_what_was_matched_before_retention_cut_the_judging_off_waits_no_more(monkeypatch):
    rounds = Rounds(LOG[:100], LOG[:100])
    rounds.round()
    rounds.source += LOG[100:150]
    # A further copy, ten that go on, and one of nobody, whose like is looked for in all of the source.
    rounds.target += [LOG[99], *LOG[100:110], 5]
    scan, asked = rounds.watch.source.scan, []

    def scanned(*args, **more):
        asked.append(args)
        if len(asked) == 2:
            raise RangeGoneError("an offset is no longer there")
        yield from scan(*args, **more)

    monkeypatch.setattr(rounds.watch.source, "scan", scanned)
    rounds.round()
    part = rounds.kept.state().partitions[PLACE]
    assert (part.examined, part.read, part.waiting) == ((110, 111), 150, 40) and len(asked) == 2
    rounds.open()
    assert rounds.part.stopped is None


@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize("between", ["unknown", "left out", "behind"])
def test_only_a_log_that_was_behind_all_the_time_is_another_one(monkeypatch, side, between):
    clock = [1000.0]
    monkeypatch.setattr(portion.time, "monotonic", lambda: clock[0])
    rounds = Rounds(LOG[:100], LOG[:100])
    rounds.round()
    behind = unlike(rounds, **{side: 98})
    rounds.round()
    clock[0] += 20
    if between == "left out":
        rounds.watch.portions.read([], rounds.ends(), 1_000_000)
    elif between == "unknown":
        behind()
        again = unlike(rounds, **{side: None})
        rounds.round()
        again()
        unlike(rounds, **{side: 98})
    clock[0] += 20
    rounds.round()
    why = rounds.watch.portions.doubted[PLACE]
    assert why == (f"the {side} ends at 98, and was read to 100 before" if between == "behind" else "")
