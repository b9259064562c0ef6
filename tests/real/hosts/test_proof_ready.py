# SPDX-License-Identifier: GPL-3.0-or-later
"""A planned move from a machine on which the copy cannot be proven stops and fences nobody."""

from __future__ import annotations

import os

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls, ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
from tests.real.hosts.moved import ANYBODY, STRAY, THERE, TOPIC
from tests.real.hosts.told import Told

pytestmark = pytest.mark.real
MOVE = {"failover_source": "na", "failover_target": "eu", "failover_planned": True, "failover_reverse": False}
ACCEPTED = {"failover_accept_stale_mirror": True, "failover_accept_unfenced": ANYBODY}


@pytest.fixture
def regions(tmp_path):
    made = Told(tmp_path, ("na", "eu"), [THERE])
    yield made
    made.down()


def test_without_pyspark_nothing_is_changed(regions, tmp_path, monkeypatch):
    for name in ("na", "eu"):
        write(regions.client(name), TOPIC, [(0, None, b"record")])
    regions.mirrored("na", "eu")
    ensure_acls(regions.client("na"), STRAY, "present", False)
    before = sorted(describe_acls(regions.client("na"), ["shop"]))
    broken = tmp_path / "libraries" / "pyspark"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('No module named pyspark')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(broken.parent), os.environ.get("PYTHONPATH", "")]))
    said = regions.run("failover", **MOVE, **ACCEPTED)
    assert "Refused, nothing was changed: the proof could not start" in said and "cannot import pyspark" in said, said
    assert before and sorted(describe_acls(regions.client("na"), ["shop"])) == before
    assert not regions.known("eu")["begun"]
