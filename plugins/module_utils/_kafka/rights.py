# SPDX-License-Identifier: GPL-3.0-or-later
"""What ACLs let principals do to topics, and what they do not explain. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from .acls import Acl

EVERYBODY = "User:*"
# Stands among topics for the cluster; no topic may have such a name.
CLUSTER = "cluster:kafka-cluster"
LOOKS = frozenset(("DESCRIBE", "DESCRIBE_CONFIGS"))
CHANGES = frozenset(("WRITE", "CREATE", "DELETE", "ALTER", "ALTER_CONFIGS"))
# What lets somebody grant rights, or act as somebody else: set rights and passwords; open a listener with passwords of
# its own, for which brokers need no new start; send requests in the name of others, as brokers do (KIP-590).
GRANTS = frozenset(("ALTER", "ALTER_CONFIGS", "CLUSTER_ACTION"))
# Resources that librdkafka has no name for: users (KIP-373) and delegation tokens (KIP-48), by which one logs in as
# somebody else.
TOKENS = "unknown"
# Every operation that a topic or the cluster knows (AclEntry.supportedOperations).
KNOWN = CHANGES | LOOKS | GRANTS | {"READ", "IDEMPOTENT_WRITE"}
# What an ALLOW of an operation brings with it (StandardAuthorizerData).
IMPLIED = {
    "READ": "DESCRIBE",
    "WRITE": "DESCRIBE",
    "DELETE": "DESCRIBE",
    "ALTER": "DESCRIBE",
    "ALTER_CONFIGS": "DESCRIBE_CONFIGS",
}


def covers(acl: Acl, topic: str) -> bool:
    """Whether an ACL's resource is this topic, or :data:`CLUSTER`."""
    if topic == CLUSTER:
        return acl.resource == "cluster"
    if acl.resource != "topic":
        return False
    return topic.startswith(acl.name) if acl.pattern == "PREFIXED" else acl.name in ("*", topic)


def allows(acls: Iterable[Acl], principal: str) -> list[Acl]:
    """The ALLOWs of one principal."""
    return [acl for acl in acls if acl.principal == principal and acl.permission == "ALLOW"]


def more_than_looks(acl: Acl) -> bool:
    """Whether an ALLOW lets its principal do more than look: write, read, commit, create, change."""
    return acl.operation not in LOOKS


def on_topics(acls: Iterable[Acl], topics: Collection[str], matches: Callable[[str], object]) -> list[Acl]:
    """Those that let somebody do more than look with one of these topics, or with one that does not exist yet and
    matches.

    :param matches: function of a topic's name.
    """
    return [
        acl
        for acl in acls
        if acl.permission == "ALLOW"
        and more_than_looks(acl)
        and (any(covers(acl, topic) for topic in topics) or _covers_new(acl, matches))
    ]


def _covers_new(acl: Acl, matches: Callable[[str], object]) -> bool:
    """Whether a topic that does not exist yet is an ACL's resource, and matches."""
    # Of a prefix, one name is tried that begins with it: patterns end in what matches everything.
    names = (acl.name, acl.name + "x") if acl.pattern == "PREFIXED" else (acl.name,)
    return acl.resource == "topic" and any(matches(name) for name in names)


def grants(acls: Iterable[Acl]) -> list[Acl]:
    """Those that let somebody grant rights, or be somebody else, whatever else was taken away."""
    return [
        acl
        for acl in acls
        if acl.permission == "ALLOW"
        and (acl.resource == TOKENS or (acl.resource == "cluster" and acl.operation in GRANTS | {"ALL"}))
    ]


def changing(topic: str, operations: set[str]) -> set[str]:
    """Those of these operations on a topic, or on :data:`CLUSTER`, that a fence leaves to nobody."""
    return operations & (GRANTS if topic == CLUSTER else CHANGES)


def explained(acls: Iterable[Acl], principal: str, topic: str) -> set[str]:
    """Operations on a topic that the principal has by ALLOWs of its own or of everybody."""
    given = {
        acl.operation
        for acl in acls
        if acl.principal in (principal, EVERYBODY) and acl.permission == "ALLOW" and covers(acl, topic)
    }
    if "ALL" in given:
        return set(KNOWN)
    return given | {IMPLIED[operation] for operation in given if operation in IMPLIED}


def beyond(acls: Collection[Acl], principal: str, may: dict[str, set[str]]) -> tuple[set[str], set[str]]:
    """What a principal may do although no ACL says so.

    :param may: ``{topic: operations}`` as the brokers told the principal, the cluster among them.
    :returns: topics where a super-user is the only explanation, and topics without any ACL, where
        ``allow.everyone.if.no.acl.found`` is one too, unless the others show a super-user.
    """
    above: set[str] = set()
    bare: set[str] = set()
    for topic, operations in may.items():
        if operations - explained(acls, principal, topic):
            (above if any(covers(acl, topic) for acl in acls) else bare).add(topic)
    return (above | bare, set()) if above else (above, bare)


def shown_closed(acls: Collection[Acl], may: dict[str, set[str]]) -> bool:
    """Whether something without any ACL is not open to a principal: ``allow.everyone.if.no.acl.found`` is false."""
    return any(not operations and not any(covers(acl, topic) for acl in acls) for topic, operations in may.items())
