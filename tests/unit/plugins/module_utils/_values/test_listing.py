# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.listing import named


def test_a_short_list_is_named_whole():
    assert named(["a", "b"], 2) == "a, b"
    assert named([]) == ""


def test_of_a_long_list_the_first_are_named_and_the_others_counted():
    assert named((number for number in range(8)), 3) == "0, 1, 2 and 5 more"
    assert named(["a", "b", "c"], 1, "; ", "; and ") == "a; and 2 more"
