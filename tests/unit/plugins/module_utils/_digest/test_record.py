# SPDX-License-Identifier: GPL-3.0-or-later
"""The canonical digest: what must differ differs, and fixed values never change (manifests outlive releases)."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest import batch, record

FIELD = st.one_of(st.none(), st.binary(max_size=12))
HEADERS = st.one_of(st.none(), st.lists(st.tuples(st.text(max_size=5), FIELD), max_size=3))


def test_digests_are_pinned():
    """A manifest written today must be comparable tomorrow."""
    assert record.content(b"key", b"value", [("name", b"x"), ("none", None)]) == 0x98FC420F6DFA4AF3
    assert record.content(None, None) == 0xABA5654EAACDEEEA
    assert int(record.digests(np.array([1], np.uint64), np.array([1700000000000]))[0]) == 0xB4FDC997FBD423C0
    assert record.key_digest(b"key") == (0xA4BDF4E564564CF8, 0xBBEA0D63A05165E3)


def test_null_empty_boundaries_and_order_differ():
    variants = [
        (None, None, None),
        (b"", None, None),
        (None, b"", None),
        (b"", b"", None),
        (b"ab", b"c", None),
        (b"a", b"bc", None),
        (b"abc", b"", None),
        (None, None, [("a", None)]),
        (None, None, [("a", b"")]),
        (None, None, [("", b"a")]),
        (None, None, [("a", b""), ("b", b"")]),
        (None, None, [("b", b""), ("a", b"")]),
        (None, None, [("a", b"b")]),
        (None, b"b", [("a", b"")]),
        (None, b"", [("a", b"b")]),
        (b"a", None, [("b", None)]),
        (b"a", b"b", None),
    ]
    found = [record.content(*variant) for variant in variants]
    assert len(set(found)) == len(found)


@given(FIELD, FIELD, HEADERS, FIELD, FIELD, HEADERS)
def test_equal_exactly_where_records_are(key, value, headers, key2, value2, headers2):
    same = (key, value, headers or None) == (key2, value2, headers2 or None)
    assert (record.content(key, value, headers) == record.content(key2, value2, headers2)) is same


@given(st.lists(st.tuples(FIELD, FIELD, HEADERS), min_size=1, max_size=6))
def test_batches_agree_with_single_records(rows):
    keys, values, headers = ([row[at] for row in rows] for at in range(3))
    assert batch.contents(keys, values, headers).tolist() == [record.content(*row) for row in rows]
    assert batch.sizes(keys, values).tolist() == [len(key or b"") + len(value or b"") for key, value, dummy in rows]


def test_timestamp_is_mixed_not_added():
    """Two records that swap their timestamps change the sum; a plain addition would not."""
    contents, times = np.array([11, 22], np.uint64), np.array([1000, 2000])
    assert record.digests(contents, times).sum() != record.digests(contents, times[::-1]).sum()
    assert (record.digests(contents) == record.digests(contents, None)).all()


def test_mix_is_a_bijection_on_a_sample():
    values = np.array([a ^ b for a, b in itertools.product(range(64), (0, 1 << 33, 1 << 63, 0xFFFF))], np.uint64)
    assert len(np.unique(record.mix(values))) == len(np.unique(values))
