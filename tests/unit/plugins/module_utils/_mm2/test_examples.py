# SPDX-License-Identifier: GPL-3.0-or-later
"""Every example inventory gives both clients what they need: the mirror's properties, and librdkafka's own check of its
keys.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._lint import lint
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.properties import (
    mirror_properties,
    mirror_secrets,
)

EXAMPLES = sorted((Path(__file__).resolve().parents[5] / "examples" / "inventories").glob("*.yml"))
KEY = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n"


def described(path):
    inventory = yaml.safe_load(path.read_text())["all"]
    regions = {name: one for name, one in inventory["hosts"].items() if "kafka_dr_client" in one}
    return inventory["vars"]["kafka_dr_mirrors"], regions


def test_there_is_one_per_kind_of_security():
    assert len(EXAMPLES) >= 6


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_renders_without_traps_and_without_secrets_in_the_open(path):
    mirrors, regions = described(path)
    clients = {
        name: {key: "PEM" if "{{" in value else value for key, value in one["kafka_dr_client"].items()}
        for name, one in regions.items()
    }
    made = mirror_properties(mirrors, clients, "/secrets", rest_port=8083)
    assert [one for one in lint(made) if one["severity"] != "info"] == []
    secrets = {
        name: {key: KEY if key.endswith("pem") else "hunter2" for key in one.get("kafka_dr_client_secrets", {})}
        for name, one in regions.items()
    }
    assert "vault_" not in str(made)
    referred = set(re.findall(r"\$\{file:/secrets:([^}]+)}", str(made)))
    assert referred == set(mirror_secrets(secrets)), (
        "what the file refers to and what the secrets file holds must be the same"
    )


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_librdkafka_knows_every_key_of_an_example(path):
    confluent_kafka = pytest.importorskip("confluent_kafka")
    for one in described(path)[1].values():
        keys = {key: value for key, value in one["kafka_dr_client"].items() if not key.endswith(".pem")}
        for key in one.get("kafka_dr_client_secrets", {}):
            if not key.endswith(".pem"):
                keys[key] = "hunter2"
        confluent_kafka.Consumer({**keys, "group.id": "check", "log_level": 0}).close()
