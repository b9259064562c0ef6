# SPDX-License-Identifier: GPL-3.0-or-later
"""A failover leads applications to no region in which their users have no rights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.test_gates_of_stages import refused

pytestmark = pytest.mark.slow


RIGHT = {"principal": "User:shop", "resource": "topic", "name": "orders", "operations": ["READ"]}


@pytest.mark.parametrize(
    ("found", "refuses"),
    [
        ({}, True),
        ({"__failover_allowed": {"acls": [RIGHT]}}, False),
        ({"__failover_allowed": {"acls": [{**RIGHT, "principal": "User:*"}]}}, False),
        # No ACL binds anybody.
        ({"__failover_allowed": {"acls": [], "acls_bind": False}}, False),
        # What a fence took is not given back to whom no inventory knows there.
        ({"__failover_taken": [RIGHT]}, True),
    ],
)
def test_applications_are_led_nowhere_where_their_users_have_no_rights(
    tmp_path: Path, found: dict[str, Any], refuses: bool
) -> None:
    """The fence would stand, and none of them work, before anybody sees it."""
    user = {
        "name": "shop",
        "purpose": "application",
        "acls": [{key: RIGHT[key] for key in RIGHT if key != "principal"}],
    }
    regions = [
        {"name": "Describe", "ansible.builtin.add_host": {"name": "na", "kafka_dr_users": [user]}},
        {"name": "Describe", "ansible.builtin.add_host": {"name": "eu", "kafka_dr_users": []}},
    ]
    more = {"ledger": {"active_region": "na"}, "told": regions, **found}
    # The mirror of these tests stands, so that each run refuses something.
    told = [line for line in refused(tmp_path, **more) if "users have no rights in eu" in line]
    assert len(told) == refuses and all("found none for shop. " in line for line in told), told
    accepted = refused(tmp_path, failover_accept_unadmitted=True, **more) if refuses else []
    assert not [line for line in accepted if "users have no rights" in line]
