# SPDX-License-Identifier: GPL-3.0-or-later
"""A source that is gone is proven against by its manifest, record by record."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest
from confluent_kafka import Producer

from . import support
from .cases import COMPACT, KEYED, NOW, without
from .support import Case, some

pytestmark = pytest.mark.real

ROWS = some(300, headers=())
CASES = [
    Case("m_proven", ROWS, ROWS, "PROVEN"),
    Case("m_lost", ROWS, without(ROWS, 123), "LOSS", {"missing": 1}, differences=[("missing", 123, None, None)]),
    Case("m_tail", ROWS, ROWS[:-7], "LOSS", {"missing_tail": 7}),
    Case("m_twice", ROWS, [*ROWS[:100], *ROWS[90:]], "DUPLICATES", {"duplicated": 10}),
    Case(
        "m_altered",
        ROWS,
        [*ROWS[:9], ROWS[9].but(value=b"x"), *ROWS[10:]],
        "DIFFERENT",
        {"altered": 1},
        differences=[("altered", 9, 9, "content")],
    ),
    Case(
        "m_time",
        ROWS,
        [*ROWS[:9], ROWS[9].but(timestamp=NOW - 1), *ROWS[10:]],
        "DIFFERENT",
        {"altered": 1},
        differences=[("altered", 9, 9, "timestamp")],
    ),
    Case(
        "m_later",
        ROWS,
        [*ROWS, *some(5, prefix="later", start=NOW + 90000)],
        "PROVEN",
        {"beyond": 5},
        "beyond the source's bounds",
    ),
    Case("m_compacted", KEYED, without(KEYED, 0, 1), "PROVEN", config=COMPACT),
    Case("m_compacted_lost", KEYED, without(KEYED, 3), "LOSS", {"missing": 1}, config=COMPACT),
    Case(
        "m_compacted_later",
        KEYED,
        [*KEYED, KEYED[-1].but(value=b"later", timestamp=NOW + 90000)],
        "PROVEN",
        {"beyond": 1},
        "beyond the source's bounds",
        config=COMPACT,
    ),
    Case(
        "m_markers", [row.but(group=at // 30) for at, row in enumerate(ROWS)], ROWS, "PROVEN", transactional=("source",)
    ),
    Case("m_log_append", ROWS, ROWS, "NOT_PROVABLE", target_config={"message.timestamp.type": "LogAppendTime"}),
]


@pytest.fixture(scope="module")
def saved(pair, spark, tmp_path_factory):
    """The manifest, the comparison with it (the job is not given the source), and the job."""
    support.set_up(pair, CASES)
    directory = tmp_path_factory.mktemp("manifest")
    job = support.Job(directory, pair["source"], pair["target"], spark)
    code, told = job.manifest(directory / "saved", "m_.*")
    assert code == 0, told
    code, report, errors = job.compare(
        "m_.*", "--manifest", str(directory / "saved"), "--wait-seconds", "1", source=False
    )
    assert report and code == 1, errors
    return job, directory / "saved", report


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_manifest_tells(case, saved):
    topic = support.topic_of(saved[2], case.name)
    part = topic["partitions"][0]
    counts = {name: part[name] for name in support.KINDS if part[name]}
    assert (topic["verdict"], counts) == (case.verdict, case.counts), topic
    assert case.reason in " / ".join(topic["reasons"])
    if case.differences:
        assert [
            (one["kind"], one["source_offset"], one["target_offset"], one["field"]) for one in part["differences"]
        ] == case.differences


def test_manifest_holds_no_content(saved):
    """Digests leave the region, records do not."""
    for file in (saved[1] / "data").glob("*.parquet"):
        assert b"v-12" not in file.read_bytes()


def test_second_run_reads_only_what_is_new(saved, pair, tmp_path):
    job, saved_at, dummy = saved
    place = tmp_path / "grown"
    shutil.copytree(saved_at, place)
    support.write(pair["source"], {"m_proven": some(11, prefix="new", start=NOW + 10**6)})
    code, told = job.manifest(place, "m_.*")
    assert code == 0 and "(11 new" in told, told
    content = json.loads((place / "manifest.json").read_text())
    assert content["topics"]["m_proven"]["partitions"]["0"]["records"] == 311
    code, report, errors = job.compare("m_proven", "--manifest", str(place), "--wait-seconds", "0", source=False)
    assert (code, report["totals"]["missing_tail"], report["totals"]["records_source"]) == (1, 11, 311), errors
    support.write(pair["target"], {"m_proven": some(11, prefix="new", start=NOW + 10**6)})
    code, report, errors = job.compare("m_proven", "--manifest", str(place), source=False)
    assert (code, report["verdict"]) == (0, "PROVEN"), errors


def test_a_manifest_that_somebody_changed_is_not_gone_on_with(saved, pair, tmp_path):
    """Ranges that it calls saved are not read again: without their files, nobody would miss their records."""
    job, saved_at, dummy = saved
    place = tmp_path / "changed"
    shutil.copytree(saved_at, place)
    digest = hashlib.sha256((place / "manifest.json").read_bytes()).hexdigest()
    assert job.manifest(place, "m_lost", "--manifest-digest", digest)[0] == 0
    digest = hashlib.sha256((place / "manifest.json").read_bytes()).hexdigest()
    content = json.loads((place / "manifest.json").read_text())
    content["topics"]["m_lost"]["partitions"]["0"].update(files=[], spans=[], records=0)
    forged = json.dumps(content)
    (place / "manifest.json").write_text(forged)
    code, told = job.manifest(place, "m_lost", "--manifest-digest", digest)
    assert code == 2 and "is not the one that was made" in told and (place / "manifest.json").read_text() == forged, (
        told
    )


def test_many_runs_name_few_files(saved, pair, tmp_path):
    """Hourly runs: files are merged, and the proof against what is left says the same."""
    job = saved[0]
    place = tmp_path / "hourly"
    both = ("source", "target")
    for name in both:
        support.create(pair[name], {"hourly": (2, {})})
    digest = []
    for hour in range(9):
        rows = some(20, prefix=f"h{hour}", start=NOW + hour * 1000)
        for name in both:
            support.write(pair[name], {"hourly": rows})
        code, told = job.manifest(place, "hourly", *digest)
        assert code == 0 and "(20 new" in told, told
        digest = ["--manifest-digest", hashlib.sha256((place / "manifest.json").read_bytes()).hexdigest()]
    content = json.loads((place / "manifest.json").read_text())
    files = content["topics"]["hourly"]["partitions"]["0"]["files"]
    assert (
        len(files) == 2
        and "-g1-" in files[0]
        and sorted({*files, *content["superseded"]})
        == sorted(f"data/{file.name}" for file in (place / "data").iterdir())
    )
    code, report, errors = job.compare("hourly", "--manifest", str(place), *digest, source=False)
    assert (code, report["verdict"], report["totals"]["records_source"]) == (0, "PROVEN", 180), errors
    support.drop(pair["target"], ["hourly"])
    support.create(pair["target"], {"hourly": (2, {})})
    code, report, errors = job.compare("hourly", "--manifest", str(place), "--wait-seconds", "0", source=False)
    assert (code, report["verdict"], report["totals"]["missing_tail"]) == (1, "LOSS", 180), errors


@pytest.mark.full
def test_created_anew_starts_anew(saved, pair, tmp_path):
    """Digests of a topic of the same name but another id are not mixed with the old ones."""
    job, _saved_at, dummy = saved
    place = tmp_path / "anew"
    support.create(pair["source"], {"again": (1, {})})
    support.write(pair["source"], {"again": ROWS[:50]})
    assert job.manifest(place, "again")[0] == 0
    before = json.loads((place / "manifest.json").read_text())["topics"]["again"]
    support.drop(pair["source"], ["again"])
    support.create(pair["source"], {"again": (1, {})})
    support.write(pair["source"], {"again": ROWS[100:200]})
    assert job.manifest(place, "again")[0] == 0
    after = json.loads((place / "manifest.json").read_text())["topics"]["again"]
    assert before["topic_id"] != after["topic_id"]
    assert after["partitions"]["0"]["records"] == 100


@pytest.mark.full
def test_chunks_only_proves_and_counts(saved, pair, tmp_path):
    job = saved[0]
    place = tmp_path / "chunks"
    assert job.manifest(place, "m_proven|m_tail|m_altered", "--detail", "chunks")[0] == 0
    report = job.compare("m_tail|m_altered", "--manifest", str(place), "--wait-seconds", "0", source=False)[1]
    assert support.topic_of(report, "m_tail")["verdict"] == "LOSS"
    altered = support.topic_of(report, "m_altered")
    assert altered["verdict"] == "DIFFERENT" and "counted, not named" in " ".join(altered["reasons"])


@pytest.mark.full
def test_groups_are_part_of_it(saved, pair, tmp_path):
    from confluent_kafka import TopicPartition

    from tests.support.committing import commit_places

    commit_places({**pair["source"].client, "log_level": 0}, "billing", [TopicPartition("m_proven", 0, 42)])
    place = tmp_path / "groups"
    assert saved[0].manifest(place, "m_proven")[0] == 0
    assert json.loads((place / "manifest.json").read_text())["groups"] == {"billing": {"m_proven": {"0": 42}}}


def test_damaged_manifest_is_not_complete(saved, tmp_path):
    place = tmp_path / "damaged"
    shutil.copytree(saved[1], place)
    for file in (place / "data").glob("*.parquet"):
        file.write_bytes(file.read_bytes()[:-100])
    code, report, dummy = saved[0].compare("m_proven", "--manifest", str(place), source=False)
    assert (code, report["complete"], report["verdict"]) == (2, False, "NOT_PROVABLE")


@pytest.mark.full
@pytest.mark.parametrize("content", [None, "not json", '{"format": 99}', "[]"])
def test_no_manifest(saved, tmp_path, content):
    if content is not None:
        (tmp_path / "manifest.json").write_text(content)
    code, report, errors = saved[0].compare("m_proven", "--manifest", str(tmp_path), source=False)
    assert code == 2 and not report["complete"], errors


def test_what_an_open_transaction_withholds_is_told(pair, saved, tmp_path):
    support.create(pair["source"], {"withheld": (1, {})})
    support.write(pair["source"], {"withheld": ROWS[:20]})
    producer = Producer({**pair["source"].client, "transactional.id": "hangs", "log_level": 0})
    producer.init_transactions(20)
    producer.begin_transaction()
    producer.produce("withheld", b"of nobody yet")
    assert producer.flush(20) == 0
    support.write(pair["source"], {"withheld": ROWS[20:30]})
    try:
        code, output = saved[0].manifest(tmp_path / "withheld", "withheld")
        assert code == 0, output
        assert "Not covered: 11 offsets behind open transactions in 1 partitions (withheld-0)" in output
    finally:
        producer.abort_transaction(20)
