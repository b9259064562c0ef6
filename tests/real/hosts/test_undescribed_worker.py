# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirror without a user of its own keeps its right to write: a worker that nobody described is waited for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from confluent_kafka import Consumer

from tests.real.hosts.mirrors import until
from tests.real.hosts.moved import AWAY, THERE, TOLD, TOPIC, World, of_role

pytestmark = pytest.mark.real
STOP = {
    "__mirror_programs": [],
    "mirror_described": THERE,
    "mirror_retire": True,
    "mirror_may_be_gone": True,
    "mirror_accept_silent": False,
    "mirror_stop_timeout": 5,
    "mirror_witness": False,
    "mirror_silent": {},
    "mirror_accept_unfenced": [],
}


@contextmanager
def worker(world: World) -> Iterator[None]:
    """A member of the workers' group that lives."""
    member, ended = Consumer({**world.brokers["eu"].client, "group.id": "na-mm2"}), threading.Event()

    def live() -> None:
        while not ended.is_set():
            member.poll(0.5)

    member.subscribe([TOPIC])
    until(lambda: member.poll(0.5) or member.assignment(), "a member of the group", 60)
    thread = threading.Thread(target=live, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(10)
        member.close()


def test_it_is_waited_for_and_named(world):
    del world.hosts["eu"]["kafka_dr_users"]
    attempt = {"name": "Try", "block": [of_role("mirror", "stop.yml")], "rescue": [TOLD]}
    with worker(world):
        said = world.play("failover", THERE, (attempt,), STOP, **AWAY)
    assert "REFUSED The mirror" in said and "still missing: group na-mm2 to be empty" in said, said[-3000:]
