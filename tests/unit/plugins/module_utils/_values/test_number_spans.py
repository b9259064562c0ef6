# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole numbers as a person writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.spans import as_numbers, as_text


@pytest.mark.parametrize(
    "numbers, text", [([], ""), ([7], "7"), ([8, 7], "7,8"), ([2, 3, 4], "2-4"), ([1, 2, 3, 9, 11, 12], "1-3,9,11,12")]
)
def test_three_and_more_that_follow_each_other_are_a_span(numbers, text):
    assert as_text(numbers) == text


@given(st.sets(st.integers(0, 300)))
def test_what_is_written_reads_back(numbers):
    assert as_numbers(as_text(numbers).split(",") if numbers else [], "offsets") == sorted(numbers)


@pytest.mark.parametrize("word", ["", "-", "4-", "-4", "9-4", "4-5-6", "x", "1.5", "0-99999999999", "1-1000001"])
def test_what_nobody_means_is_refused(word):
    with pytest.raises(UsageError, match="offsets"):
        as_numbers([word], "offsets")
