# SPDX-License-Identifier: GPL-3.0-or-later
"""A move to a cluster without an authorizer, which a person accepted, does not die once the target is named."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.real.hosts.moved import of_role, played, region
from tests.support.kafka import Kafka

pytestmark = pytest.mark.real
RIGHT = {"resource": "topic", "name": "orders", "operations": ["READ"]}


def test_rights_that_nobody_needs_are_said_not_to_be_given(tmp_path: Path) -> None:
    broker = Kafka(tmp_path, "eu").start()
    try:
        host = region({**broker.client, "sasl.password": ""}, tmp_path)
        host["kafka_dr_users"] = [{"name": "shop", "purpose": "application", "acls": [RIGHT]}]
        del host["kafka_dr_client_secrets"]
        admit = of_role("credentials", "admit.yml")
        admit["vars"] = {"credentials_region": "eu", "credentials_given_back": []}
        play = {"hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": [admit]}
        (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
        done = played(tmp_path, {"eu": host}, [], str(tmp_path / "play.yml"), {})
    finally:
        broker.stop()
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert "NOT GIVEN rights in eu, which has no authorizer" in done.stdout
