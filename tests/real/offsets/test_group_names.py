# SPDX-License-Identifier: GPL-3.0-or-later
"""MirrorMaker 2's own classes read every group that they are told of by its name."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.properties import mirror_properties
from tests.support.hostile import HOSTILE, commands
from tests.support.names_oracle import ask_of_groups

pytestmark = pytest.mark.real

PLAIN = ["orders", "orders.v2", "orders of the day", "a|b", "größer", "\u00a0orders", "a\nb", "{orders}"]
# Alone, at either end, and within: what Connect takes away, or splits at.
ODD = [chr(code) for code in (*range(33), 0x7F, 0x85, 0xA0, 0x2003, 0x2028)] + [",", "$", ", ", " ,", "${file:x:y}"]


def test_a_task_reads_the_names_that_it_is_told(tmp_path):
    clients = {one: {"bootstrap.servers": f"{one}:9092"} for one in "ab"}
    mirror = {"name": "backup", "source": "a", "target": "b", "topics": ["x"], "groups": ["(?s:.*)"]}
    made = mirror_properties([mirror], clients, "/secrets")
    around = [
        text for odd in ODD for text in (odd, f"{odd}orders", f"orders{odd}", f"or{odd}ders", f"{odd}orders{odd}")
    ]
    names = list(dict.fromkeys([*PLAIN, *HOSTILE, *commands("/mark"), *around]))
    found = ask_of_groups(made["a->b.groups"], made["a->b.groups.exclude"], names, tmp_path)
    assert [name for name, (told, read) in found.items() if told and not read] == []
    assert all(found[name] == (True, True) for name in PLAIN), found
