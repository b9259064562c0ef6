# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that module_defaults say for a group of modules."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils import _specs
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import options

ROOT = Path(__file__).resolve().parents[5]
GROUPS = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())["action_groups"]
EUROPE = {"kafka_dr_client": {"bootstrap.servers": "eu:9092"}, "kafka_dr_client_secrets": {"sasl.password": "x"}}
MIRROR = {"name": "backup", "source": "na", "target": "eu", "topics": ["orders"]}


def test_a_client_with_its_secrets():
    assert options.client_options(EUROPE) == {
        "client": EUROPE["kafka_dr_client"],
        "client_secrets": EUROPE["kafka_dr_client_secrets"],
    }
    assert options.client_options({"kafka_dr_client": {}}) == {"client": {}, "client_secrets": {}}
    with pytest.raises(UsageError, match="Region asia has no client: expected kafka_dr_client"):
        options.client_options({"inventory_hostname": "asia"})


@pytest.mark.parametrize("more", [{}, {"policy": "default", "separator": "_"}])
def test_a_mirror_is_told_without_its_source(more):
    told = options.mirror_options({**MIRROR, **more}, {"eu": EUROPE})
    assert told.pop("topics")
    assert told == {
        "target_client": EUROPE["kafka_dr_client"],
        "target_client_secrets": EUROPE["kafka_dr_client_secrets"],
        "source_alias": "na",
        "target_alias": "eu",
        "policy": "identity",
        "separator": ".",
        "positions_topic": "__kafka_dr_positions",
        **more,
    }


def test_a_connect_cluster_is_told_what_is_described_and_no_more():
    region = {
        "kafka_dr_connect": {"urls": ["https://c:8083"], "username": "u", "own_client": True},
        "kafka_dr_connect_secrets": {"password": "p"},
    }
    assert options.connect_options(region) == {"urls": ["https://c:8083"], "username": "u", "password": "p"}
    assert options.connect_options({}) == {}


@pytest.mark.parametrize(
    ("group", "told"),
    [
        ("kafka", ["client", "client_secrets"]),
        ("ledger", ["client", "client_secrets", "topic", "secret"]),
        ("mirror", list(options.mirror_options(MIRROR, {"eu": EUROPE}))),
        ("connect", [*options.CONNECT, *options.CONNECT_SECRETS]),
    ],
)
def test_every_module_of_a_group_takes_what_the_group_is_told(group, told):
    """As its documentation says, which ansible-test holds against its argument spec."""
    fragments = {"client": _specs.CLIENT_SPEC, "ledger": _specs.LEDGER_SPEC, "connect": _specs.CONNECT_SPEC}
    fragments["mirror_clients"] = _specs.MIRROR_SPEC
    for module in GROUPS[group]:
        source = (ROOT / "plugins" / "modules" / f"{module}.py").read_text()
        documented = yaml.safe_load(source.split('r"""', 1)[1].split('"""', 1)[0])
        shared = documented.get("extends_documentation_fragment") or []
        known = set(documented.get("options") or {})
        for fragment in [shared] if isinstance(shared, str) else shared:
            known |= set(fragments.get(fragment.removeprefix("streamsafe.kafka_dr."), ()))
        assert not set(told) - known, module
