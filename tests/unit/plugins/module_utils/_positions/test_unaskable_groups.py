# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups whose names confluent-kafka does not send as they are: the empty one, and those that hold NUL or half a
character. They stop nothing, reach no other group, and are named.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka import groups as kafka_groups
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.mm2_topics import Row
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import witness
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec import Checkpoint
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import MirrorNames
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions import groups
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions import plan as planning
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.other_groups import Kinds, other_groups
from tests.support.witness_program import witness_module

ODD = ["", "g\0x", "g\ud800"]
NAMES = MirrorNames("a", "b", "identity", ".")
KEY = ("t", 0)


def anything(dummy):
    return True


def row(group, metadata=""):
    return Row(0, 0, 5000, Checkpoint(group, "t", 0, 40, 40, metadata))


@pytest.fixture(scope="module")
def program():
    with witness_module("witness_source") as module:
        yield module


def test_checkpoints_and_records_of_the_witness_give_them_no_position():
    known = witness.fold([])
    known["groups"] = {name: {"at": 1, "positions": {"t": {0: 7}}} for name in [*ODD, "g"]}
    found = groups.last_positions(NAMES, known, [row(name) for name in [*ODD, "g"]], anything, anything)
    assert list(found) == ["g"]
    assert groups.taken_back(NAMES, witness.fold([]), [row(name) for name in ODD], anything, anything) == {}


def test_a_living_source_is_not_asked_about_them(monkeypatch):
    asked = []
    monkeypatch.setattr(groups, "list_groups", lambda dummy: ["g"])
    monkeypatch.setattr(groups, "memberships", lambda dummy, names: asked.extend(names) or {})
    monkeypatch.setattr(groups, "group_places", lambda dummy, names, stable: asked.extend(names) or {})
    groups.living_positions(SimpleNamespace(), anything, anything, known=ODD)
    assert set(asked) == {"g"}


def test_a_list_of_groups_holds_each_name_once_and_none_that_cannot_be_asked_about():
    answer = SimpleNamespace(errors=[], valid=[SimpleNamespace(group_id=name) for name in ("", "g", "g", "h")])
    client = SimpleNamespace(
        ask=lambda dummy, call: call(),
        result=lambda future, dummy: future,
        timeout=1,
        admin=SimpleNamespace(list_consumer_groups=lambda request_timeout: answer),
    )
    assert kafka_groups.list_groups(client) == ["g", "h"]


def test_they_are_named_whether_anybody_wants_them_or_not():
    kinds = Kinds({name: {"type": "classic", "protocol": ""} for name in [*ODD, "idle"]}, True)
    found = other_groups(kinds, set(), set(), lambda name: False, ())
    assert [line["group"] for line in found] == ["", "g\0x", r"g\ud800"]
    assert all("cannot be asked about" in line["why"] for line in found)


def test_a_text_that_cannot_be_sent_is_left_out_and_named():
    places = {KEY: groups.Position(40, "checkpoint", 1.0, "a\0b"), ("t", 1): groups.Position(4, "checkpoint", 1.0, "c")}
    rows = [
        {"group": "g", "topic": "t", "target_topic": "t", "partition": number, "position_from": "checkpoint"}
        for number in (0, 1)
    ]
    assert planning.metadata_of(rows, {"g": places}) == {"g": {("t", 1): "c"}}
    assert planning.texts_left_out(rows, {"g": places}) == {"g": [KEY]}


def test_the_witness_asks_about_the_other_groups_and_names_the_empty_one(program, monkeypatch):
    valid = [SimpleNamespace(group_id=name) for name in ("", "g", "g")]
    older = [SimpleNamespace(id=name, state="Empty", error=None) for name in ("", "g")]
    admin = SimpleNamespace(
        list_consumer_groups=lambda request_timeout: SimpleNamespace(
            result=lambda dummy: SimpleNamespace(errors=[], valid=valid)
        ),
        list_groups=lambda timeout: older,
    )
    monkeypatch.setattr(program, "AdminClient", lambda dummy: admin)
    patterns = {"groups": [program.re.compile(".*")], "groups_exclude": [], "topics": []}
    source = program.Source({**patterns, "interval_seconds": 1, "source": {}})
    assert source.groups() == ["g"]
    assert source.others(["g"]) == [""]
    assert [name for name in [*ODD, "g"] if source.watches(name)] == ["g"]
    assert source.beside([*ODD, "g"]) == []
