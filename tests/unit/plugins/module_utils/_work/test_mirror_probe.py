# SPDX-License-Identifier: GPL-3.0-or-later
"""What a probe makes of its records; that it sends and sees them is shown on real clusters."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_probe import content, latency, middle


def test_latency_of_many_and_of_one():
    assert latency([0.4, 0.1, 0.3, 0.2]) == {"least": 0.1, "median": 0.3, "p95": 0.4, "most": 0.4}
    assert latency([-0.0001]) == {"least": 0.0, "median": 0.0, "p95": 0.0, "most": 0.0}, (
        "clocks of one machine may step back"
    )


def test_the_middle_of_each_partition_with_its_place_in_the_target():
    places = [
        {"partition": 1, "source_offset": 7, "target_offset": 9},
        *({"partition": 0, "source_offset": one, "target_offset": 2 * one} for one in range(4)),
    ]
    assert middle(places) == {
        "0": {"source_offset": 2, "target_offset": 4},
        "1": {"source_offset": 7, "target_offset": 9},
    }


def test_no_two_records_are_equal():
    assert len({str(content(run, number)) for run in ("a", "b") for number in range(3)}) == 6
