# SPDX-License-Identifier: GPL-3.0-or-later
"""What a watch writes it can read again, and what cannot be read of one mirror says nothing of another one."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import FormatError, KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import rows
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import (
    Confirmed,
    Difference,
    WatchState,
    Window,
)

LATEST, EARLIEST = (1 << 63) - 1, -(1 << 63)
PLACE = ("orders", 0)


def folded(*found, mirror=None):
    return rows.fold([(at, *row, None) for at, row in enumerate(found)], mirror)


@pytest.mark.parametrize("moment", [LATEST, (1 << 62) + 1, -2, EARLIEST])
def test_a_record_may_have_any_time_that_kafka_has(moment):
    anchor = {"source": 9, "target": 9, "digest": 7, "timestamp": moment}
    part = Confirmed("orders", "s", "t", anchor=anchor, oldest_waiting=moment, expiring_for=moment)
    found = Difference("orders", 0, 0, "missing", 7, None, moment, None, 1, 5)
    state = folded(rows.confirmed_row("m", PLACE, part, 1), rows.difference_row("m", found, 1))["m"]
    assert state.partitions[PLACE] == part and state.differences == [found]


@pytest.mark.parametrize("moment", [LATEST + 1, EARLIEST - 1])
@pytest.mark.parametrize("name", ["anchor", "oldest_waiting", "expiring_for"])
def test_what_is_no_time_of_kafkas_is_never_written(name, moment):
    value = {"source": 9, "target": 9, "digest": 7, "timestamp": moment} if name == "anchor" else moment
    with pytest.raises(KafkaDrError, match="would not read again"):
        rows.confirmed_row("m", PLACE, Confirmed("orders", "s", "t", **{name: value}), 1)


def test_no_record_is_written_that_would_be_refused():
    part, window = Confirmed("orders", "s", "t", read=-5), Window(5, 5, 0, b"", b"", b"", "", "")
    found = Difference("orders", 0, 0, "missing", 7, None, None, None, 1, 5)
    state = WatchState("m", not_watched={"a b": "hidden"})
    for write in (
        lambda: rows.confirmed_row("m", PLACE, part, 1),
        lambda: rows.window_row("m", PLACE, window, 1),
        lambda: rows.difference_row("m", Difference("orders", -1, 0, "missing", 7, None, 1, None, 1, 5), 1),
        lambda: rows.watch_row(state),
        lambda: rows.accepted_row("m", found, "ann", 5, 1),
    ):
        with pytest.raises(KafkaDrError, match="would not read again") as error:
            write()
        assert not isinstance(error.value, FormatError)


@pytest.mark.parametrize("name", [rows.key("confirmed", "m", "orders", 0), b'["watch", "m"]', b'["window","m",7]'])
def test_what_cannot_be_read_of_a_mirror_says_nothing_of_another(name):
    known = rows.watch_row(WatchState("other", "A", "B", round=3))
    assert list(folded((name, b"{"), known, mirror="other")) == ["other"]
    for mirror in ("m", None):
        with pytest.raises(FormatError, match="no watch wrote"):
            folded((name, b"{"), known, mirror=mirror)


@pytest.mark.parametrize("name", [None, b"x", b'["watch"]', b'["nothing","m"]', b'["watch",5]'])
def test_a_record_of_nobody_is_refused_whichever_mirror_is_asked_for(name):
    with pytest.raises(FormatError, match="no watch wrote"):
        folded((name, b"{"), rows.watch_row(WatchState("other", "A", "B", round=3)), mirror="other")


def test_what_another_mirror_accepted_is_not_taken():
    found = Difference("orders", 0, 0, "missing", 7, None, 1, None, 1, 5)
    accepted = rows.accepted_row("other", found, "ann", "test", 1)
    state = folded(rows.difference_row("m", found, 1), accepted, mirror="m")["m"]
    assert state.differences[0].accepted is None
