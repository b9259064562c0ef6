# SPDX-License-Identifier: GPL-3.0-or-later
"""How the proof's job is called, what is kept of its result, and what a probe's positions say."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._doctor.lines import doctor_failures, doctor_lines
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.witness_config import witness_config
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.probing import probe_positions, probe_wrong
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.proving import (
    manifest_place,
    proof_arguments,
    proof_counts,
    proof_covered,
    proof_lost,
    proof_partitions,
    proof_recorded,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.names import names_listed

OPTIONS = {
    "source": "na",
    "target": "eu",
    "manifest": "",
    "digest": "",
    "rename": "identity",
    "max_differences": 100,
    "wait_seconds": 60,
    "ignore_timestamps": False,
    "bounds": {},
}
WROTE = ["--report", "/run/report.json"]


def test_a_proof_against_a_region():
    assert proof_arguments(OPTIONS, "/run") == [
        *("--source-config", "/run/source.json", "--target-config", "/run/target.json", "--target-name", "eu"),
        *("--source-name", "na", "--rename", "identity", "--max-differences", "100", "--wait-seconds", "60"),
        *WROTE,
    ]


def test_a_proof_against_a_manifest():
    options = {**OPTIONS, "source": "", "manifest": "/m", "digest": "d", "ignore_timestamps": True, "bounds": {"at": 1}}
    assert proof_arguments(options, "/run") == [
        *("--manifest", "/m", "--manifest-digest", "d", "--target-config", "/run/target.json", "--target-name", "eu"),
        *("--source-name", "the manifest", "--rename", "identity", "--max-differences", "100", "--wait-seconds", "60"),
        *(*WROTE, "--ignore-timestamps", "--bounds", "/run/bounds.json"),
    ]


@pytest.mark.parametrize("manifest", ["", "/m"])
def test_a_proof_against_what_a_watch_kept(manifest):
    watch = {"watch": "na_to_eu", "watch_state": "__kafka_dr_windows", "watch_source": "id", "watch_seen_at": 1.5}
    words = proof_arguments({**OPTIONS, "source": "", "manifest": manifest, "digest": "d", **watch}, "/run")
    wanted = [*("--watch", "na_to_eu", "--state", "__kafka_dr_windows", "--source-cluster", "id", "--seen-at", "1500")]
    assert words[: len(wanted)] == wanted
    assert ("--manifest" in words) is bool(manifest) and "--source-config" not in words


def test_a_proof_of_what_follows_after_a_watch():
    words = proof_arguments({**OPTIONS, "watch": "na_to_eu", "watch_state": "__kafka_dr_windows"}, "/run")
    assert words[:6] == [
        *("--source-config", "/run/source.json", "--watch", "na_to_eu"),
        *("--state", "__kafka_dr_windows"),
    ]
    assert "--source-cluster" not in words and "--manifest" not in words


def test_only_kinds_that_were_judged_and_found_are_counted():
    assert proof_counts({"records_source": 9, "missing": 3, "altered": 0, "beyond": 4, "foreign": 1}) == [
        "3 missing",
        "1 foreign",
    ]


def test_what_was_not_copied_is_told_by_topic():
    assert proof_lost({}) == ""
    assert proof_lost({"bills": {"0": 2}, "orders": {"0": 3, "1": 4}}) == (
        "9 records had not been copied and are lost: orders 7, bills 2"
    )
    many = {f"t{number}": {"0": 10 + number} for number in range(7)}
    assert proof_lost(many).endswith("are lost: t6 16, t5 15, t4 14, t3 13, t2 12, 2 more topics")


def test_what_a_ledger_keeps_of_a_proof():
    result = {"verdict": "PROVEN", "complete": True, "totals": {}, "topics": [], "report": "/r", "seconds": 1}
    kept = {key: result[key] for key in ("verdict", "complete", "totals", "topics", "seconds")}
    assert proof_recorded(result) == kept
    assert proof_recorded(result, "report") == {**kept, "report": "/r"}
    assert proof_recorded({}) == {}


def test_a_ledger_does_not_keep_every_partition_of_every_night_s_proof():
    topic = {"topic": "orders", "target_topic": "orders", "verdict": "PROVEN"}
    result = {"verdict": "PROVEN", "topics": [{**topic, "partitions": {"0": {"source": [0, 9], "target": [0, 9]}}}]}
    assert proof_recorded(result) == result
    assert proof_recorded(result, ranges=False) == {"verdict": "PROVEN", "topics": [topic]}


def test_where_a_manifest_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    here = str(Path(tmp_path).resolve() / "m")
    assert [manifest_place(text) for text in ("m", "~/m", here)] == [here] * 3
    assert manifest_place("s3a://bucket/m") == "s3a://bucket/m"
    assert manifest_place("") == manifest_place("", "records") == ""


@pytest.mark.parametrize(
    ("place", "below"),
    [
        ("s3://b/kept", "s3://b/kept/records"),
        ("s3://b/kept/?scheme=http&endpoint_override=h:9", "s3://b/kept/records?scheme=http&endpoint_override=h:9"),
        ("/kept", "/kept/records"),
        ("/", "/records"),
        # No URI, but a directory of that name.
        ("/kept/s3:/b", "/kept/s3:/b/records"),
    ],
)
def test_a_name_below_a_place(place, below):
    assert manifest_place(place, "records") == below


def test_what_has_one_slash_is_a_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert manifest_place("s3:/b") == f"{tmp_path}/s3:/b"


@pytest.mark.parametrize(
    ("value", "names"), [("a\n b, c \n\n", ["a", "b, c"]), (["a", "b"], ["a", "b"]), ([], []), ("", []), (None, [])]
)
def test_names_as_a_text_or_a_list(value, names):
    assert names_listed(value) == names


def row(answer, confidence="exact", truth=10):
    plan = [{"partition": 0, "source_offset": 5, "to": answer, "confidence": confidence, "reprocess_at_most": 0}]
    return probe_positions(plan, {"0": {"target_offset": truth}})


def test_an_answer_stands_beside_the_truth():
    assert row(9, "lower_bound") == [
        {
            "partition": 0,
            "source_offset": 5,
            "target_offset": 10,
            "answer": 9,
            "confidence": "lower_bound",
            "reprocess_at_most": 0,
        }
    ]


@pytest.mark.parametrize(
    ("answer", "confidence", "wrong"),
    [
        (10, "exact", False),
        (9, "exact_map", True),
        (9, "lower_bound", False),
        (11, "lower_bound", True),
        (None, "none", True),
    ],
)
def test_an_answer_must_not_skip_and_be_exact_where_it_says_so(answer, confidence, wrong):
    rows = row(answer, confidence)
    assert probe_wrong(rows, 1) == (rows if wrong else [])


def test_answers_that_are_missing_are_wrong():
    assert probe_wrong(row(10), 3) == ["positions for 1 partitions"]


FINDING = {
    "severity": "warning",
    "check": "lag",
    "object": "orders",
    "found": "9 records",
    "cause": "Slow",
    "remedy": "Wait",
}


def test_findings_are_told_a_line_each():
    assert doctor_lines([FINDING]) == ["warning lag (orders): 9 records. Slow. Wait."]
    assert doctor_lines([]) == []


@pytest.mark.parametrize(("fail_on", "named"), [("warning", ["lag of backup (orders)"]), ("error", []), ("never", [])])
def test_the_doctor_fails_by_severity(fail_on, named):
    assert doctor_failures({"backup": {"findings": [FINDING, {**FINDING, "severity": "info"}]}}, fail_on) == named


@pytest.mark.parametrize(("inside", "address"), [(False, "na:9092"), (True, "na.svc:9092")])
def test_a_witness_reaches_a_cluster_from_where_it_runs(inside, address):
    regions = {
        "na": {
            "kafka_dr_client": {"bootstrap.servers": "na:9092"},
            "kafka_dr_client_secrets": {"sasl.password": "stages"},
            "kafka_dr_users": [{"name": "watcher", "purpose": "witness", "password": "own"}],
            "kafka_dr_kubernetes": {"mirror_bootstrap": "na.svc:9092"},
        },
        "eu": {"kafka_dr_client": {"bootstrap.servers": "eu:9092"}},
    }
    mirror = {"name": "backup", "source": "na", "target": "eu", "topics": ["orders"], "groups": ["shop"]}
    config = witness_config(mirror, regions, "__positions", None, inside)
    assert config.pop("topics")
    assert config == {
        "source": {"bootstrap.servers": address, "sasl.username": "watcher", "sasl.password": "own"},
        "target": {"bootstrap.servers": "eu:9092"},
        "groups": "shop",
        "groups_exclude": "console-consumer-.*,__.*,streamsafe-kafka-dr-.*",
        "topic": "__positions",
        "source_cluster": "",
        "mirror": "na->eu",
        "succeeds": [],
        "interval_seconds": 2,
    }


def test_topics_that_differ_by_case_stay_apart():
    rows = [{"topic": topic, "partition": number, "offset": 5} for topic in ("Orders", "orders") for number in (0, 1)]
    assert proof_partitions(rows[:3]) == {"Orders": [0, 1], "orders": [0]}


def test_what_was_accepted_to_be_uncovered_bounds_nothing_and_all_else_does():
    ends = {"grown": {"0": 450, "1": 5}, "new": {"0": 7}, "whole": {"0": 9}}
    covered = {"grown": {"0": 450}, "whole": {"0": 9}}
    assert proof_covered(ends, ["grown", "new"], {"grown": ["1"]}) == covered
    # The watch stands for it, whatever the manifest lacks.
    assert proof_covered(ends, ["new"], {"grown": ["1"]}) == {**covered, "grown": ends["grown"]}
