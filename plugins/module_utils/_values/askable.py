# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts that librdkafka sends as they are. The position witness takes this file along: it imports nothing.

JSON may hold half a character (a lone surrogate), which UTF-8 cannot encode. For librdkafka a text ends at its first
NUL. Kafka lets groups have it in their names, so that a question or a commit that is about one group reaches another
one.
"""

from __future__ import annotations


def is_sendable(text: str) -> bool:
    """Whether librdkafka sends the text as it is."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def is_askable(group: str) -> bool:
    """Whether confluent-kafka asks about a group of this name, and about no other. Brokers let consumers commit for the
    group with the empty name; it refuses that name.
    """
    return bool(group) and is_sendable(group)
