# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run of ``manifest`` goes on with, before any cluster is asked."""

from __future__ import annotations

import hashlib
import json
from types import SimpleNamespace

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError, NotProvableError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest import content as manifest
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import sides
from kafka_dr_spark import saving

PART = {"low": 0, "high": 10, "records": 10, "files": ["data/a.parquet"], "spans": [[0, 10]]}
HELD = {
    "format": 1,
    "cluster_id": "c",
    "topics": {"orders": {"topic_id": "t", "detail": "records", "config": {}, "partitions": {"0": PART}}},
    "runs": [],
}
NOBODY = {"kind": "cluster", "name": "nobody", "config": {"bootstrap.servers": "127.0.0.1:1"}, "timeout": 1}


def test_a_manifest_that_somebody_changed_is_not_gone_on_with(tmp_path):
    made = manifest.store(str(tmp_path), HELD)
    emptied = {**PART, "records": 0, "files": [], "spans": []}
    forged = json.dumps({**HELD, "topics": {"orders": {**HELD["topics"]["orders"], "partitions": {"0": emptied}}}})
    (tmp_path / "manifest.json").write_text(forged)
    with pytest.raises(NotProvableError, match="is not the one that was made"):
        saving.prepare(NOBODY, str(tmp_path), ".*", "records", made)
    assert (tmp_path / "manifest.json").read_text() == forged


@pytest.mark.parametrize("known", ["", "its own"])
def test_the_one_that_was_made_is(tmp_path, known):
    manifest.store(str(tmp_path), HELD)
    digest = hashlib.sha256((tmp_path / "manifest.json").read_bytes()).hexdigest() if known else ""
    with pytest.raises((KafkaDrError, KeyError)) as caught:
        saving.prepare(NOBODY, str(tmp_path), ".*", "records", digest)
    assert "is not the one" not in str(caught.value)


def test_only_what_is_new_is_read_and_divided_among_tasks(tmp_path, monkeypatch):
    manifest.store(str(tmp_path), HELD)
    survey = {"topic_id": "t", "config": {}, "partitions": [0], "bounds": {0: (0, 25)}}
    side = SimpleNamespace(
        cluster_id="c",
        client=None,
        topics=lambda pattern: ["orders"],
        survey=lambda names: {"orders": survey},
        ends=lambda partitions, isolation: {("orders", 0): 29},
    )
    monkeypatch.setattr(sides, "open_side", lambda spec: side)
    monkeypatch.setattr(saving, "positions_in", lambda client, names: {})
    asked = []

    def read(tasks, label, total):
        if not tasks:
            return []
        asked.extend(tuple(part) for task in tasks for part in task["ranges"])
        return [{"id": 0, "value": ("data/b.parquet", [("orders", 0, total, (10, 25))], "digest")}]

    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.parquet").write_bytes(b"")
    run = saving.prepare(NOBODY, str(tmp_path), ".*", "records")
    result = run.run(SimpleNamespace(parallelism=2, map=read))
    assert asked == [("orders", 0, 10, 25, False)]
    assert (result["new_records"], result["records"], result["withheld"]) == (15, 25, {"orders-0": 4})
    assert "4 offsets behind open transactions in 1 partitions (orders-0)" in saving.withheld_text(result["withheld"])
