# SPDX-License-Identifier: GPL-3.0-or-later
"""What whoever may write MirrorMaker 2's topics and the witness's could put there: it is refused in words, or bounded
in what it can do.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import FormatError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest.content import read as read_manifest
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import witness
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec_connect import (
    decode_source_offset,
    decode_status,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import MirrorNames
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.groups import last_positions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.translation import translate
from tests.support.mirror_history import evidence_of, histories

MANY = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
DEEP = b"[" * 100_000
LARGEST = 2**63 - 1
GROUP = b'["group","g"]'
SOURCE = b'["MirrorSourceConnector",{"cluster":"a","partition":0,"topic":"orders"}]'


def group(offset=1, partition="0", at=1):
    return json.dumps({"v": 1, "at": at, "positions": {"orders": {partition: offset}}}).encode()


@pytest.mark.parametrize(
    "key, value",
    [
        (DEEP, group()),
        (GROUP, DEEP),
        (GROUP, group(offset=LARGEST + 1)),
        (GROUP, group(offset=10**400)),
        (GROUP, group(partition="9" * 5000)),
        (GROUP, group(partition="2147483648")),
        (GROUP, group(partition="\u0663")),
        (GROUP, group(at=10**400)),
        (GROUP, group(at=LARGEST)),
        (b'["ends",""]', b'{"v":1,"at":1,"ends":{"orders":{"0":9223372036854775808}}}'),
        (b'["ends",""]', b'{"v":1,"at":1,"ends":{},"open":{"orders":{"0":-1}}}'),
        (b'["round",""]', b'{"v":1,"at":1,"since":9223372036854775808,"groups":1,"changed":1}'),
        (b'["topic","orders"]', b'{"v":1,"at":1,"id":"x","recreated":9223372036854775808}'),
    ],
)
def test_a_position_that_can_be_none_is_refused(key, value):
    with pytest.raises(FormatError):
        witness.decode(key, value)


@pytest.mark.parametrize(
    "key, value",
    [
        (DEEP, b"{}"),
        (SOURCE, DEEP),
        (SOURCE, b'{"offset":9223372036854775808}'),
        (SOURCE.replace(b":0,", b":2147483648,"), b'{"offset":1}'),
    ],
)
def test_an_offset_of_connect_that_can_be_none_is_refused(key, value):
    with pytest.raises(FormatError):
        decode_source_offset(key, value)


@pytest.mark.parametrize("value", [DEEP, b"[1]", b'"x"', b"1", b"null", b"\xff", b'{"state": [1], "trace": 1}'])
@pytest.mark.parametrize(
    "key", [b"status-connector-x", b"status-task-x-0", "status-task-x-\u00b2".encode(), b"status-task-x-" + b"9" * 5000]
)
def test_a_status_of_connect_that_is_none_tells_nothing(key, value):
    found = decode_status(key, value)
    assert found is None or found["state"] is None


def test_a_manifest_of_brackets_is_refused(tmp_path):
    (tmp_path / "manifest.json").write_bytes(DEEP)
    with pytest.raises(FormatError, match="not valid JSON"):
        read_manifest(str(tmp_path))


@MANY
@given(histories(), st.integers(0, LARGEST), st.one_of(st.none(), st.floats(0, 1e12)), st.booleans(), st.booleans())
def test_a_forged_position_ends_within_the_copy_and_says_how_far_it_goes_back(history, position, at, alive, sealed):
    """Whatever it is, the group stands on a record of its own topic's copy; it may repeat, or skip, and reach nothing
    else.
    """
    answer = translate(evidence_of(history, [position], alive, sealed=sealed), position, False, at)
    assert history.target_start <= answer.offset <= history.target_end


def test_forged_positions_of_other_groups_and_topics_count_for_nothing():
    names = MirrorNames("a", "b", "identity", ".")
    records = [
        witness.decode(
            json.dumps(["group", name]).encode(), json.dumps({"v": 1, "at": 5, "positions": {topic: {"0": 7}}}).encode()
        )
        for name, topic in (("mine", "orders"), ("mine", "__kafka_dr_ledger"), ("theirs", "orders"))
    ]
    known = witness.fold([*records[1:], records[0]])
    known["groups"]["mine"]["positions"]["__kafka_dr_ledger"] = {0: 7}
    found = last_positions(names, known, None, lambda group: group == "mine", lambda topic: topic == "orders")
    assert {name: list(places) for name, places in found.items()} == {"mine": [("orders", 0)]}
