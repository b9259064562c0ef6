# SPDX-License-Identifier: GPL-3.0-or-later
"""A planned move that is killed after it fenced the source, and whose target is lost then: the applications work in the
source again without the target, and the target becomes the backup again once it is back.
"""

from __future__ import annotations

import pytest
from confluent_kafka.admin import AdminClient

from kafka_dr_lab.drill import MIRROR
from tests.real.lab.playing import SOURCE, TARGET

pytestmark = pytest.mark.full
MOVE = {"failover_source": SOURCE, "failover_target": TARGET, "failover_planned": True}
GIVEN_UP = {"abort_move_source": SOURCE, "abort_move_target": TARGET, "abort_move_accept_elsewhere": [TARGET]}
APPLICATIONS = ("departures-consumer", "departures-producer")


def programs(ground) -> dict[str, str]:
    return {one["name"]: one["statename"] for one in ground.lab.supervisor.processes()}


def said(done) -> str:
    return " ".join(done.stdout.split())


def test_the_applications_work_in_the_source_again_without_the_target(ground, set_up):
    assert set_up.returncode == 0, set_up.stdout[-3000:]
    had = ground.state()[SOURCE]["acls"]
    ground.kill_after("failover", "Drain the source", MOVE)
    assert ground.state()[SOURCE]["acls"] != had
    assert not [one for one in APPLICATIONS if programs(ground)[one] == "RUNNING"]
    ground.lab.lose(TARGET, keep=True)
    again = ground.stage("failover", MOVE)
    assert again.returncode != 0 and "the playbook abort_move gives the move up without it" in said(again), again.stdout
    done = ground.stage("abort_move", GIVEN_UP)
    assert done.returncode == 0, done.stdout[-3000:]
    assert f"The move to {TARGET} is given up" in said(done) and "NOT PROTECTED" in said(done), done.stdout
    assert {programs(ground)[one] for one in APPLICATIONS} == {"RUNNING"}
    known = ground.module("ledger_info", region=SOURCE)
    assert (known["active_region"], known["open"], known["taken"]) == (SOURCE, False, {})


def test_a_target_that_is_back_becomes_the_backup_again(ground, set_up):
    ground.lab.start_again(TARGET)
    AdminClient(ground.admin(TARGET)).list_topics(timeout=120)
    assert ground.module("ledger_info")["open"]
    done = ground.stage("initial_setup")
    assert done.returncode == 0, done.stdout[-3000:]
    assert programs(ground)[MIRROR] == "RUNNING"
    known = ground.module("ledger_info")
    assert (known["active_region"], known["open"], known["taken"]) == (SOURCE, False, {})
