# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions by topic, and what is no list of them."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage import actions


def test_the_first_rule_that_matches_the_whole_name_decides():
    rules = actions.parse(
        [
            {"topics": "orders", "action": "replay"},
            {"topics": "orders.*", "action": "none"},
            {"topics": "x", "action": "side_topic"},
        ]
    )
    told = {name: actions.action_for(rules, name) for name in ("orders", "orders.eu", "x", "xx")}
    assert told == {"orders": "replay", "orders.eu": "none", "x": "side_topic", "xx": "export"}
    assert actions.destination("side_topic", "x") == "x.salvaged"


@pytest.mark.parametrize(
    "given",
    [{}, [1], [{"topics": "x"}], [{"topics": "x", "action": "delete"}], [{"topics": "(", "action": "none"}], "none"],
)
def test_another_form_is_refused(given):
    with pytest.raises(UsageError):
        actions.parse(given)


def test_a_wrong_pattern_is_named_with_what_is_expected():
    # Ansible prints a filter's sentence alone only where it says what was expected.
    with pytest.raises(UsageError, match=r"entry 1 of the actions .*: expected one that .*, found '\(': missing"):
        actions.parse([{"topics": "(", "action": "none"}])
