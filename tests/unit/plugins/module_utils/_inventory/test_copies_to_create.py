# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies that a mirror would ask for in a request that the controller refuses."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.copies_to_create import copies_to_create

MIRROR = {"name": "m", "source": "na", "target": "eu", "topics": ["flights\\..*"]}
CONFIGS = {"retention.ms": "-1", "min.insync.replicas": "2"}


def topics(count, partitions=10):
    return {f"flights.{number:04d}": {"partitions": partitions, "configs": CONFIGS} for number in range(count)}


@pytest.mark.parametrize("count", [0, 1, 416])
def test_a_mirror_creates_few_itself(count):
    assert copies_to_create(MIRROR, topics(count), []) == []


def test_many_are_created_before_it_is_started():
    found = copies_to_create(MIRROR, topics(417), [])
    wanted = {"partitions": 10, "replication_factor": 2, "configs": {"retention.ms": "-1"}}
    assert len(found) == 417 and found[7] == {"name": "flights.0007", **wanted}


def test_those_that_are_there_are_not_counted():
    assert copies_to_create(MIRROR, topics(1000), [*topics(700)]) == []
    left = copies_to_create(MIRROR, topics(1000), [*topics(300)])
    assert [topic["name"] for topic in left] == [f"flights.{number:04d}" for number in range(300, 1000)]


def test_they_get_the_names_and_replicas_that_the_mirror_gives():
    mirror = {**MIRROR, "policy": "default", "tuning": {"replication_factor": 3}}
    found = copies_to_create(mirror, topics(2, 4000), [])
    assert [(topic["name"], topic["replication_factor"]) for topic in found] == [
        ("na.flights.0000", 3),
        ("na.flights.0001", 3),
    ]


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ({}, (2, {"retention.ms": "-1"})),
        ({"replication.factor": "3"}, (3, {"retention.ms": "-1"})),
        # What a mirror leaves to the target is the target's, and a value of its own replaces MirrorMaker 2's.
        ({"config.properties.exclude": "retention\\..*"}, (2, {"min.insync.replicas": "2"})),
        ({"config.properties.exclude": "min.insync.replicas, retention\\..*"}, (2, {})),
    ],
    ids=["default", "replicas", "one excluded", "two excluded"],
)
def test_what_the_connector_is_told_holds_for_them_too(setting, expected):
    found = copies_to_create({**MIRROR, "config": {"source": setting}}, topics(1000), [])
    assert {(topic["replication_factor"], *topic["configs"].items()) for topic in found} == {
        (expected[0], *expected[1].items())
    }


@pytest.mark.parametrize(
    "setting", [{"config.property.filter.class": "org.example.Ours"}, {"use.defaults.from": "source"}]
)
def test_configs_that_nobody_here_knows_are_the_mirrors(setting):
    assert copies_to_create({**MIRROR, "config": {"source": setting}}, topics(1000), []) == []


def test_nobody_knows_the_names_of_another_policy():
    assert copies_to_create({**MIRROR, "policy": "org.example.Ours"}, topics(1000), []) == []
