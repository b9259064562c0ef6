# SPDX-License-Identifier: GPL-3.0-or-later
"""The least that each of the collection's principals may do, as ACLs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from .._errors import UsageError
from .mirror_config import checked, checkpoints_topic, source_offsets_topic
from .names import HEARTBEATS, compile_filter, workers_group

PURPOSES = ("stages", "mirror", "proof", "witness", "watch", "reader", "application")
# What MirrorMaker 2 does to a topic that it writes.
OWNED = ["ALTER", "ALTER_CONFIGS", "CREATE", "DESCRIBE", "DESCRIBE_CONFIGS", "READ", "WRITE"]
# What nobody but the stages, the witness and the watch may touch: the ledger, the witness's positions, and what the
# watch keeps.
GUARDED = "__kafka_dr_"
WINDOWS = GUARDED + "windows"
POSITIONS = GUARDED + "positions"
# What begins with this is Kafka's own, or the collection's, and no mirror copies it. Brokers let whoever may configure,
# enlarge and write __consumer_offsets and __transaction_state do so: then groups and transactions are lost.
NEVER_COPIED = "__"
# Transactions of the stages and of the jobs begin with this.
TRANSACTIONS = "kafka-dr-"
# Those of a mirror's watch: one for each mirror, so that a second watch ends the first.
WATCH_TRANSACTIONS = TRANSACTIONS + "watch-"
SPECIAL = set("\\.[]{}()*+?^$|")


def literal_prefix(pattern: str) -> tuple[str, bool]:
    """The longest literal that every match of the regular expression begins with, and whether that is all of it.

    ``flights\\..*`` gives ``("flights.", False)``, ``orders`` gives ``("orders", True)``.
    """
    prefix, index = "", 0
    while index < len(pattern):
        char = pattern[index]
        if char == "\\" and index + 1 < len(pattern) and not pattern[index + 1].isalnum():
            literal, width = pattern[index + 1], 2
        elif char in SPECIAL:
            break
        else:
            literal, width = char, 1
        following = pattern[index + width : index + width + 1]
        if following in ("*", "?", "{"):
            break
        prefix, index = prefix + literal, index + width
    if "|" in re.sub(r"\\.", "", pattern):
        return "", False
    return prefix, index == len(pattern)


def topic_resources(patterns: Iterable[str]) -> list[dict[str, str]]:
    """``[{name, pattern}]``: the narrowest literal or prefixed resources that cover these regular expressions."""
    resources = []
    for pattern in patterns:
        prefix, whole = literal_prefix(pattern)
        resource = (
            {"name": prefix, "pattern": "literal" if whole else "prefixed"}
            if prefix
            else {"name": "*", "pattern": "literal"}
        )
        if resource not in resources:
            resources.append(resource)
    everything = {"name": "*", "pattern": "literal"}
    return [everything] if everything in resources else resources


def overlaps(resource: dict[str, str], prefix: str) -> bool:
    """Whether some topic that begins with the prefix is covered by this resource."""
    if resource["pattern"] == "literal":
        return resource["name"] == "*" or resource["name"].startswith(prefix)
    return resource["name"].startswith(prefix) or prefix.startswith(resource["name"])


def service_acls(
    principal: str,
    purpose: Any,
    mirror: dict[str, Any] | None = None,
    side: str | None = None,
    own: Any = None,
    connect_group: str | None = None,
    idle: bool = False,
) -> list[dict[str, Any]]:
    """ACLs of one principal.

    :param purpose: one of :data:`PURPOSES`.
    :param mirror: the mirror description, for all purposes but ``stages`` and ``application``.
    :param side: ``source`` or ``target`` of that mirror.
    :param own: an application's ACLs, as the inventory gives them.
    :param connect_group: ``group.id`` of the Connect cluster that runs the mirror, where one does: it is part of the
        names of transactions (KIP-618).
    :param idle: of a mirror only what its worker needs while its connectors are stopped: its own topics and group, and
        nothing that applications use.
    """
    if purpose == "application":
        return [dict(acl, principal=principal) for acl in own or []]
    if purpose == "stages":
        grants = _stages()
    elif purpose in PURPOSES and mirror is not None and side in ("source", "target"):
        full = checked(mirror)
        topics = _topics_on(side, full)
        grants = _idle_worker(full) if idle and purpose == "mirror" else _services()[purpose](full, topics, side)
        if purpose == "mirror" and side == "target" and connect_group:
            transactions = f"{connect_group}-{full['name']}."
            grants.append(_grant("transactional_id", ["DESCRIBE", "WRITE"], transactions, "prefixed"))
    else:
        raise UsageError(
            f"No ACLs are known for user '{principal}'", expected=f"a purpose of {', '.join(PURPOSES)}", found=purpose
        )
    return [dict(grant, principal=principal) for grant in grants]


def _topics_on(side: str, full: dict[str, Any]) -> list[dict[str, str]]:
    """The mirror's topics by the names that they have on one side."""
    patterns = _not_excluded(full)
    if side == "source":
        return topic_resources(patterns)
    if full["policy"] == "identity":
        return topic_resources(_renamed(full, patterns))
    topics = topic_resources(patterns)
    if full["policy"] != "default":
        return topics
    return [
        {
            "name": f"{full['source']}{full['separator']}{'' if topic['name'] == '*' else topic['name']}",
            "pattern": "prefixed" if topic["name"] == "*" else topic["pattern"],
        }
        for topic in topics
    ]


def _not_excluded(mirror: dict[str, Any]) -> list[str]:
    """The patterns of topics without those that are one topic's name, and excluded."""
    unwanted = compile_filter(mirror["topics_exclude"])
    return [
        pattern
        for pattern in mirror["topics"]
        if not (literal_prefix(pattern)[1] and unwanted(literal_prefix(pattern)[0]))
    ]


def _renamed(mirror: dict[str, Any], patterns: list[str]) -> list[str]:
    """The patterns as the identity policy names their copies: what ends in ``heartbeats`` has the source before it."""
    prefix = re.escape(f"{mirror['source']}{mirror['separator']}")
    return [prefix + pattern if pattern.endswith(HEARTBEATS) else pattern for pattern in patterns]


def _grant(resource: str, operations: list[str], name: str | None = None, pattern: str = "literal") -> dict[str, Any]:
    grant: dict[str, Any] = {"resource": resource, "operations": operations, "pattern": pattern}
    return dict(grant, name=name) if name else grant


def _topics(topics: list[dict[str, str]], operations: list[str]) -> list[dict[str, Any]]:
    return [_grant("topic", operations, topic["name"], topic["pattern"]) for topic in topics]


def _stages() -> list[dict[str, Any]]:
    return [
        _grant("cluster", ["ALTER", "ALTER_CONFIGS", "CREATE", "DESCRIBE", "DESCRIBE_CONFIGS"]),
        _grant("topic", ["ALTER", "ALTER_CONFIGS", "CREATE", "DELETE", "DESCRIBE", "DESCRIBE_CONFIGS", "READ"], "*"),
        _grant("topic", ["WRITE"], "__kafka_dr_", "prefixed"),
        _grant("topic", ["WRITE"], "mm2-", "prefixed"),
        _grant("group", ["DELETE", "DESCRIBE", "READ"], "*"),
        _grant("transactional_id", ["DESCRIBE", "WRITE"], TRANSACTIONS, "prefixed"),
    ]


def _services() -> dict[str, Callable[..., list[dict[str, Any]]]]:
    return {"mirror": _mirror, "proof": _proof, "witness": _witness, "watch": _watch, "reader": _reader}


def _mirror(mirror: dict[str, Any], topics: list[dict[str, str]], side: str) -> list[dict[str, Any]]:
    if side == "source":
        return _topics(topics, ["DESCRIBE", "DESCRIBE_CONFIGS", "READ"]) + [
            _grant("cluster", ["DESCRIBE"]),
            _grant("group", ["DESCRIBE"], "*"),
        ]
    return (
        _topics(topics, OWNED)
        + _kept_out(topics)
        + [_grant("topic", OWNED, "heartbeats"), _grant("group", ["READ"], "*")]
        + _idle_worker(mirror)
    )


def _kept_out(topics: list[dict[str, str]]) -> list[dict[str, Any]]:
    """A DENY where the patterns are so wide that they cover the ledger, and Kafka's own topics.

    It is for the mirror's principal alone, and prefixed: MirrorMaker 2 copies ACLs of literal names only, so that it
    stays in the target.
    """
    if not any(overlaps(topic, NEVER_COPIED) for topic in topics):
        return []
    return [dict(_grant("topic", ["ALL"], NEVER_COPIED, "prefixed"), permission="deny")]


def _idle_worker(mirror: dict[str, Any]) -> list[dict[str, Any]]:
    worker = workers_group(mirror["source"])
    return [
        _grant("cluster", ["DESCRIBE"]),
        _grant("topic", OWNED, "mm2-", "prefixed"),
        _grant("topic", OWNED, checkpoints_topic(mirror)),
        _grant("group", ["DESCRIBE"], "*"),
        _grant("group", ["READ"], worker),
        _grant("transactional_id", ["DESCRIBE", "WRITE"], worker, "prefixed"),
        _grant("transactional_id", ["DESCRIBE", "WRITE"], "connect-cluster-" + worker, "prefixed"),
    ]


def _proof(mirror: dict[str, Any], topics: list[dict[str, str]], side: str) -> list[dict[str, Any]]:
    # After a loss of the source it goes by what the watch kept in the target.
    kept = [_grant("topic", ["DESCRIBE", "READ"], WINDOWS)] if side == "target" else []
    return [*_reading(topics), *kept]


def _reading(topics: list[dict[str, str]]) -> list[dict[str, Any]]:
    return _topics(topics, ["DESCRIBE", "DESCRIBE_CONFIGS", "READ"]) + [
        _grant("cluster", ["DESCRIBE"]),
        _grant("group", ["DESCRIBE"], "*"),
    ]


def _witness(mirror: dict[str, Any], topics: list[dict[str, str]], side: str) -> list[dict[str, Any]]:
    if side == "source":
        return _topics(topics, ["DESCRIBE"]) + [_grant("cluster", ["DESCRIBE"]), _grant("group", ["DESCRIBE"], "*")]
    # Reading its own topic again, its consumer asks for a group's coordinator although it joins none.
    return [_grant("topic", ["DESCRIBE", "READ", "WRITE"], _positions(mirror)), _grant("group", ["DESCRIBE"], "*")]


def _positions(mirror: dict[str, Any]) -> str:
    return str(mirror.get("positions_topic") or POSITIONS)


def _watch(mirror: dict[str, Any], topics: list[dict[str, str]], side: str) -> list[dict[str, Any]]:
    """A proof that goes on: it reads what a proof reads, how far Connect says that the mirror has come, and keeps what
    it knows in a topic that the stages make.
    """
    if side == "source":
        return _reading(topics)
    return [
        *_reading(topics),
        # It corrects the settings of its own topic too: deletion by age would forget what was proven.
        _grant("topic", ["ALTER_CONFIGS", "DESCRIBE", "DESCRIBE_CONFIGS", "READ", "WRITE"], WINDOWS),
        _grant("topic", ["DESCRIBE", "READ"], source_offsets_topic(mirror)),
        _grant("topic", ["DESCRIBE", "READ"], _positions(mirror)),
        _grant("transactional_id", ["DESCRIBE", "WRITE"], WATCH_TRANSACTIONS + mirror["name"]),
    ]


def _reader(mirror: dict[str, Any], topics: list[dict[str, str]], side: str) -> list[dict[str, Any]]:
    """What jobs need that only read: status, doctor, manifests, pages. It sees all, and reads the mirror's topics and
    what it and the stages keep.
    """
    own = [_grant("topic", ["READ"], name, "prefixed") for name in ("mm2-", "__kafka_dr_")]
    own += [
        _grant("topic", ["READ"], name)
        for name in (HEARTBEATS, f"{mirror['source']}{mirror['separator']}{HEARTBEATS}", checkpoints_topic(mirror))
    ]
    return [
        *_topics(topics, ["READ"]),
        *own,
        _grant("topic", ["DESCRIBE", "DESCRIBE_CONFIGS"], "*"),
        _grant("cluster", ["DESCRIBE", "DESCRIBE_CONFIGS"]),
        _grant("group", ["DESCRIBE"], "*"),
    ]
