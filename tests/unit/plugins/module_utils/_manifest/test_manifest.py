# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest is read in one way, from a directory or a URI, and refused before it is needed."""

from __future__ import annotations

import json

import pyarrow.fs
import pyarrow.parquet
import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest import batch
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import FormatError, KafkaDrError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest import content, place, portions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest.scan import ManifestRecords
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest.side import ManifestSide
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work import manifest_info as look
from tests.support.records import from_rows

FILE = "data/20261122T000000-0-00000-abcdef01.parquet"


def manifest(**topics):
    """manifest.json of topics ``{name: changes}``."""
    part = {"low": 0, "high": 20, "records": 20, "files": [FILE]}
    whole = {"topic_id": "id", "detail": "records", "config": {}, "partitions": {"0": part}}
    return {
        "format": 1,
        "cluster_id": "lost",
        "saved_at": 1,
        "topics": {name: {**whole, **changes} for name, changes in topics.items()},
    }


ROWS = from_rows([(at, 1000 + at, b"k", b"v%d" % at, None) for at in range(20)])


def save(where, kept=None):
    """A manifest of one topic ``t`` at a directory or URI."""
    kept = kept or manifest(t={})
    content.store(where, kept)
    system, inside = place.locate(where)
    system.create_dir(inside + "/data", recursive=True)
    row = portions.portion("t", "id", 0, ROWS, "records")
    table = pyarrow.Table.from_pylist([row], portions.schema())
    pyarrow.parquet.write_table(table, inside + "/" + FILE, filesystem=system)
    return kept


@pytest.fixture(params=["directory", "file", "mock"])
def where(request, tmp_path, monkeypatch):
    """A directory, a URI, and an object store that knows no local path."""
    if request.param == "mock":
        kept = pyarrow.fs._MockFileSystem()
        monkeypatch.setattr(place, "from_uri", lambda uri: (kept, uri[len("s3://") :]))
        return "s3://bucket/manifest"
    return str(tmp_path / "m") if request.param == "directory" else "file://" + str(tmp_path / "m")


def test_the_job_and_the_translation_read_the_same_place(where):
    save(where)
    side = ManifestSide({"path": where, "name": "the manifest"})
    assert side.cluster_id == "lost" and side.survey(["t"])["t"]["bounds"] == {0: (0, 20)}
    (records,) = side.records("t", 0, [(5, 9)])
    found = ManifestRecords(where).scan("t", 0, 5, 9)
    assert found.offsets.tolist() == [5, 6, 7, 8] and found.digests.tolist() == records.digest(True).tolist()
    assert (
        ManifestRecords(where).scan("t", 0, 5, 9, timestamps=False).digests.tolist()
        == ROWS.take(slice(5, 9)).digest(False).tolist()
    )
    assert batch.cut_records(records).count == 4


def test_what_a_manifest_does_not_hold_is_not_guessed(tmp_path):
    save(str(tmp_path))
    records = ManifestRecords(str(tmp_path), {"t": {"id": "another"}})
    assert records.scan("t", 0, 0, 20) is None
    records.known_ids = {}
    assert (
        records.scan("t", 1, 0, 20) is None
        and records.scan("u", 0, 0, 20) is None
        and records.scan("t", 0, 20, 30) is None
    )


def test_one_topic_of_chunks_takes_no_detail_from_the_others(tmp_path):
    save(str(tmp_path))
    side = ManifestSide({"path": str(tmp_path), "name": "the manifest"})
    side.content["topics"]["coarse"] = {**side.content["topics"]["t"], "detail": "chunks"}
    assert [side.detailed(topic) for topic in ("t", "coarse", "absent")] == [True, False, False]


def test_a_manifest_is_looked_at_before_it_is_needed(where):
    save(where)
    found = look.manifest_info({"manifest": where, "topics": ["t", "u"]})
    assert (found["readable"], found["cluster_id"], found["uncovered"]) == (True, "lost", ["u"])
    assert found["topics"] == {"t": {"id": "id", "detail": "records", "partitions": 1}}
    for partitions, lacking in (({"t": [0]}, []), ({"t": ["0"], "v": []}, ["v"]), ({"t": [0, 1]}, ["t"])):
        asked = {"manifest": where, "topics": [], "partitions": partitions}
        assert look.manifest_info(asked)["uncovered"] == lacking
    assert look.manifest_info({"manifest": where, "topics": [], "partitions": {"t": [0, 10, 2], "v": [0]}})[
        "uncovered_partitions"
    ] == {"t": ["2", "10"]}
    system, inside = place.locate(where)
    system.delete_file(inside + "/" + FILE)
    found = look.manifest_info({"manifest": where, "topics": []})
    assert not found["readable"] and "1 missing or empty" in found["reason"]
    content.store(where, manifest(t={"topic_id": None}))
    assert "is damaged" in look.manifest_info({"manifest": where, "topics": []})["reason"]


def test_a_file_that_cannot_be_opened_is_no_manifest(tmp_path):
    save(str(tmp_path))
    (tmp_path / FILE).write_bytes(b"x" * 100)
    found = look.manifest_info({"manifest": str(tmp_path), "topics": []})
    assert not found["readable"] and "cannot be read" in found["reason"]


def test_nor_is_one_whose_copy_was_cut_off_in_any_of_its_files(tmp_path):
    save(str(tmp_path))
    first = FILE.replace("T000000", "T000001")
    part = {"low": 0, "high": 40, "records": 40, "files": [FILE, first]}
    content.store(str(tmp_path), manifest(t={"partitions": {"0": part}}))
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / first).write_bytes(whole)
    assert look.manifest_info({"manifest": str(tmp_path), "topics": []})["readable"]
    (tmp_path / FILE).write_bytes(whole[: len(whole) // 2])
    found = look.manifest_info({"manifest": str(tmp_path), "topics": []})
    assert not found["readable"] and FILE in found["reason"], found


@pytest.mark.parametrize("wrong", ["", "nowhere", "no scheme://x", "gopher://x/y"])
def test_no_manifest_is_an_answer_for_a_gate(tmp_path, wrong):
    found = look.manifest_info({"manifest": wrong if ":" in wrong else str(tmp_path / wrong), "topics": ["t"]})
    assert not found["readable"] and found["reason"]


def test_credentials_in_a_uri_are_refused_and_not_shown():
    with pytest.raises(UsageError, match="environment") as caught:
        place.locate("s3://AKIA123:very-secret@bucket/m")
    assert "very-secret" not in str(caught.value) and "AKIA" not in str(caught.value)
    assert "very-secret" not in str(look.manifest_info({"manifest": "s3://AKIA123:very-secret@bucket/m", "topics": []}))


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        '{"format": 2}',
        "x",
        '{"format": 1}',
        json.dumps({**manifest(), "cluster_id": None}),
        json.dumps({**manifest(), "topics": []}),
        json.dumps(manifest(t={"partitions": {"0": {"low": 5, "high": 2, "files": []}}})),
        json.dumps(manifest(t={"config": None})),
        json.dumps(manifest(t={"partitions": {"0": {"low": 0, "high": 2, "files": ["../../secret.parquet"]}}})),
        json.dumps(manifest(t={"detail": "all"})),
    ],
)
def test_a_manifest_of_another_kind_is_refused(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(FormatError):
        content.load(str(tmp_path))


def test_no_manifest_is_none_and_store_replaces(tmp_path):
    where = str(tmp_path / "m")
    assert content.load(where) is None
    with pytest.raises(KafkaDrError, match="There is no manifest"):
        content.require(where)
    content.store(where, manifest())
    content.store(where, manifest(t={}))
    assert list(content.load(where)["topics"]) == ["t"]
    assert list(content.load("file://" + where)["topics"]) == ["t"]
