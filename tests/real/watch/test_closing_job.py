# SPDX-License-Identifier: GPL-3.0-or-later
"""The job that proves a copy after a loss by what the watch kept, without Spark and with it."""

from __future__ import annotations

import json

import pytest

from kafka_dr_spark import closing
from tests.real.proof.conftest import spark  # noqa: F401  # pylint: disable=unused-import
from tests.real.proof.support import Job

from .test_closing import ROWS, begun, only

pytestmark = pytest.mark.real


def test_the_job_closes_windows_without_spark(pair, tmp_path):
    watching = begun(pair, "w.close.job", 1500)
    watching.write("target", ROWS[1500:])
    job = Job(tmp_path, target=pair["target"])
    words = job.words(
        "w.close.job", "--watch", watching.name, "--summary", str(tmp_path / "summary.json"), source=False
    )
    code, told, errors = job.run(words)
    assert code == 0 and told.startswith("PROVEN"), errors
    report = json.loads(job.report_path.read_text())
    assert report["engine"] == {"name": "in-process"} and report["watch"]["used"]
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["verdict"] == "PROVEN" and summary["watch"] == report["watch"]


def test_the_job_says_what_it_lacks(pair, tmp_path):
    job = Job(tmp_path, target=pair["target"])
    code, dummy, errors = job.run(job.words("w.close.job", "--watch", "nobody", source=False))
    assert code == 2 and "has no state of the mirror 'nobody'" in errors
    code, dummy, errors = job.run(job.words("w.close.job", source=False))
    assert code == 2 and "--watch with one of the former" in errors


def test_what_is_too_much_for_one_process_is_compared_on_spark(pair, spark, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setattr(closing, "IN_PROCESS", 100)
    watching = begun(pair, "w.close.spark", 1500)
    watching.write("target", [*ROWS[1500:1600], *ROWS[1601:]])
    job = Job(tmp_path, target=pair["target"], spark=spark)
    code, dummy, errors = job.run(job.words("w.close.spark", "--watch", watching.name, source=False))
    assert code == 1, errors
    report = json.loads(job.report_path.read_text())
    assert report["engine"]["name"] == "spark" and report["engine"]["tasks"] >= 2
    assert report["verdict"] == "LOSS" and only(report)["missing"] == 1
    assert [row["source_offset"] for row in only(report)["differences"]] == [1600]
