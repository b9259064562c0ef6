# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may write to the collection's own topics, by the cluster's ACLs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._errors import AuthorizationError, KafkaDrError
from .._kafka.acl_sight import UNGUARDED
from .._kafka.acls import Acl, as_text, describe_acls
from .._kafka.client import KafkaClient
from .._kafka.principals import forms
from .._mm2.access import WINDOWS

# How far a salvage has come; see _salvage/progress.py.
SALVAGE_TOPIC = "__kafka_dr_salvage"
# What changes a topic's records, or lets them go.
HARMFUL = ("WRITE", "DELETE", "ALTER", "ALTER_CONFIGS")


def expected(
    region: dict, ledger_topic: str, positions_topics: Sequence[str] | str, later: Sequence[str] | tuple[str, ...] = ()
) -> dict[str, list[str]]:
    """``{topic: [principals that may write there]}``.

    :param region: its variables: ``kafka_dr_users``, ``kafka_dr_super_users``, ``kafka_dr_client``.
    :param positions_topics: of the region's position witnesses; a name alone stands for a list of it.
    :param later: names of users whose rights are about to be corrected.
    """

    def of(*purposes: Any) -> list[str]:
        return [user["name"] for user in region.get("kafka_dr_users") or [] if user.get("purpose") in purposes]

    above = [*of("stages"), *(region.get("kafka_dr_super_users") or []), *later]
    positions = [positions_topics] if isinstance(positions_topics, str) else positions_topics
    own = (region.get("kafka_dr_client") or {}).get("sasl.username")
    above += [own] if own else []
    return {
        ledger_topic: sorted(forms(above)),
        **{topic: sorted(forms([*above, *of("witness")])) for topic in positions},
        SALVAGE_TOPIC: sorted(forms(above)),
        WINDOWS: sorted(forms([*above, *of("watch")])),
    }


def strangers(client: KafkaClient, allowed: dict[str, list[str]]) -> list[str]:
    """Who may write to these topics beside those who should, one sentence each."""
    try:
        acls = describe_acls(client)
    except AuthorizationError as error:
        return [f"nobody knows who: the ACLs cannot be read ({error.found})"]
    except KafkaDrError as error:
        if error.facts.get("code") != UNGUARDED:
            raise
        return ["everybody: the cluster has no authorizer"]
    return [text for topic, principals in allowed.items() for text in writers(acls, topic, principals)]


def writers(acls: list[Acl], topic: str, allowed: list[str]) -> list[str]:
    """As :func:`strangers`, of ACLs as :func:`.._kafka.acls.flatten` has them."""
    mine = [acl for acl in acls if acl[1] == "topic" and covers(acl[2], acl[3], topic)]
    found: dict[tuple[str, str], str] = {}
    for acl in mine:
        principal, operation, permission = acl[0], acl[4], acl[5]
        if permission != "ALLOW" or principal in allowed:
            continue
        for harm in HARMFUL:
            if operation in (harm, "ALL") and not denied(mine, principal, harm):
                found.setdefault((principal, harm), f"{principal} may {harm} {topic} ({as_text(acl)})")
    by_principal: dict[str, str] = {}
    for (principal, dummy), text in found.items():
        by_principal.setdefault(principal, text)
    return sorted(by_principal.values())


def covers(name: str, pattern: str, topic: str) -> bool:
    """Whether an ACL for this name and pattern is one for the topic."""
    if pattern == "PREFIXED":
        return topic.startswith(name)
    return name in ("*", topic)


def denied(mine: list[Acl], principal: str, operation: str) -> bool:
    """Whether an ACL among those that cover a topic denies this, from every host."""
    return any(
        acl[5] == "DENY" and acl[0] in (principal, "User:*") and acl[4] in (operation, "ALL") and acl[6] == "*"
        for acl in mine
    )
