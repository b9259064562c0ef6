# SPDX-License-Identifier: GPL-3.0-or-later
"""What the brokers' own server.properties says of who stands above ACLs reaches the gate of a fence: no client is told
it, and here nobody has a password to ask with.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real.hosts.mirrors import create
from tests.real.hosts.moved import PURPOSES, THERE, TOPIC, failure_of, played, region
from tests.real.ledger.guarded import guarded
from tests.support.kafka import Kafka

pytestmark = pytest.mark.real
EVERYONE, SUPERS = "allow.everyone.if.no.acl.found", "super.users"
# The collection's own super-users of na are no strangers.
ABOVE = "User:ANONYMOUS;User:stages;User:admin;User:CN=na"
SETTINGS = {
    "na": {SUPERS: f"{ABOVE};User:shop", EVERYONE: "true"},
    "eu": {SUPERS: "User:ANONYMOUS;User:stages;User:mirror"},
}


class Regions:
    """A region in which the application is a super-user, and a survivor in which the mirror is one."""

    def __init__(self, directory: Path):
        self.directory = directory
        self.brokers: dict[str, Kafka] = {}
        self.hosts: dict[str, Any] = {}
        for name, settings in SETTINGS.items():
            self.brokers[name], of_user = guarded(directory / name, name, list(PURPOSES), settings)
            create(self.brokers[name].client, TOPIC)
            host = {**region(of_user("stages"), directory), "kafka_dr_platform": "host"}
            for user in host["kafka_dr_users"]:
                del user["password"]
            self.hosts[name] = host

    def gate(self, kept_in: dict[str, Path]) -> str:
        """What the stage refuses, where the brokers are kept in these directories."""
        for name, place in kept_in.items():
            self.hosts[name]["kafka_dr_kafka"] = {"name": name, "directory": str(place)}
        given = {"fence_region": "na", "fence_survivor": "eu"}
        return failure_of(played(self.directory, self.hosts, [THERE], "streamsafe.kafka_dr.fence", given))


@pytest.fixture(scope="module")
def regions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Regions]:
    made = Regions(tmp_path_factory.mktemp("settings"))
    yield made
    for broker in made.brokers.values():
        broker.stop()


def test_the_gate_names_who_stands_above_acls_by_the_file(regions):
    said = regions.gate({name: broker.directory for name, broker in regions.brokers.items()})
    assert "User:shop (in na) is a super-user" in said, said
    assert f"{EVERYONE} (in na) is true" in said, said
    assert "User:mirror (in eu) is a super-user" in said, said
    assert "no client is told to what" not in said and "User:admin" not in said and "User:CN=na" not in said, said


def test_where_the_file_cannot_be_read_the_gate_says_what_nobody_knows(regions):
    said = regions.gate(dict.fromkeys(SETTINGS, Path("/nowhere")))
    assert f"{SUPERS} (in na) is set, no client is told to what" in said, said
    assert f"{EVERYONE} (in na) is set, no client is told to what" in said, said
    assert "User:shop" in said and "is a super-user" not in said, said
