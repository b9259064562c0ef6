# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that goes on where one was cut off, in a ledger that has missed the move of another one."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.epochs import NOWHERE
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.ledger import read_ledger
from tests.real.hosts.moved import LEDGER, SECRET, THERE, of_role

pytestmark = pytest.mark.real
MISSED = {"epoch": 1, "region": "asia", "ledger": "asia", "hash": "e" * 64, "from": NOWHERE, "settles": []}
MISSED.update({"at": "2026-11-25T12:00:00Z", "by": "x", "run": "7", "stage": "failover"})


def say(what: str) -> dict[str, Any]:
    return {"name": what, "ansible.builtin.debug": {"msg": f"{what} {{{{ ledger_done | list | sort | join(' ') }}}}."}}


def test_once_it_has_told_its_ledger_nothing_of_before_is_gone_on_from(world):
    client = KafkaClient(world.brokers["eu"].client)
    head = fold(read_ledger(client, LEDGER, [SECRET]).entries)["head"]["hash"]
    for step, state in (("stage", "started"), ("ends", "done"), ("positions", "done")):
        head = world.append("eu", step, state, "na to eu", head)
    truth = {"lacks": {"eu": [MISSED]}, "words": {"eu": {}}}
    learn = {"name": "Learn", "ansible.builtin.set_fact": {"ledger_truth": truth}}
    said = world.play("failover", THERE, (say("BEFORE"), learn, of_role("ledger", "tell.yml"), say("AFTER")), {})
    assert "BEFORE ends positions." in said and "AFTER ." in said, said[-3000:]
