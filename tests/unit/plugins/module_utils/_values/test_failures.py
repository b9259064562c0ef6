# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a task failed is told in the words of what failed."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.failures import failure_told

LOOP = "One or more items failed"


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ({"msg": "no such program"}, "no such program"),
        ({"msg": LOOP, "results": [{"msg": "well"}, {"failed": True, "msg": "timed out"}]}, "timed out"),
        # What is hidden has no message.
        ({"msg": LOOP, "results": [{"failed": True, "censored": "hidden"}]}, LOOP),
        ({"msg": "", "results": None}, "no reason"),
        ({}, "no reason"),
    ],
)
def test_the_first_item_that_failed_is_told(result, told):
    assert failure_told(result, "no reason") == told
