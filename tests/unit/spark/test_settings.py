# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that a person gives, and the file that tells how far it is."""

from __future__ import annotations

import json
import stat

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from kafka_dr_spark import cli, progress, settings


def config(path, content, mode=0o600):
    path.write_text(content)
    path.chmod(mode)
    return str(path)


def test_config_is_read(tmp_path):
    assert settings.load_config(config(tmp_path / "c", '{"bootstrap.servers": "a:1", "x": null}')) == {
        "bootstrap.servers": "a:1"
    }


@pytest.mark.parametrize("verified", [True, False])
def test_a_connection_that_is_not_verified_is_told(tmp_path, capsys, verified):
    algorithm = "https" if verified else "none"
    text = f'{{"bootstrap.servers": "a:1", "ssl.endpoint.identification.algorithm": "{algorithm}"}}'
    settings.live_side(config(tmp_path / "c", text), "source", 1)
    said = capsys.readouterr().err
    assert said == "" if verified else "Warning: The connection to a:1 is not verified" in said


@pytest.mark.parametrize(
    ("content", "mode", "expected"),
    [
        ('{"bootstrap.servers": "a:1"}', 0o640, "read by others"),
        ('{"bootstrap.servers": "a:1"}', 0o604, "read by others"),
        ("{", 0o600, "not valid JSON"),
        ("{}", 0o600, "bootstrap.servers"),
        ("[]", 0o600, "bootstrap.servers"),
    ],
)
def test_config_is_refused_without_repeating_it(tmp_path, content, mode, expected):
    with pytest.raises(UsageError, match=expected) as caught:
        settings.load_config(config(tmp_path / "c", content, mode))
    assert "a:1" not in str(caught.value)


def test_reports_are_private_and_whole(tmp_path):
    path = tmp_path / "deep" / "report.json"
    settings.write_json(str(path), {"a": 1})
    assert json.loads(path.read_text()) == {"a": 1}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["report.json"]


def test_progress_adds_up_what_tasks_tell(tmp_path):
    told = progress.Progress(path=str(tmp_path / "p"), quiet=True)
    try:
        told.start("read", 1000)
        told.tasks = {1: (300, 5000), 2: (60, 100)}
        figures = told.figures()
        assert (figures["records"], figures["bytes"], figures["percent"], figures["of"]) == (360, 5100, 36.0, 1000)
        assert figures["text"].startswith("proof: 360 of 1,000 records, 36 %")
        assert json.loads((tmp_path / "p").read_text())["finished"] is False
    finally:
        told.close()


def test_a_strangers_datagram_is_not_counted():
    told = progress.Progress(quiet=True)
    sender = progress.Sender(told.address, "another", 1)
    try:
        sender(10, 10)
        sender.close()
        assert told.tasks == {}
    finally:
        told.close()


def test_an_unexpected_error_is_not_a_difference(tmp_path, monkeypatch, capsys):
    """Python itself would end with 1, which means that records were shown to differ."""
    monkeypatch.setattr(cli, "compare", lambda *words: 1 / 0)
    path = config(tmp_path / "c", '{"bootstrap.servers": "a:1"}')
    report = tmp_path / "r"
    assert (
        cli.main(
            ["compare", "--source-config", path, "--target-config", path, "--topics", "x", "--report", str(report)],
            None,
            object(),
        )
        == 2
    )
    assert json.loads(report.read_text())["complete"] is False


def test_interrupted_is_130(tmp_path, monkeypatch):
    def interrupt(*words):
        raise cli.Interrupted

    monkeypatch.setattr(cli, "manifest", interrupt)
    assert cli.main(["manifest", "--config", "c", "--topics", "x", "--out", "o"], None, object()) == 130


def test_what_was_not_judged_is_not_named_before_a_difference():
    beyond = {"kind": "beyond", "field": None, "count": 9, "source_offset": None, "target_offset": 7}
    lost = {"kind": "missing_head", "field": None, "count": 1, "source_offset": 0, "target_offset": None}
    topics = [
        {"topic": name, "partitions": [{"partition": 0, "differences": found}]}
        for name, found in (("a", [beyond] * 5), ("b", [lost, beyond]))
    ]
    assert cli.named({"topics": topics}) == ["b-0: missing_head source offset 0"]
