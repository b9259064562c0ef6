# SPDX-License-Identifier: GPL-3.0-or-later
"""What a platform means."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import check_mirrors, platforms

MIRROR = {"name": "backup", "source": "na", "target": "eu", "topics": [".*"]}
HOSTS = {
    "na": {"kafka_dr_platform": "host"},
    "eu": {"kafka_dr_platform": "managed", "kafka_dr_mirror_hosts": ["eu-1", "eu-2"]},
    "asia": {"kafka_dr_platform": "host"},
}


@pytest.mark.parametrize(
    ("name", "tasks", "creates", "tells"),
    [("host", "host", True, False), ("managed", "host", False, False), ("kubernetes", "kubernetes", True, True)],
)
def test_traits_of_a_platform(name, tasks, creates, tells):
    found = platforms.platform({"kafka_dr_platform": name})
    assert found == {"name": name, "tasks": tasks, "creates_cluster": creates, "tells_client": tells}


def test_a_region_without_a_platform_is_its_owners():
    assert platforms.platform({}) == platforms.PLATFORMS["managed"]


@pytest.mark.parametrize(
    ("region", "runs_on", "connector"),
    [
        ({"kafka_dr_platform": "managed"}, "host", "MirrorSourceConnector"),
        ({"kafka_dr_platform": "kubernetes"}, "kubernetes", "na->eu.MirrorSourceConnector"),
        (
            {"kafka_dr_platform": "host", "kafka_dr_mirror_platform": "connect"},
            "connect",
            "backup.MirrorSourceConnector",
        ),
        (
            {"kafka_dr_platform": "kubernetes", "kafka_dr_mirror_platform": "deployment"},
            "deployment",
            "MirrorSourceConnector",
        ),
        ({"kafka_dr_platform": "kubernetes", "kafka_dr_mirror_platform": "managed"}, "host", "MirrorSourceConnector"),
    ],
)
def test_what_runs_a_mirror_names_its_source_connector(region, runs_on, connector):
    assert platforms.mirror_platform(region) == runs_on
    assert platforms.source_connector(MIRROR, region) == connector


def test_machines_of_a_new_platform_are_checked_like_those_of_its_tasks(monkeypatch):
    """A row of the table is all that a platform with the tasks of another needs."""
    monkeypatch.setitem(platforms.PLATFORMS, "msk", platforms.PLATFORMS["managed"])
    hosts = {"na": {}, "eu": {"kafka_dr_platform": "msk"}}
    found = {mistake.path for mistake in check_mirrors.machines([MIRROR], hosts)}
    assert {"eu: kafka_dr_mirror_directory", "eu: kafka_dr_kafka_home"} <= found


def test_the_definition_is_kept_on_the_first_machine_of_each_backup():
    assert platforms.definition_hosts(HOSTS, "na", "eu") == ["eu-1"]
    assert platforms.definition_hosts(HOSTS, "na", "eu", "asia") == ["eu-1", "asia"]
    assert platforms.definition_hosts(HOSTS, "na", "eu", "eu") == ["eu-1"]
    assert platforms.definition_hosts(HOSTS, "na", "eu", "nowhere") == []
    kept = {**HOSTS, "na": {"kafka_dr_kubernetes": {"backup": {"namespace": "dr"}}}}
    assert platforms.definition_hosts(kept, "na", "eu") == []
