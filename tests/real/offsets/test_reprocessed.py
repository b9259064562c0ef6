# SPDX-License-Identifier: GPL-3.0-or-later
"""What groups processed in both regions, read from real groups and a real alignment."""

from __future__ import annotations

import json
import stat
import uuid

import pyarrow.parquet
import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.reprocessed_info import reprocessed_info
from tests.real.proof import support
from tests.real.proof.salvaging import salvage_here
from tests.support.kafka import clusters
from tests.support.offsets_lab import set_positions

pytestmark = pytest.mark.real

ROWS = support.some(100)


@pytest.fixture(scope="module")
def regions(tmp_path_factory):
    made = clusters(["north", "south"], tmp_path_factory.mktemp("reprocessed"))
    yield made
    for one in made.values():
        one.stop()


def test_ranges_are_listed_and_written_for_their_owner(regions, tmp_path):
    name = f"orders.{uuid.uuid4().hex[:8]}"
    for cluster, rows in ((regions["north"], ROWS), (regions["south"], ROWS[:80])):
        support.create(cluster, {name: (1, {})})
        support.write(cluster, {name: rows})
    committed = {"ahead": {0: 60}, "beyond": {0: 95}, "behind": {0: 20}, "new": {0: 3}}
    set_positions(regions["north"], name, committed)
    report = salvage_here(regions["north"], regions["south"], name, {"target": {name: {"0": 80}}}, tmp_path / "out")
    (tmp_path / "report.json").write_text(json.dumps(report))
    positions = {group: {name: {"0": 50}} for group in ("ahead", "beyond", "behind", "gone")}
    params = {
        "client": regions["north"].client,
        "client_secrets": {},
        "timeout": 20,
        "report": str(tmp_path / "report.json"),
        "positions": positions,
        "directory": str(tmp_path / "list"),
        "groups": [],
        "groups_regex": ".*",
        "groups_exclude_regex": "",
    }
    told = reprocessed_info(params, False)
    ranges = [tuple(one[key] for key in ("group", "first", "last", "records", "clipped")) for one in told["ranges"]]
    assert ranges == [("ahead", 50, 59, 10, False), ("beyond", 50, 79, 30, True)]
    assert [(one["group"], one["reason"]) for one in told["unknown"]] == [
        ("gone", "it has no position there any more"),
        ("new", "where it went on is not known"),
    ]
    assert (told["records"], told["groups"]) == (40, ["ahead", "beyond"])
    for path in told["files"]:
        assert stat.S_IMODE((tmp_path / path).stat().st_mode) == 0o600
    written = json.loads((tmp_path / "list" / "reprocessed.json").read_text())
    assert written == {"ranges": told["ranges"], "unknown": told["unknown"]}
    assert pyarrow.parquet.read_table(tmp_path / "list" / "reprocessed.parquet").to_pylist() == told["ranges"]
    with pytest.raises(KafkaDrError, match="Cannot read metadata"):
        reprocessed_info({**params, "client": {"bootstrap.servers": "127.0.0.1:1"}, "timeout": 3}, False)
