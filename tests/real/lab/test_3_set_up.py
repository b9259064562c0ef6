# SPDX-License-Identifier: GPL-3.0-or-later
"""initial_setup for real: it carries data, says nothing secret, and a second run changes nothing."""

from __future__ import annotations

import stat

import pytest

from kafka_dr_lab.journals import Journals, topic_ids
from kafka_dr_lab.landscape import TOPICS
from kafka_dr_lab.waiting import until
from tests.real.lab.playing import TARGET

pytestmark = pytest.mark.real


def test_it_carries_data_and_says_so(ground, set_up):
    assert set_up.returncode == 0, set_up.stdout[-3000:]
    assert "carries 9 partitions from north_america to europe" in set_up.stdout
    # The stage starts producer and mirror together: it may end before the first record is copied.
    assert any(
        f"exactly-once {words}" in set_up.stdout
        for words in ("in force", "not known before the first record is copied")
    )
    held = topic_ids(ground.admin(TARGET), list(TOPICS))
    assert all(held[topic] for topic in TOPICS) and max(max(counter.values()) for counter in held.values()) == 1
    journals = Journals(ground.lab.directory / "regions" / "south_america")
    assert until("the consumer to process a record", journals.processed_count, 60)


def test_no_secret_is_in_its_output_even_at_the_highest_verbosity(ground, set_up):
    assert len(set_up.stdout) > 1000
    assert [secret[:4] for secret in ground.every_secret() if secret in set_up.stdout] == []


def test_no_secret_is_in_any_process_s_arguments(set_up):
    assert set_up.seen_in_arguments == []


def test_no_secret_is_in_a_file_that_others_may_read(ground, set_up):
    secrets = [secret.encode() for secret in ground.every_secret()]
    found = []
    for path in ground.lab.directory.rglob("*"):
        if (
            path.is_file()
            and not path.is_symlink()
            and stat.S_IMODE(path.stat().st_mode) & 0o044
            and path.stat().st_size < 20_000_000
        ):
            content = path.read_bytes()
            if any(secret in content for secret in secrets):
                found.append(str(path))
    assert found == []
    assert stat.S_IMODE(ground.lab.directory.stat().st_mode) == 0o700


def test_a_second_run_changes_nothing(ground, set_up):
    before = ground.state()
    pids = {one["name"]: one["pid"] for one in ground.lab.supervisor.processes()}
    done = ground.stage("initial_setup", None, "-v")
    assert done.returncode == 0, done.stdout
    assert [line for line in done.stdout.splitlines() if line.strip().startswith("changed:")] == []
    assert "exactly-once in force" in done.stdout
    assert ground.state() == before
    assert {one["name"]: one["pid"] for one in ground.lab.supervisor.processes()} == pids


@pytest.mark.full
def test_check_after_the_set_up_would_change_nothing(ground, set_up):
    done = ground.stage("initial_setup", None, "--check")
    assert done.returncode == 0, done.stdout
    assert [line for line in done.stdout.splitlines() if "would change:" in line] == []


@pytest.mark.full
def test_check_of_a_planned_move_changes_nothing(ground, set_up):
    before = ground.state()
    done = ground.stage("failover", {"failover_planned": True}, "--check")
    assert done.returncode == 0, done.stdout
    for step in ("Revoke the applications' ACLs", "Bring the programs to their state", "Translate and commit"):
        assert step in done.stdout, done.stdout
    assert ground.state() == before


def test_a_failover_is_refused_while_the_source_is_alive(ground, set_up):
    before = ground.state()
    done = ground.stage("failover")
    assert done.returncode != 0 and "north_america still answers: expected it to be lost" in " ".join(
        done.stdout.split()
    )
    assert "failover_planned=true" in done.stdout and "failover_accept_source_alive=true" in done.stdout
    assert ground.state() == before


def test_a_failover_the_wrong_way_is_refused(ground, set_up):
    before = ground.state()
    done = ground.stage("failover", {"failover_source": TARGET, "failover_target": "north_america"})
    told = " ".join(done.stdout.split())
    assert done.returncode != 0 and "No mirror from europe has copied anything to north_america" in told, done.stdout
    assert "A mirror copies north_america to europe: exchange the two names." in told
    assert ground.state() == before
