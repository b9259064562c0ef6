# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stage is about, and whether a run goes on with one that was cut off."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.about import (
    STAGES,
    about,
    brought_back,
    resumes,
    turned_to,
)

ROLES = Path(__file__).resolve().parents[5] / "roles"
OPEN = {"open": True, "stage": "failover", "about": "na to eu"}


def test_every_role_that_begins_a_stage_in_the_ledger_is_described():
    begins = {path.parts[-3] for path in ROLES.glob("*/tasks/main.yml") if "tasks_from: begin.yml" in path.read_text()}
    assert begins == set(STAGES)


@pytest.mark.parametrize(
    ("stage", "text"), [("failover", "na to eu"), ("resume", "na from eu"), ("fence", "na left for eu")]
)
def test_the_regions_in_a_stages_words(stage, text):
    assert about(stage, "na", "eu") == text


@pytest.mark.parametrize(
    ("more", "so"), [({}, True), ({"open": False}, False), ({"stage": "fence"}, False), ({"about": "eu to na"}, False)]
)
def test_only_the_very_same_stage_is_resumed(more, so):
    assert resumes({**OPEN, **more}, "failover", "na to eu") is so


def test_a_ledger_that_says_nothing_resumes_nothing():
    assert resumes({}, "failover", "na to eu") is False


@pytest.mark.parametrize(
    ("ended", "failed_over", "so"), [({}, 4, False), ({"na from eu": 7}, 4, True), ({"na from eu": 3}, 4, False)]
)
def test_a_region_that_was_left_again_since_is_not_back(ended, failed_over, so):
    ledger = {
        "last": {"failover": {"offset": failed_over}},
        "brought_back": {text: {"offset": offset} for text, offset in ended.items()},
    }
    assert brought_back(ledger, "na from eu") is so


def test_a_ledger_that_says_nothing_brought_nothing_back():
    assert brought_back({}, "na from eu") is False


def test_the_mirror_that_was_turned_round_is_the_one_of_the_move_or_of_the_failback_since():
    moved = {"done": {"failover": {"turned": {"found": {"mirror": "by-the-move"}}}}}
    brought = {"brought_back": {"na from eu": {"offset": 7, "found": {"mirror": "by-the-failback"}}}}
    assert turned_to(moved, "na", "eu") == "by-the-move"
    assert turned_to(brought, "na", "eu") == "by-the-failback"
    assert turned_to({**brought, "last": {"failover": {"offset": 8}}}, "na", "eu") == ""
    assert turned_to(brought, "asia", "eu") == turned_to({}, "na", "eu") == ""


def test_a_move_turns_no_mirror_to_a_further_copy_of_the_region_that_it_left():
    moved = {"done": {"failover": {"turned": {"about": "na", "found": {"mirror": "by-the-move"}}}}}
    brought = {"brought_back": {"asia from eu": {"offset": 7, "found": {"mirror": "by-the-failback"}}}}
    assert turned_to({**moved, **brought}, "na", "eu") == "by-the-move"
    assert turned_to({**moved, **brought}, "asia", "eu") == "by-the-failback"
    assert turned_to(moved, "asia", "eu") == ""
