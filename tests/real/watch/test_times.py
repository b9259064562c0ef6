# SPDX-License-Identifier: GPL-3.0-or-later
"""How long something is not proven is what was seen: neither writers' timestamps nor a watch's clock decide it."""

from __future__ import annotations

import time

import pytest
from confluent_kafka import Producer

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import broker_clock
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.summary import figures, summarise
from tests.real.proof.support import some

from .test_closing import ROWS, begun, closed

pytestmark = pytest.mark.real

HOUR = 3_600_000


def told(state, later=0):
    """Records that are not proven, and for how long; 0 where nothing else is than what came since the round began."""
    now = int(time.time() * 1000) + later
    said, shown = summarise(state, now_ms=now), figures(state, now)
    assert (shown.unproven_records, shown.proven_age_seconds) == (said["unproven_records"], said["unproven_seconds"])
    count, seconds = said["unproven_records"], said["unproven_seconds"]
    since = max(0, now - state.round_began()) / 1000
    return count, 0 if not count and seconds == pytest.approx(since) else seconds


def test_records_with_times_to_come_grow_old(pair):
    watching = begun(pair, "w.times.ahead", 2000)
    ahead = [row.but(timestamp=int(time.time() * 1000) + HOUR) for row in some(100, "later", headers=())]
    watching.write("source", ahead)
    state = watching.rounds(lambda state: state.partitions[watching.name, 0].waiting == 100)
    count, seconds = told(state, 60_000)
    assert count == 100 and 60 <= seconds < 3600
    # Also for a watch that was started again meanwhile.
    watching.watch.close()
    count, again = told(watching.open().rounds(), 60_000)
    assert count == 100 and seconds <= again < 3600
    watching.write("target", ahead)
    assert told(watching.rounds()) == (0, 0)


def test_what_an_open_transaction_hides_is_not_proven(pair):
    watching = begun(pair, "w.times.hidden", 2000)
    producer = Producer({**pair["source"].client, "transactional.id": "w.times", "log_level": 0})
    producer.init_transactions()
    producer.begin_transaction()
    producer.produce(watching.name, b"undecided", partition=0)
    producer.flush(30)
    watching.write("source", some(50, "later", headers=()))
    state = watching.rounds(lambda state: state.partitions[watching.name, 0].source_high == 2051)
    count, seconds = told(state, 5_000)
    assert count == 51 and 5 <= seconds < 3600 and summarise(state)["undecided_records"] == 51
    producer.abort_transaction()
    watching.write("target", some(50, "later", headers=()))
    assert told(watching.rounds(lambda state: state.partitions[watching.name, 0].read > 2051)) == (0, 0)


def test_a_round_ended_when_the_target_s_broker_took_it(pair, monkeypatch):
    watching = begun(pair, "w.times.clock", 1500)
    # The clock of the watch's machine is a day ahead.
    monkeypatch.setattr(broker_clock, "_wall_ms", lambda: int((time.time() + 86400) * 1000))
    watching.write("target", ROWS[1500:1600])
    watching.write("source", some(10, "later", headers=()))
    state = watching.rounds(lambda state: state.partitions[watching.name, 0].waiting == 410)
    assert abs(state.at / 1000 - time.time()) < 30 and summarise(state)["age_seconds"] < 30
    # The records are of when these tests began.
    assert 5 <= told(state, 5_000)[1] < 43200


def test_a_watch_that_was_dead_before_the_loss_does_not_stand_for_what_it_had_not_read(pair, monkeypatch):
    watching = begun(pair, "w.times.dead", 2000)
    more = some(50, "later", headers=())
    for where in pair:
        watching.write(where, more)
    bounds = {"mirrored_through": {watching.name: {"0": 2050}}}
    now = int(time.time() * 1000)
    assert closed(watching, bounds, seen_at=now)["verdict"] == "PROVEN"
    report = closed(watching, bounds, seen_at=now + 3_600_000)
    assert report["verdict"] == "NOT_PROVABLE" and "before the source was seen last" in " ".join(report["reasons"])
    # So is what the target has beyond, and where nobody knows how far the mirror had come.
    for known in ({"mirrored_through": {watching.name: {"0": 2000}}}, None):
        assert closed(watching, known, seen_at=now)["verdict"] == "PROVEN"
        assert closed(watching, known, seen_at=now + 3_600_000)["verdict"] == "NOT_PROVABLE"
    # Its rounds end ahead of the clock, or nobody knows when the source was seen.
    for name, moment, words in (
        ("ahead", time.time() - 3600, "ahead of this machine's clock"),
        ("unknown", time.time() + 3600, "nobody knows when the source was seen last"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr("time.time", lambda moment=moment: moment)
            report = closed(watching, bounds)
        assert report["verdict"] == "NOT_PROVABLE" and words in " ".join(report["reasons"]), (name, report["reasons"])
