# SPDX-License-Identifier: GPL-3.0-or-later
"""Who would pick up the topics beside those that a salvage reads, where its records are to lie by themselves. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._kafka.acls import Acl, as_text, flatten
from .._kafka.principals import forms
from .._ledger.writers import covers, denied
from .._salvage.actions import SIDE_TOPIC, action_for, destination, parse
from .._values.pattern import matching


def side_topics(topics: Iterable[str], salvage: list[Mapping[str, Any]]) -> list[str]:
    """The topics that a salvage with these actions may write beside the given ones."""
    rules = parse(salvage)
    return [destination(SIDE_TOPIC, topic) for topic in sorted(topics) if action_for(rules, topic) == SIDE_TOPIC]


def side_topic_readers(
    topics: Iterable[str],
    salvage: list[Mapping[str, Any]],
    mirrors: Mapping[str, str],
    acls: Iterable[Mapping[str, Any]],
    service: Iterable[str] = (),
) -> dict[str, str]:
    """Who would pick up what a salvage writes beside topics, ``{name: how}``.

    A consumer that subscribes to a pattern gets each topic that it may read; the pattern itself no broker tells.

    :param topics: those that the region holds, by their names in the region that works. :param salvage: the actions.
    :param mirrors: ``{name of a mirror that reads the region that works: pattern of the topics that it copies}``.
    :param acls: of the region that works, as ``cluster_info`` returns them.
    :param service: names of users that no application has.
    """
    beside = side_topics(topics, salvage)
    found: dict[str, str] = {}
    for name, pattern in mirrors.items():
        copied = matching(beside, pattern, "topics")
        if copied:
            found[name] = f"would copy {copied[0]}"
    passed = forms(service) | set(service)
    flat = flatten(acls)
    for topic in beside:
        mine = [acl for acl in flat if acl.resource == "topic" and covers(acl.name, acl.pattern, topic)]
        for acl in mine:
            if (
                acl.principal not in passed
                and _reads_by_pattern(acl, topic)
                and not denied(mine, acl.principal, "READ")
            ):
                found.setdefault(
                    acl.principal, f"may read {topic}, as whoever subscribes to a pattern ({as_text(acl)})"
                )
    return found


def _reads_by_pattern(acl: Acl, topic: str) -> bool:
    """Whether it lets somebody read the topic who was not given this topic by its name."""
    return acl.permission == "ALLOW" and acl.operation in ("READ", "ALL") and acl.name != topic
