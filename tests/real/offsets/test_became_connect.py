# SPDX-License-Identifier: GPL-3.0-or-later
"""A consumer group that stands still, and whose name a Connect worker takes: its positions are there still."""

from __future__ import annotations

import re

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.groups import living_positions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.plan import refusals
from tests.support import offsets_lab as lab
from tests.support.kafka import clusters
from tests.support.raw_commit import join_raw
from tests.support.witness_program import witness_module
from tests.unit.plugins.module_utils._positions.test_witness_program import Target

pytestmark = pytest.mark.real
GROUPS = {"became": {0: 3}, "idle": {0: 4}}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    (made,) = clusters(["a"], tmp_path_factory.mktemp("became")).values()
    lab.create(made, ("t", 1, {}))
    lab.set_positions(made, "t", GROUPS)
    yield made
    made.stop()


def test_its_positions_are_known_to_the_witness_and_the_translation(source):
    asked = {"groups": [re.compile(".*")], "groups_exclude": [], "topics": [], "interval_seconds": 1}
    target, client = Target(), KafkaClient(source.client, timeout=30, name="a")

    def known():
        watch.round()
        return {name: group["positions"] for name, group in target.folded()["groups"].items()}

    with witness_module("witness_rounds") as rounds, witness_module("witness_source") as program:
        watch = rounds.Witness(program.Source({**asked, "source": source.client}), target)
        before = known()
        assert before == {name: {"t": places} for name, places in GROUPS.items()}
        with join_raw(source, "became", "connect"):
            assert known() == before
            found, members, left = living_positions(client, lambda _group: True, "t".__eq__, known=GROUPS)
            assert {
                name: {key[1]: place.offset for key, place in places.items()} for name, places in found.items()
            } == GROUPS
            assert (members, left) == ({}, set())
            asked_for = {"switched_groups": [], "accept": []}
            refused, _left = refusals(asked_for, client, [], found, {})
    (one,) = refused
    assert (one["group"], one["kind"]) == ("became", "members"), refused
    assert "no consumer group" in one["reason"]
