# SPDX-License-Identifier: GPL-3.0-or-later
"""What ACLs let principals do to topics, and what they do not explain. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from .acls import Acl

EVERYBODY = "User:*"
LOOKS = frozenset(("DESCRIBE", "DESCRIBE_CONFIGS"))
CHANGES = frozenset(("WRITE", "CREATE", "DELETE", "ALTER", "ALTER_CONFIGS"))
# Every operation that a topic knows (AclEntry.supportedOperations).
OF_TOPICS = CHANGES | LOOKS | {"READ"}
# What an ALLOW of an operation brings with it (StandardAuthorizerData).
IMPLIED = {
    "READ": "DESCRIBE",
    "WRITE": "DESCRIBE",
    "DELETE": "DESCRIBE",
    "ALTER": "DESCRIBE",
    "ALTER_CONFIGS": "DESCRIBE_CONFIGS",
}


def covers(acl: Acl, topic: str) -> bool:
    """Whether an ACL's resource is this topic."""
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
    """Those that let somebody grant rights, and passwords of others, whatever else was taken away."""
    return [
        acl
        for acl in acls
        if acl.permission == "ALLOW" and acl.resource == "cluster" and acl.operation in ("ALL", "ALTER")
    ]


def explained(acls: Iterable[Acl], principal: str, topic: str) -> set[str]:
    """Operations on a topic that the principal has by ALLOWs of its own or of everybody."""
    given = {
        acl.operation
        for acl in acls
        if acl.principal in (principal, EVERYBODY) and acl.permission == "ALLOW" and covers(acl, topic)
    }
    if "ALL" in given:
        return set(OF_TOPICS)
    return given | {IMPLIED[operation] for operation in given if operation in IMPLIED}


def beyond(acls: Collection[Acl], principal: str, may: dict[str, set[str]]) -> tuple[set[str], set[str]]:
    """What a principal may do although no ACL says so.

    :param may: ``{topic: operations}`` as the brokers told the principal.
    :returns: topics where a super-user is the only explanation, and topics without any ACL, where
        ``allow.everyone.if.no.acl.found`` is one too.
    """
    above: set[str] = set()
    bare: set[str] = set()
    for topic, operations in may.items():
        if operations - explained(acls, principal, topic):
            (above if any(covers(acl, topic) for acl in acls) else bare).add(topic)
    return above, bare
