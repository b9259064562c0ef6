# SPDX-License-Identifier: GPL-3.0-or-later
"""What Prometheus learns of past drills."""

from __future__ import annotations

import stat

import pytest
from prometheus_client.parser import text_string_to_metric_families

from kafka_dr_lab import cli, drill_metrics
from kafka_dr_lab.errors import LabError
from tests.unit.plugins.module_utils._report.reports import NOW, drill, failed_drill
from tests.unit.plugins.module_utils._report.test_history import put


def series(path):
    """``{name: {(scenario, platform): value}}`` of the file."""
    return {
        family.name: {(one.labels["scenario"], one.labels["platform"]): one.value for one in family.samples}
        for family in text_string_to_metric_families(path.read_text())
    }


def told(tmp_path, capsys):
    """The file that ``history --metrics`` writes."""
    path = tmp_path / "collector" / "kafka_dr.prom"
    assert cli.main(["history", "--report", str(tmp_path), "--metrics", str(path)]) == 0
    assert str(path) in capsys.readouterr().out
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    return series(path)


def test_the_last_drill_of_each_scenario_and_platform(tmp_path, capsys):
    put(tmp_path / "a", drill(began=NOW, rto_seconds=90.0))
    put(tmp_path / "b", drill(began=NOW + 100, rto_seconds=50.0))
    put(tmp_path / "c", drill(began=NOW + 50, platform="kubernetes", rto_seconds=120.0))
    put(tmp_path / "d", failed_drill(began=NOW + 200, sabotage="mirror"))
    seen = told(tmp_path, capsys)
    (scenario,) = {key[0] for key in seen["kafka_dr_drill_passed"]}
    assert seen["kafka_dr_drill_rto_seconds"] == {(scenario, "host"): 50.0, (scenario, "kubernetes"): 120.0}
    assert seen["kafka_dr_drill_timestamp_seconds"][scenario, "host"] == NOW + 100
    assert seen["kafka_dr_drill_rpo_records"][scenario, "host"] == drill()["rpo"]["records"]
    assert set(seen["kafka_dr_drill_passed"].values()) == {1.0}


def test_a_drill_that_failed_shows_no_rto(tmp_path, capsys):
    put(tmp_path / "a", drill(began=NOW))
    put(tmp_path / "b", failed_drill(began=NOW + 100))
    seen = told(tmp_path, capsys)
    assert set(seen["kafka_dr_drill_passed"].values()) == {0.0} and not seen["kafka_dr_drill_rto_seconds"]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LabError, match=r"kafka_dr\.prom cannot be written: .*--metrics"):
        drill_metrics.write([], tmp_path / "file" / "kafka_dr.prom")
