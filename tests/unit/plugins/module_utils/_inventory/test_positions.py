# SPDX-License-Identifier: GPL-3.0-or-later
"""Each mirror's position witness has a topic of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.check_all import examined
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.options import mirror_options
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.positions import (
    positions_topic,
    positions_topics,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.turning import (
    further_copy,
    moved_mirror,
    succeeded,
    turn_lacks,
    turned_mirror,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.witness_config import witness_config

TOPOLOGIES = sorted((Path(__file__).resolve().parents[5] / "examples" / "topologies").glob("*.yml"))
CLIENT = {"bootstrap.servers": "k:1"}
ALIKE = "topic of its own for the position witness"


def mirror(source, target, **more):
    return {"name": f"{source}-{target}", "source": source, "target": target, "topics": ["x"], **more}


def regions(*mirrors, **variables):
    names = {region for each in mirrors for region in (each["source"], each["target"])}
    return {name: {"kafka_dr_client": CLIENT, "kafka_dr_mirrors": list(mirrors), **variables} for name in names}


@pytest.mark.parametrize("path", TOPOLOGIES, ids=lambda path: path.stem)
def test_mirrors_of_an_example_into_one_region_have_different_topics(path):
    mirrors = yaml.safe_load(path.read_text())["kafka_dr_mirrors"]
    hosts = regions(*mirrors)
    assert not [found for found in examined(hosts, complete=False)["mistakes"] if ALIKE in found]
    configs = [witness_config(each, hosts, positions_topic(each, hosts), "", mirrors=mirrors) for each in mirrors]
    places = {(each["target"], config["topic"]) for each, config in zip(mirrors, configs, strict=True)}
    assert len(places) == len(mirrors)
    assert [config["mirror"] for config in configs] == [f"{each['source']}->{each['target']}" for each in mirrors]


def test_mirrors_into_different_regions_need_no_topic_of_their_own():
    mirrors = mirror("na", "eu"), mirror("na", "asia"), mirror("asia", "na", policy="default")
    assert not [found for found in examined(regions(*mirrors), complete=False)["mistakes"] if ALIKE in found]


def test_the_mirrors_topic_counts_then_the_regions_then_the_usual_one():
    plain, own = mirror("na", "eu"), mirror("asia", "eu", positions_topic="__kafka_dr_asia")
    hosts = regions(plain, own)
    assert positions_topic(plain, hosts) == positions_topic({}, hosts) == "__kafka_dr_positions"
    hosts["eu"]["kafka_dr_positions_topic"] = "__kafka_dr_p"
    assert [positions_topic(each, hosts) for each in (plain, own)] == ["__kafka_dr_p", "__kafka_dr_asia"]
    assert mirror_options(own, hosts)["positions_topic"] == "__kafka_dr_asia"
    assert positions_topics([plain, own], hosts, "eu") == ["__kafka_dr_asia", "__kafka_dr_p"]
    assert positions_topics([], {}, "nowhere") == ["__kafka_dr_positions"]


def test_copies_of_one_region_take_each_others_place_as_the_applications_move():
    mirrors = [mirror("na", "eu"), mirror("na", "asia")]
    assert succeeded(mirrors[1], mirrors) == ["eu->asia"]
    assert succeeded(moved_mirror(mirrors[1], "eu"), mirrors) == ["na->asia"]
    assert succeeded(turned_mirror(mirrors[0]), mirrors) == ["asia->na"]
    assert succeeded(further_copy(mirrors, "asia", "eu")["mirror"], mirrors) == ["na->eu"]


def test_mirrors_that_run_at_once_take_nobodys_place():
    hub = [mirror("na", "eu", policy="default"), mirror("asia", "eu", policy="default")]
    assert [succeeded(each, hub) for each in hub] == [[], []]
    described = [mirror("na", "eu"), mirror("na", "asia"), mirror("eu", "asia")]
    assert succeeded(described[1], described) == succeeded(described[2], described) == []


def test_a_mirror_is_not_turned_onto_the_topic_of_another():
    on, into = mirror("na", "eu"), mirror("asia", "na", policy="default")
    hosts = regions(on, into)
    assert "mirror 'asia-na' do: set positions_topic" in turn_lacks(on, hosts, [on, into])
    assert "positions_topic" not in turn_lacks(on, hosts, [on, {**into, "positions_topic": "__kafka_dr_asia"}])
    assert "positions_topic" not in turn_lacks(on, hosts, [on, mirror("na", "asia")])
