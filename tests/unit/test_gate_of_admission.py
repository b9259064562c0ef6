# SPDX-License-Identifier: GPL-3.0-or-later
"""A failover leads applications to no region in which their users have no rights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.test_gates_of_stages import refused

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("allowed", "refuses"), [([], True), ([{"principal": "User:shop"}], False)])
def test_applications_are_led_nowhere_where_their_users_may_do_nothing(
    tmp_path: Path, allowed: list[dict[str, Any]], refuses: bool
) -> None:
    """The fence would stand, and none of them work, before anybody sees it."""
    user = {"name": "shop", "purpose": "application", "acls": [{"resource": "topic", "name": "orders"}]}
    regions = [
        {"name": "Describe", "ansible.builtin.add_host": {"name": "na", "kafka_dr_users": [user]}},
        {"name": "Describe", "ansible.builtin.add_host": {"name": "eu", "kafka_dr_users": [{**user, "acls": []}]}},
    ]
    more = {"ledger": {"active_region": "na"}, "__failover_allowed": {"acls": allowed}, "told": regions}
    # The mirror of these tests stands, so that each run refuses something.
    told = [line for line in refused(tmp_path, **more) if "users have no rights in eu" in line]
    assert len(told) == refuses and all("found none for shop. " in line for line in told), told
    assert not [
        line for line in refused(tmp_path, failover_accept_unadmitted=True, **more) if "users have no rights" in line
    ]
