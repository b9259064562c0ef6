# SPDX-License-Identifier: GPL-3.0-or-later
"""Two mirrors into one region: the same application in both sources, so that topic and group have the same names. What
one witness knows is no answer for the other's groups, whatever topic they write to.
"""

from __future__ import annotations

import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.distinct import cluster_id
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.mm2_topics import (
    read_witness,
    read_witness_rounds,
)
from tests.support import offsets_lab as lab
from tests.support.offsets_pair import name, write

from .test_made_again import in_transaction, rows, write_pairs
from .test_stale_evidence import copied

pytestmark = pytest.mark.real


class Hub:
    """Two regions and the one that both are copied to; the target stands for the second region too."""

    def __init__(self, pair, directory, *topics):
        self.first, self.target, self.directory = pair["source"], pair["target"], directory
        self.client = KafkaClient(self.target.client, timeout=30)
        self.topic, self.group, self.aliases = name("sales"), name("billing"), (name("a"), name("b"))
        self.positions = topics
        for positions in {*topics}:
            lab.create(self.target, (positions, 1, {}))
        for region in (self.first, self.target):
            lab.create(region, (self.topic, 1, {}))
            write(region, self.topic, rows(0, 9))

    def stand(self, region, group, at):
        lab.set_positions(region, self.topic, {group: {0: at}})

    def witness(self, number, groups=None):
        region = (self.first, self.target)[number]
        return lab.WitnessProcess(
            self.directory / f"witness-{number}",
            region,
            self.target,
            interval=1,
            topic=self.positions[number],
            topics=self.topic,
            groups=groups or self.group,
            source_cluster=cluster_id(KafkaClient(region.client, timeout=30)),
            mirror=f"{self.aliases[number]}->hub",
        )

    def known(self, number):
        return read_witness(self.client, self.positions[number]) or {"at": None, "groups": {}}

    def options(self, number):
        return {
            "topics": self.topic,
            "source_alias": self.aliases[number],
            "target_alias": "hub",
            "positions_topic": self.positions[number],
        }

    def translated(self, number):
        """Positions of the source's groups after its loss, as ``offset_translate`` plans them from copies."""
        alias, offsets = self.aliases[number], name("mm2-offsets")
        copy = f"{alias}-{self.topic}"
        lab.create(self.target, (copy, 1, {}), (offsets, 1, {}), (f"mm2-offset-syncs.{alias}.internal", 1, {}))
        write(self.target, copy, rows(0, 9))
        write_pairs(self.target, alias, self.topic, (0, 0), (8, 8))
        in_transaction(self.target, offsets, *copied(alias, self.topic, 8))
        found = lab.translate(
            None,
            self.target,
            groups=[self.group],
            groups_regex="",
            policy="default",
            separator="-",
            offsets_topic=offsets,
            target_ends={copy: {"0": 9}},
            **self.options(number),
        )
        return [row["source_offset"] for row in found["plan"]]


def test_two_mirrors_with_topics_of_their_own_know_their_own_groups(two_clusters, tmp_path):
    hub = Hub(two_clusters, tmp_path, name("pos"), name("pos"))
    hub.stand(hub.first, hub.group, 3)
    hub.stand(hub.target, hub.group, 8)
    running = [hub.witness(0), hub.witness(1)]
    try:
        lab.until(lambda: hub.known(0)["at"] and hub.known(1)["at"], 60)
    finally:
        assert [witness.stop() for witness in running] == [0, 0]
    assert (hub.translated(0), hub.translated(1)) == ([3], [8])


def test_a_second_witness_refuses_the_topic_of_another_mirror(two_clusters, tmp_path):
    """Not by the inventory, which refuses it: two inventories may describe a mirror each."""
    hub = Hub(two_clusters, tmp_path, *[name("pos")] * 2)
    hub.stand(hub.first, hub.group, 3)
    hub.stand(hub.target, hub.group, 8)
    own = hub.witness(0)
    try:
        lab.until(lambda: hub.group in hub.known(0)["groups"], 60)
        other = hub.witness(1)
        assert other.process.wait(60) == 2
    finally:
        assert own.stop() == 0
    (text,) = [line for line in other.lines() if "positions_topic" in line]
    assert f"{hub.aliases[0]}->hub" in text and f"{hub.aliases[1]}->hub" in text
    assert hub.translated(0) == [3]
    # Nor is it believed by who reads for the other mirror.
    with pytest.raises(RefusedError, match=f"{hub.aliases[0]}->hub") as caught:
        hub.translated(1)
    assert "positions_topic" in caught.value.remedy
    seen = lab.info(None, hub.target, until_witness=True, **hub.options(1))
    assert (seen["witness"]["other_mirror"], seen["witness"]["ends"]) == (f"{hub.aliases[0]}->hub", None)
    assert "set positions_topic" in seen["waiting_for"]
    rounds = [read_witness_rounds(hub.client, hub.positions[0], f"{alias}->hub") for alias in hub.aliases]
    assert rounds[0] and not rounds[1]


def test_a_second_witness_calls_no_group_of_the_other_source_gone(two_clusters, tmp_path):
    hub = Hub(two_clusters, tmp_path, *[name("pos")] * 2)
    mark = name("only")
    hub.stand(hub.first, f"{mark}-na", 3)
    own = hub.witness(0, f"{mark}.*")
    try:
        lab.until(lambda: f"{mark}-na" in hub.known(0)["groups"], 60)
        assert hub.witness(1, f"{mark}.*").process.wait(60) == 2
        began = time.time() * 1000
        lab.until(lambda: hub.known(0)["at"] > began, 30)
        assert f"{mark}-na" in hub.known(0)["groups"]
    finally:
        own.stop()


def test_what_an_older_witness_wrote_is_taken_over_by_its_mirror(two_clusters, tmp_path):
    """It did not say whose it was."""
    hub = Hub(two_clusters, tmp_path, *[name("pos")] * 2)
    hub.stand(hub.first, hub.group, 3)
    older = lab.WitnessProcess(
        tmp_path / "older",
        hub.first,
        hub.target,
        interval=1,
        topic=hub.positions[0],
        groups=hub.group,
        topics=hub.topic,
    )
    try:
        lab.until(lambda: hub.group in hub.known(0)["groups"], 60)
    finally:
        assert older.stop() == 0
    assert hub.known(0)["mirror"] is None and hub.translated(0) == [3]
    own = hub.witness(0)
    try:
        lab.until(lambda: hub.known(0)["mirror"] == f"{hub.aliases[0]}->hub", 60)
    finally:
        assert own.stop() == 0
