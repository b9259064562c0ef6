# SPDX-License-Identifier: GPL-3.0-or-later
"""Hourly runs for months: a manifest names few files, and every offset stays in one of them."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest import generations


def topics_of(partitions, names=1):
    """Empty topics as manifest.json has them."""
    return {
        f"t{at}": {
            "topic_id": "id",
            "detail": "records",
            "config": {},
            "partitions": {
                str(number): {"low": 0, "high": 0, "records": 0, "files": [], "spans": []}
                for number in range(partitions)
            },
        }
        for at in range(names)
    }


def save(topics, run, count, shared=100, skip=lambda topic, number, run: False):
    """A run that writes ``count`` records of each partition, ``shared`` partitions to a file."""
    parts = [(topic, number, part) for topic, saved in topics.items() for number, part in saved["partitions"].items()]
    for at, (topic, number, part) in enumerate(parts):
        if skip(topic, int(number), run):
            continue
        part["files"].append(f"data/{run:05d}-0-{at // shared:05d}-abcdef01.parquet")
        part["spans"].append([part["high"], part["high"] + count])
        part["high"] += count


def merge(topics, run):
    """What the job does between its tasks; the files that were merged."""
    for saved in topics.values():
        for part in saved["partitions"].values():
            generations.keep(part, generations.known_spans(part))
    target, merges = generations.choose(topics)
    for number, group in enumerate(generations.tasks(merges)):
        assert len(group) <= generations.TASK_PARTITIONS
        assert len(group) == 1 or sum(one.offsets for one in group) <= generations.TASK_OFFSETS
        name = f"data/{run:05d}-g{target}-{number:05d}-abcdef01.parquet"
        for one in group:
            part = topics[one.topic]["partitions"][str(one.partition)]
            spans = {file: span for file, span in generations.known_spans(part).items() if file not in one.files}
            covered = sorted(one.files.values())
            spans[name] = (covered[0][0], covered[-1][1])
            generations.keep(part, spans)
    return sum(len(one.files) for one in merges)


def most_files(topics):
    return max(len(part["files"]) for saved in topics.values() for part in saved["partitions"].values())


def test_a_year_of_hourly_runs_names_few_files():
    topics = topics_of(3)
    written, seen = 0, 0
    for run in range(365 * 24):
        save(topics, run, 10)
        written += merge(topics, run)
        seen = max(seen, most_files(topics))
    assert seen <= 5 * (generations.FANOUT - 1) + 1
    assert written <= 3 * 5 * 365 * 24, "a file of a run is written again once for each generation"
    for part in topics["t0"]["partitions"].values():
        assert part["spans"][0][0] == 0 and part["spans"][-1][1] == 365 * 24 * 10
        assert all(one[1] == other[0] for one, other in pairwise(part["spans"]))


def test_ten_thousand_partitions_of_which_some_are_quiet():
    topics = topics_of(10, 1000)
    for run in range(20):
        save(topics, run, 5, skip=lambda topic, number, run: (number + run) % 3 == 0)
        merge(topics, run)
    assert most_files(topics) <= 2 * (generations.FANOUT - 1)
    assert len(json.dumps(topics)) < 15_000_000
    assert all(
        sum(end - first for first, end in part["spans"]) == part["high"]
        for saved in topics.values()
        for part in saved["partitions"].values()
    )


def test_large_files_stay_and_are_not_written_again():
    topics = topics_of(1)
    for run in range(40):
        save(topics, run, generations.FULL)
        assert merge(topics, run) == 0
    assert most_files(topics) == 40


def test_large_files_among_small_ones_leave_the_order_right():
    topics = topics_of(1)
    for run in range(30):
        save(topics, run, generations.FULL if run % 4 == 0 else 10)
        merge(topics, run)
    part = topics["t0"]["partitions"]["0"]
    assert [name for name in part["files"] if "-g1-" in name]
    assert sorted(map(tuple, part["spans"])) == list(map(tuple, part["spans"]))


def test_what_is_expired_is_named_no_more():
    topics = topics_of(1)
    for run in range(5):
        save(topics, run, 10)
    part = topics["t0"]["partitions"]["0"]
    part["low"] = 20
    merge(topics, 5)
    assert part["spans"] == [[20, 30], [30, 40], [40, 50]]


def test_a_long_list_of_before_is_merged_in_tasks_of_bounded_size():
    topics = topics_of(1)
    for run in range(100):
        save(topics, run, generations.FULL - 1)
    merge(topics, 100)
    part = topics["t0"]["partitions"]["0"]
    assert 100 * generations.FULL // generations.TASK_OFFSETS <= len(part["files"]) <= 8


@pytest.mark.parametrize(("name", "found"), [("data/1-0-00001-ab.parquet", 0), ("data/1-g12-00001-ab.parquet", 12)])
def test_the_name_has_the_generation(name, found):
    assert generations.generation(name) == found
