# SPDX-License-Identifier: GPL-3.0-or-later
"""When two texts of a setting say the same."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.setting import alike


@pytest.mark.parametrize(
    "one, other",
    [
        ("0.50", "0.5"),
        ("1", "1.0"),
        ("+5", "5"),
        (" 86400000", "86400000"),
        ("compact, delete", "compact,delete"),
        ("True", "true"),
        ("", ""),
        (None, None),
    ],
)
def test_what_a_broker_reads_alike_is_alike(one, other):
    assert alike(one, other) and alike(other, one)


@pytest.mark.parametrize(
    "one, other",
    [
        ("9223372036854775807", "9223372036854775806"),
        ("delete,compact", "compact,delete"),
        ("-1", "1"),
        ("", None),
        ("0", "false"),
        ("LZ4", "lz4"),
        ("None", None),
    ],
)
def test_what_may_differ_differs(one, other):
    assert not alike(one, other) and not alike(other, one)
