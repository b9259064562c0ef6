# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""What ACLs let principals do to topics, and what they do not explain. Pure; ACLs are tuples as :func:`.acls.flatten` gives them."""

from __future__ import annotations

EVERYBODY = "User:*"
LOOKS = frozenset(("DESCRIBE", "DESCRIBE_CONFIGS"))
CHANGES = frozenset(("WRITE", "CREATE", "DELETE", "ALTER", "ALTER_CONFIGS"))
# Every operation that a topic knows (AclEntry.supportedOperations).
OF_TOPICS = CHANGES | LOOKS | {"READ"}
# What an ALLOW of an operation brings with it (StandardAuthorizerData).
IMPLIED = {"READ": "DESCRIBE", "WRITE": "DESCRIBE", "DELETE": "DESCRIBE", "ALTER": "DESCRIBE", "ALTER_CONFIGS": "DESCRIBE_CONFIGS"}


def covers(acl: tuple, topic: str) -> bool:
    """Whether an ACL's resource is this topic."""
    dummy, resource, name, pattern, *dummy = acl
    if resource != "topic":
        return False
    return topic.startswith(name) if pattern == "PREFIXED" else name in ("*", topic)


def allows(acls: list[tuple], principal: str) -> list[tuple]:
    """The ALLOWs of one principal."""
    return [one for one in acls if one[0] == principal and one[5] == "ALLOW"]


def more_than_looks(acl: tuple) -> bool:
    """Whether an ALLOW lets its principal do more than look: write, read, commit, create, change."""
    return acl[4] not in LOOKS


def on_topics(acls: list[tuple], topics: list[str], matches) -> list[tuple]:
    """Those that let somebody do more than look with one of these topics, or with one that does not exist yet and matches.

    :param matches: function of a topic's name.
    """
    return [one for one in acls if one[5] == "ALLOW" and more_than_looks(one)
            and (any(covers(one, topic) for topic in topics) or (one[1] == "topic" and one[3] == "LITERAL" and matches(one[2])))]


def explained(acls: list[tuple], principal: str, topic: str) -> set[str]:
    """Operations on a topic that the principal has by ALLOWs of its own or of everybody."""
    given = {one[4] for one in acls if one[0] in (principal, EVERYBODY) and one[5] == "ALLOW" and covers(one, topic)}
    if "ALL" in given:
        return set(OF_TOPICS)
    return given | {IMPLIED[one] for one in given if one in IMPLIED}


def beyond(acls: list[tuple], principal: str, may: dict[str, set[str]]) -> tuple[set[str], set[str]]:
    """What a principal may do although no ACL says so.

    :param may: ``{topic: operations}`` as the brokers told the principal.
    :returns: topics where a super-user is the only explanation, and topics without any ACL, where
        ``allow.everyone.if.no.acl.found`` is one too.
    """
    above: set[str] = set()
    bare: set[str] = set()
    for topic, operations in may.items():
        if operations - explained(acls, principal, topic):
            (above if any(covers(one, topic) for one in acls) else bare).add(topic)
    return above, bare
