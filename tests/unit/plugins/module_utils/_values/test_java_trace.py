# SPDX-License-Identifier: GPL-3.0-or-later
"""The line that is told of a Java trace."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.java_trace import why

TRACE = (
    "org.x.ConnectException: Failed to flush\n\tat x\n"
    "Caused by: org.x.Wrapped: y\n\tat y\nCaused by: org.x.TooLarge: big"
)


@pytest.mark.parametrize(
    ("trace", "most", "said"),
    [
        (TRACE, 500, "org.x.ConnectException: Failed to flush, caused by org.x.TooLarge: big"),
        (TRACE, 40, "org.x.TooLarge: big"),
        ("org.x.Gone: topic\n\tat y", 500, "org.x.Gone: topic"),
        ("org.x.Gone: topic\n\tat y", 10, "org.x.Gone"),
        ("org.x.Again: big\nCaused by: big", 500, "org.x.Again: big"),
        (None, 500, "no trace"),
        ("\n", 500, "no trace"),
    ],
)
def test_first_line_and_last_cause(trace, most, said):
    assert why(trace, most) == said


def test_secrets_in_either_are_hidden():
    said = why("org.x.Refused: password=hunter2\nCaused by: org.x.Config: ssl.key.password = hunter3")
    assert "hunter" not in said and "Refused" in said and "Config" in said
