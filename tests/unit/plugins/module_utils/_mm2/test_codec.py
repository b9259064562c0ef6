# SPDX-License-Identifier: GPL-3.0-or-later
"""MM2's binary records, Connect's offsets and the witness's records: exact forms, and garbage refused with its
position.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import FormatError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import codec, codec_connect, witness
from tests.support.mm2_records import encode_checkpoint, encode_heartbeat

SYNC_KEY = b"\x00\x05items\x00\x00\x00\x02"
SYNC_VALUE = b"\x00\x00\x00\x00\x00\x00\x01\x00" + b"\x00\x00\x00\x00\x00\x00\x02\x01"
CHECKPOINT_KEY = b"\x00\x02g1\x00\x05items\x00\x00\x00\x02"
CHECKPOINT_VALUE = b"\x00\x00" + SYNC_VALUE + b"\x00\x00"
HEARTBEAT_KEY = b"\x00\x01a\x00\x01b"
HEARTBEAT_VALUE = b"\x00\x00\x00\x00\x01\x90\x00\x00\x00\x00"

DECODERS = {
    "sync": (codec.decode_offset_sync, SYNC_KEY, SYNC_VALUE),
    "checkpoint": (codec.decode_checkpoint, CHECKPOINT_KEY, CHECKPOINT_VALUE),
    "heartbeat": (codec.decode_heartbeat, HEARTBEAT_KEY, HEARTBEAT_VALUE),
}


def test_exact_forms():
    assert codec.decode_offset_sync(SYNC_KEY, SYNC_VALUE) == ("items", 2, 256, 513)
    assert codec.encode_offset_sync(codec.OffsetSync("items", 2, 256, 513)) == (SYNC_KEY, SYNC_VALUE)
    assert codec.decode_checkpoint(CHECKPOINT_KEY, CHECKPOINT_VALUE) == ("g1", "items", 2, 256, 513, "")
    assert encode_checkpoint(codec.Checkpoint("g1", "items", 2, 256, 513, "")) == (CHECKPOINT_KEY, CHECKPOINT_VALUE)
    assert codec.decode_heartbeat(HEARTBEAT_KEY, HEARTBEAT_VALUE) == ("a", "b", 0x19000000000)
    assert encode_heartbeat(codec.Heartbeat("a", "b", 0x19000000000)) == (HEARTBEAT_KEY, HEARTBEAT_VALUE)


@pytest.mark.parametrize("kind", DECODERS)
def test_every_cut_and_every_trailing_byte_is_refused(kind):
    decode, key, value = DECODERS[kind]
    for bad_key, bad_value in (
        [(key[:cut], value) for cut in range(len(key))]
        + [(key, value[:cut]) for cut in range(len(value))]
        + [(key + b"\x00", value), (key, value + b"\x00"), (None, value), (key, None)]
    ):
        with pytest.raises(FormatError) as caught:
            decode(bad_key, bad_value)
        assert 0 <= caught.value.facts["position"] <= max(len(key), len(value)) + 1


@pytest.mark.parametrize("kind, position", [("checkpoint", 0), ("heartbeat", 0)])
def test_another_version_is_refused(kind, position):
    decode, key, value = DECODERS[kind]
    with pytest.raises(FormatError, match="expected version 0, found 1") as caught:
        decode(key, b"\x00\x01" + value[2:])
    assert caught.value.facts["position"] == position


def test_text_that_is_not_utf8_is_refused_where_it_begins():
    with pytest.raises(FormatError) as caught:
        codec.decode_offset_sync(b"\x00\x02i\xff\x00\x00\x00\x00", SYNC_VALUE)
    assert caught.value.facts["position"] == 3


def test_negative_offsets_are_refused():
    with pytest.raises(FormatError, match="upstream offset"):
        codec.decode_offset_sync(SYNC_KEY, b"\xff" * 8 + SYNC_VALUE[8:])


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=40), st.binary(max_size=40))
def test_garbage_gives_a_record_that_encodes_back_or_a_format_error(key, value):
    pairs = (
        (codec.decode_offset_sync, codec.encode_offset_sync),
        (codec.decode_checkpoint, encode_checkpoint),
        (codec.decode_heartbeat, encode_heartbeat),
    )
    for decode, encode in pairs:
        try:
            found = decode(key, value)
        except FormatError:
            continue
        assert encode(found) == (key, value)


def test_connect_offsets_as_connect_writes_them():
    key = b'["MirrorSourceConnector",{"cluster":"a","partition":0,"topic":"items"}]'
    assert codec_connect.decode_source_offset(key, b'{"offset":41}') == ("MirrorSourceConnector", "a", "items", 0, 41)
    assert codec_connect.decode_source_offset(key, None).offset is None
    assert codec_connect.encode_source_offset(
        codec_connect.SourceOffset("MirrorSourceConnector", "a", "items", 0, 41)
    ) == (key, b'{"offset":41}')
    assert (
        codec_connect.decode_source_offset(
            b'["MirrorHeartbeatConnector",{"sourceClusterAlias":"a","targetClusterAlias":"b"}]', b'{"offset":0}'
        )
        is None
    )


@pytest.mark.parametrize(
    "key, value",
    [
        (None, b"{}"),
        (b"\xff", None),
        (b"{", None),
        (b'{"a":1}', None),
        (b'["c",{"cluster":"a","partition":"0","topic":"t"}]', b'{"offset":1}'),
        (b'["c",{"cluster":"a","partition":0,"topic":"t"}]', b'{"offset":-1}'),
        (b'["c",{"cluster":"a","partition":0,"topic":"t"}]', b'{"offset":true}'),
        (b'["c",{"cluster":"a","partition":0,"topic":"t"}]', b"[]"),
    ],
)
def test_connect_garbage_is_refused(key, value):
    with pytest.raises(FormatError) as caught:
        codec_connect.decode_source_offset(key, value)
    assert "position" in caught.value.facts


def test_witness_records_come_back():
    rows = [
        witness.encode_topic("items", 1, "id1"),
        witness.encode_group("g1", 1, {"items": {0: 5}}),
        witness.encode_group("g2", 1, {"items": {0: 7}}),
        witness.encode_round(1, 0, 2, 2),
        witness.encode_group("g1", 3, {"items": {0: 9, 1: 1}}),
        witness.encode_group("g2", 3, None),
        witness.encode_group("sink", 3, {"items": {0: 4}}, seldom=True),
        witness.encode_topic("items", 3, "id2", 3),
        witness.encode_round(3, 0, 1, 1),
    ]
    known = witness.fold(witness.decode(*row) for row in rows)
    assert known["groups"] == {
        "g1": {"at": 3, "positions": {"items": {0: 9, 1: 1}}},
        "sink": {"at": 3, "positions": {"items": {0: 4}}, "seldom": True},
    }
    assert (known["topics"], known["at"], known["since"]) == ({"items": {"id": "id2", "recreated": 3}}, 3, 0)


def test_a_witness_says_whose_it_is():
    own = witness.owner("na", "eu")
    rows = [witness.encode_cluster(1, "id", 0, own), witness.encode_round(1, 0, 2, 2, own)]
    decoded = [witness.decode(*row) for row in rows]
    assert [record["mirror"] for record in decoded] == ["na->eu"] * 2
    assert witness.fold(decoded)["mirror"] == own
    assert witness.is_others(own, "asia->eu") and not witness.is_others(own, own)


def test_records_of_an_older_witness_are_nobodys():
    rows = [witness.encode_cluster(1, "id"), witness.encode_round(1, 0, 2, 2)]
    assert not any(b"mirror" in value for dummy, value in rows)
    known = witness.fold(witness.decode(*row) for row in rows)
    assert known["mirror"] is None and not witness.is_others(None, "na->eu")


@pytest.mark.parametrize(
    "key, value",
    [
        (None, b"{}"),
        (b"x", b"{}"),
        (b'["other","g"]', b"{}"),
        (b'["cluster",""]', b'{"v":1,"at":1,"id":"c","mirror":7}'),
        (b'["round",""]', b'{"v":1,"at":1,"since":0,"groups":0,"changed":0,"mirror":null}'),
        (b'["group","g"]', b'{"v":2,"at":1,"positions":{}}'),
        (b'["group","g"]', b'{"v":1,"positions":{}}'),
        (b'["group","g"]', b'{"v":1,"at":1,"positions":{"t":{"x":1}}}'),
        (b'["group","g"]', b'{"v":1,"at":1,"positions":{"t":{"0":-1}}}'),
        (b'["topic","t"]', b'{"v":1,"at":1,"id":4,"recreated":0}'),
        (b'["round",""]', b'{"v":1,"at":1}'),
        (b'["round",""]', b"\xff"),
        (b'["round",""]', b"[]"),
    ],
)
def test_witness_garbage_is_refused(key, value):
    with pytest.raises(FormatError) as caught:
        witness.decode(key, value)
    assert "position" in caught.value.facts


def test_status_records_of_connect():
    decode_status = codec_connect.decode_status
    task = decode_status(
        b"status-task-MirrorSourceConnector-1", b'{"state":"FAILED","trace":"x","worker_id":"w:1","generation":3}'
    )
    assert task == {"connector": "MirrorSourceConnector", "task": 1, "state": "FAILED", "trace": "x", "worker": "w:1"}
    assert decode_status(b"status-connector-a->b.MirrorSourceConnector", b'{"state":"RUNNING"}')["task"] is None
    assert decode_status(b"status-topic-x", b"{}") is None
    assert decode_status(b"status-task-X-0", b"not json")["state"] is None
