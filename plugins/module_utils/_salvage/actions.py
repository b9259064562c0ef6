# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of the records of a topic that the active region never got."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .._errors import UsageError
from .._values.pattern import compiled

EXPORT, SIDE_TOPIC, REPLAY, NONE = ACTIONS = ("export", "side_topic", "replay", "none")
# Those that write to the active region.
WRITING = (SIDE_TOPIC, REPLAY)
SIDE_SUFFIX = ".salvaged"


class Rule(NamedTuple):
    """An action for the topics whose whole names match."""

    topics: re.Pattern[str]
    action: str


def parse(given: Any) -> list[Rule]:
    """The rules of an actions file, ``[{topics: REGEX, action: …}]``.

    :raises UsageError: it is something else, or an expression is not valid.
    """
    rules = []
    for number, entry in enumerate(given if isinstance(given, list) else [given], 1):
        if not isinstance(entry, dict) or set(entry) != {"topics", "action"} or entry["action"] not in ACTIONS:
            raise UsageError(
                f"Entry {number} of the actions is not valid",
                expected=f"a list of {{topics: REGEX, action: one of {', '.join(ACTIONS)}}}",
                found=entry,
            )
        pattern = compiled(str(entry["topics"]), f"topics in entry {number} of the actions")
        rules.append(Rule(pattern, entry["action"]))
    return rules


def action_for(rules: list[Rule], topic: str) -> str:
    """The first rule that matches decides; ``export`` where none does."""
    return next((rule.action for rule in rules if rule.topics.fullmatch(topic)), EXPORT)


def destination(action: str, topic: str) -> str:
    """The topic in the active region that records are written to.

    :param topic: the name of the copy there.
    """
    return topic + SIDE_SUFFIX if action == SIDE_TOPIC else topic
