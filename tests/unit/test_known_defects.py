# SPDX-License-Identifier: GPL-3.0-or-later
"""Defects that were found in other people's disaster-recovery playbooks, and where each of them is kept out of these.

Most are kept out by tests that stand with their subject; the table names them, so that none goes away unnoticed. What
is a property of the tasks themselves is tested here.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.mirrors import reverse_of

ROOT = Path(__file__).resolve().parents[2]
TASKS = sorted([*ROOT.glob("roles/*/tasks/**/*.yml"), *ROOT.glob("playbooks/*.yml")])
UNITS, REAL, KUBERNETES = "tests/unit/plugins/module_utils", "tests/real", "tests/kubernetes"

WHERE = {
    "an interval of seconds given in milliseconds, which is a week": [
        (f"{UNITS}/_mm2/test_mirror_config.py", "test_intervals_of_seconds_stay_below_an_hour"),
        (f"{UNITS}/_lint/test_lint_resources.py", "test_the_interval_is_said_in_days"),
    ],
    "the old backup deleted before the new one exists and is proven": [
        (f"{REAL}/restore/test_recopy.py", "test_the_old_backup_stands_until_the_new_one_is_proven"),
        (f"{REAL}/restore/test_stages.py", "test_a_new_backup_before_the_applications"),
    ],
    "offset.lag.max taken for completeness": [
        (f"{UNITS}/_lint/test_lint_resources.py", "test_every_second_record_and_nothing_about_completeness"),
        (f"{UNITS}/_lint/test_lint_resources.py", "test_never_in_ours"),
    ],
    "exactly-once that reads uncommitted records": [
        (f"{UNITS}/_lint/test_lint_resources.py", "test_found_there"),
        (
            f"{REAL}/hosts/test_mirror_settings.py",
            "test_an_aborted_transaction_of_the_source_is_not_copied_even_as_uncommitted_data",
        ),
    ],
    "resuming without knowing that the restore is complete": [
        (f"{REAL}/restore/test_stages.py", "test_a_record_that_is_gone_since_the_proof_closes_the_gate"),
        (f"{UNITS}/_stages/test_restore.py", "test_what_is_no_proof_of_this_restore"),
        (f"{UNITS}/_stages/test_restore.py", "test_a_proof_falls_with_what_came_after_it"),
    ],
    "a secret copied without type, labels or annotations, by its index, in the open": [
        (f"{KUBERNETES}/test_secret_copy.py", "test_the_whole_cycle"),
        (f"{KUBERNETES}/test_secret_copy.py", "test_names_what_is_missing"),
        (f"{UNITS}/_k8s/test_secret_plan.py", "test_a_diff_has_no_value"),
    ],
    "a command that fails where nothing matches, cannot be repeated and knows no check mode": [
        (f"{REAL}/lab/test_3_set_up.py", "test_a_second_run_changes_nothing"),
        (f"{REAL}/lab/test_3_set_up.py", "test_check_of_a_planned_move_changes_nothing"),
    ],
    "scaled to nothing without waiting for it, and back to one instead of what it was": [
        (f"{UNITS}/_k8s/test_kafka_resources.py", "test_sizes_are_remembered"),
        (f"{UNITS}/_k8s/test_kafka_resources.py", "test_gone_is_what_the_controller_says"),
    ],
    "positions of connectors left behind": [
        (f"{REAL}/hosts/test_connect_troubles.py", "test_positions_are_carried_to_a_connector_made_anew"),
        (f"{UNITS}/_positions/test_seeds.py", "test_without_a_complete_proof_nothing_is_said"),
    ],
    "a certificate authority whose generation is said to be 0": [
        (f"{KUBERNETES}/test_secret_copy.py", "test_the_whole_cycle")
    ],
    "positions of groups that go through two inexact translations": [
        (
            f"{UNITS}/_positions/test_translation.py",
            "test_the_offset_map_of_a_proof_is_exact_across_gaps_and_only_if_one_to_one",
        ),
        (f"{UNITS}/_positions/test_translation.py", "test_a_marker_that_cancels_a_gap_is_not_taken_for_exact"),
    ],
    "a password that was rotated after it was copied": [
        (f"{KUBERNETES}/test_troubles.py", "test_a_password_that_was_rotated_is_carried_and_the_mirror_goes_on"),
        (f"{KUBERNETES}/test_secret_copy.py", "test_drift_is_shown_and_repaired"),
    ],
    "names of regions that do not fit each other": [
        ("tests/unit/test_missing_variables.py", "test_a_name_that_is_no_region_is_told_as_such")
    ],
}


@pytest.mark.parametrize("defect", WHERE)
def test_each_defect_is_kept_out_by_a_test(defect):
    for path, name in WHERE[defect]:
        assert re.search(rf"def {name}", (ROOT / path).read_text()), f"{defect}: {name} is gone from {path}"


def tasks_of(path):
    def walk(node):
        if isinstance(node, dict):
            yield node
            for value in node.values():
                yield from walk(value)
        elif isinstance(node, list):
            for one in node:
                yield from walk(one)

    return [
        task
        for document in yaml.safe_load_all(path.read_text())
        for task in walk(document)
        if isinstance(task, dict) and "name" in task
    ]


def test_nothing_is_done_by_a_shell_or_a_cluster_tool_and_no_error_is_ignored():
    """A pipe into grep fails where nothing matches, and is neither repeatable nor known to check mode."""
    assert len(TASKS) > 100
    for path in TASKS:
        assert not re.search(r"ansible\.builtin\.shell|ignore_errors:", path.read_text()), path
        for task in tasks_of(path):
            if "ansible.builtin.command" in task:
                assert not re.search(r"\b(kubectl|oc)\b", str(task["ansible.builtin.command"])), path
                assert "changed_when" in task or "creates" in task["ansible.builtin.command"], (
                    f"{path}: '{task['name']}' never tells the truth about a change"
                )


def test_no_task_switches_verification_of_certificates_off():
    for path in [*TASKS, *ROOT.glob("examples/**/*.yml"), *ROOT.glob("roles/*/defaults/*.yml")]:
        assert not re.search(
            r"(validate_certs|verify_ssl|enable\.ssl\.certificate\.verification)\s*:\s*(\"?false|no\b)",
            path.read_text(),
            re.I,
        ), path


def test_topics_of_a_backup_are_made_and_deleted_in_the_backups_region_only():
    """The restored region's own topics are data; nothing of the stage that makes its backup anew may create or delete
    any there.
    """
    found = 0
    for path in sorted(ROOT.glob("roles/new_backup/tasks/**/*.yml")):
        for task in tasks_of(path):
            options = task.get("streamsafe.kafka_dr.topics")
            if options:
                found += 1
                place = task["module_defaults"]["group/streamsafe.kafka_dr.kafka"]
                assert "new_backup_to" in place or "__new_backup_at" in place, (
                    f"{path}: '{task['name']}' works on {place}"
                )
    assert found, "the stage makes its topics otherwise now; test that instead"


def test_the_restoring_mirror_goes_the_other_way_between_the_same_regions():
    backup = {"name": "backup", "source": "na", "target": "eu", "topics": ["t"]}
    turned = reverse_of(backup, "restore")
    assert (turned["source"], turned["target"], turned["topics"]) == ("eu", "na", ["t"])


def test_users_topics_are_deleted_by_the_ids_that_they_were_read_with():
    """Another run may have made them again, and filled them, since."""
    deleting = [
        task["streamsafe.kafka_dr.topics"]["topics"]
        for path in TASKS
        for task in tasks_of(path)
        if (task.get("streamsafe.kafka_dr.topics") or {}).get("state") == "absent"
    ]
    of_users = [topics for topics in deleting if "mirror_internal_topics" not in topics]
    assert len(of_users) >= 3 and [topics for topics in of_users if "described_topics(ids=true)" not in topics] == []
