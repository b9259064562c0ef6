# SPDX-License-Identifier: GPL-3.0-or-later
"""JUnit XML as CI systems count it."""

from __future__ import annotations

from xml.etree import ElementTree

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.junit import junit
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.stage import report_of

from .reports import drill, entries, entry, failed_drill, lossy_partition, partition, proof, unprovable


def suite(report):
    """Attributes, and the state of each case."""
    found = ElementTree.fromstring(junit(report).encode())[0]
    states = {
        case.get("name"): (case[0].tag, case[0].get("message")) if len(case) else None
        for case in found.iter("testcase")
    }
    assert len(states) == int(found.get("tests")), "two cases share a name"
    assert sum(1 for one in states.values() if one and one[0] == "failure") == int(found.get("failures"))
    assert sum(1 for one in states.values() if one and one[0] == "error") == int(found.get("errors"))
    return found, states


def test_checks_are_cases():
    found, states = suite(drill())
    assert found.get("name") == "drill.failover" and set(states.values()) == {None} and found.get("time") == "170.200"
    properties = {one.get("name"): one.get("value") for one in found.iter("property")}
    assert (properties["rto_seconds"], properties["rpo_records"], properties["version.kafka"]) == (
        "40.52",
        "66",
        "4.3.1",
    )


def test_a_failed_check_says_what_was_expected_and_found():
    assert suite(failed_drill())[1] == {
        "stage_succeeded": ("failure", "expected exit code 0, found Playbook failover failed with exit code 2")
    }


def test_a_check_made_twice_is_two_cases():
    one = drill()["checks"][0]
    assert set(suite(drill(checks=[one, one]))[1]) == {"nothing_skipped", "nothing_skipped_2"}


def test_a_drill_without_checks_is_an_error():
    assert suite(drill(checks=[], verdict="failed"))[1]["drill_went_through"][0] == "error"


def test_partitions_of_a_proof_are_cases():
    states = suite(proof(partition(0), lossy_partition(1), verdict="LOSS"))[1]
    assert states == {
        "flights.departed-0": None,
        "flights.departed-1": ("failure", "expected PROVEN, found LOSS: missing 1, altered 1"),
    }
    assert "missing source offset 2500" in junit(proof(lossy_partition(1), verdict="LOSS"))


def test_what_could_not_be_told_is_an_error_and_no_failure():
    assert suite(unprovable())[1] == {"whole": ("error", "expected PROVEN, found NOT_PROVABLE")}


def test_steps_of_a_stage_are_cases_and_its_end_is_one():
    assert not any(suite(report_of(entries(), "failover"))[1].values())
    cut = suite(report_of(entries()[:6]))[1]
    assert cut["stage_ended"] == ("failure", "expected done, found unfinished")
    different = [
        *entries()[:-2],
        entry("proof", "different", 40, found={"verdict": "LOSS", "reasons": ["a hole"]}),
        entries()[-1],
    ]
    assert ("failure", "expected PROVEN, found LOSS: a hole") in suite(report_of(different))[1].values()


def test_what_xml_cannot_hold_is_replaced():
    report = drill()
    report["checks"][0].update(passed=False, found="\x00\x1b[31m <&> \ud800 ü")
    assert suite(report)[1]["nothing_skipped"][1].endswith("??[31m <&> ? ü")
