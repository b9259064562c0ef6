# SPDX-License-Identifier: GPL-3.0-or-later
"""What groups processed in both regions, read from real groups and a real alignment."""

from __future__ import annotations

import json
import stat
import uuid

import pyarrow.parquet
import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage import writing
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.reprocessed import reprocessed
from tests.real.proof import support
from tests.real.proof.salvaging import held, salvage_here
from tests.support.kafka import own_clusters
from tests.support.offsets_lab import set_positions

pytestmark = pytest.mark.real

ROWS = support.some(100)


@pytest.fixture(scope="module")
def regions(tmp_path_factory):
    with own_clusters(tmp_path_factory.mktemp("reprocessed"), ("north", "south")) as made:
        yield made


def prepared(regions, topic, **kinds):
    """A topic of which one region has 80 records, and the other one 100."""
    for cluster, rows in ((regions["north"], ROWS), (regions["south"], ROWS[:80])):
        support.create(cluster, {topic: (1, kinds)})
        support.write(cluster, {topic: rows})


def listed(regions, tmp_path, report, positions, **more):
    """What ``reprocessed`` tells of a salvage's report."""
    (tmp_path / "report.json").write_text(json.dumps(report))
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
    return reprocessed({**params, **more}, False)


def written(tmp_path):
    """The rows of both files."""
    told = json.loads((tmp_path / "list" / "reprocessed.json").read_text())
    return told, pyarrow.parquet.read_table(tmp_path / "list" / "reprocessed.parquet").to_pylist()


def test_ranges_are_listed_and_written_for_their_owner(regions, tmp_path):
    name = f"orders.{uuid.uuid4().hex[:8]}"
    prepared(regions, name)
    committed = {"ahead": {0: 60}, "beyond": {0: 95}, "behind": {0: 20}, "new": {0: 3}}
    set_positions(regions["north"], name, committed)
    report = salvage_here(regions["north"], regions["south"], name, {"target": {name: {"0": 80}}}, tmp_path / "out")
    positions = {group: {name: {"0": 50}} for group in ("ahead", "beyond", "behind", "gone")}
    told = listed(regions, tmp_path, report, positions)
    assert told["changed"] and not listed(regions, tmp_path, report, positions)["changed"]
    ranges = [tuple(one[key] for key in ("group", "first", "last", "records", "clipped")) for one in told["ranges"]]
    assert ranges == [("ahead", 50, 59, 10, False), ("beyond", 50, 79, 30, True)]
    assert [(one["group"], one["reason"]) for one in told["unknown"]] == [
        ("gone", "it has no position there any more"),
        ("new", "where it went on is not known"),
    ]
    assert (told["records"], told["records_salvaged"], told["groups"]) == (40, 0, ["ahead", "beyond"])
    for path in told["files"]:
        assert stat.S_IMODE((tmp_path / path).stat().st_mode) == 0o600
    assert written(tmp_path) == ({"ranges": told["ranges"], "unknown": told["unknown"]}, told["ranges"])
    with pytest.raises(KafkaDrError, match="Cannot read metadata"):
        listed(regions, tmp_path, report, positions, client={"bootstrap.servers": "127.0.0.1:1"}, timeout=3)


@pytest.mark.parametrize("action", ["replay", "side_topic"])
def test_what_a_salvage_repeats_is_listed(regions, tmp_path, monkeypatch, action):
    """Between its transactions, and those of applications, lie offsets that hold nothing of it."""
    monkeypatch.setattr(writing, "RECORDS", 6)
    name = f"payments.{uuid.uuid4().hex[:8]}"
    prepared(regions, name)
    support.write(regions["south"], {name: support.some(5, prefix="since")})
    set_positions(regions["north"], name, {"beyond": {0: 95}, "level": {0: 80}, "left": {0: 90}})
    out, actions = tmp_path / "out", [{"topics": ".*", "action": action}]
    bounds = {"target": {name: {"0": 80}}}
    # A second run writes nothing, and tells the same.
    for dummy in range(2):
        report = salvage_here(regions["north"], regions["south"], name, bounds, out, actions)
        assert report["salvaged"] == 20
    told = listed(regions, tmp_path, report, {group: {name: {"0": 80}} for group in ("beyond", "level")})
    place = name if action == "replay" else f"{name}.salvaged"
    assert {(one["topic"], one["cause"]) for one in told["ranges"]} == {(place, action)}
    assert all(one["clipped"] is None for one in told["ranges"])
    rows = {row[0]: row[2] for row in held(regions["south"], place)[0]}
    for group, position in (("beyond", 95), ("left", 90)):
        mine = [one for one in told["ranges"] if one["group"] == group]
        assert len(mine) > 1
        values = [rows.get(at) for one in mine for at in range(one["first"], one["last"] + 1)]
        assert values == [row.value for row in ROWS[80:position]]
        assert sum(one["records"] for one in mine) == position - 80
    assert (told["records"], told["records_salvaged"], told["groups"]) == (25, 25, ["beyond", "left"])
    assert [(one["group"], one["reason"]) for one in told["unknown"]] == [("left", "where it went on is not known")]
    assert written(tmp_path) == ({"ranges": told["ranges"], "unknown": told["unknown"]}, told["ranges"])
