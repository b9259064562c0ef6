# SPDX-License-Identifier: GPL-3.0-or-later
"""What Kafka takes for the name of a topic (org.apache.kafka.common.internals.Topic)."""

from __future__ import annotations

import re

CHARACTERS, LONGEST = "[A-Za-z0-9._-]+", 249
# As JSON Schema takes it, without the longest length.
PATTERN = rf"^(?!\.{{1,2}}$){CHARACTERS}$"


def has_legal_characters(name: str) -> bool:
    """Whether it has nothing but what a topic's name may consist of, however long it is."""
    return re.fullmatch(CHARACTERS, name) is not None


def is_topic_name(name: str) -> bool:
    """Whether Kafka takes it for the name of a topic."""
    return has_legal_characters(name) and len(name) <= LONGEST and name not in (".", "..")
