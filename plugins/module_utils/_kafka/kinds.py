# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of every kind. librdkafka lists consumer groups only, as MirrorMaker 2 does; ListGroups itself (version 5,
KIP-848) knows share and streams groups.
"""

from __future__ import annotations

from typing import TypedDict

try:
    from kafka.errors import for_code
    from kafka.protocol.admin import ListGroupsRequest
except ImportError:
    pass

from .._errors import KafkaDrError
from .client import KafkaClient
from .groups import list_groups, unlike_consumers
from .python_client import PythonClient, require_library


class GroupKind(TypedDict):
    """Type and protocol of a group as ListGroups names them, in lower case; empty where it is not known."""

    type: str
    protocol: str


def group_kinds(client: KafkaClient) -> dict[str, GroupKind]:
    """``{group: {"type", "protocol"}}`` of all groups of the cluster.

    ``type`` is ``consumer``, ``classic``, ``share`` or ``streams``; it is empty where the brokers are older than Kafka
    4.0. ``protocol`` is ``consumer`` for consumers, ``connect`` for workers of Connect, and empty for a group that only
    commits.

    :raises KafkaDrError: a broker did not answer, since a partial list is never used; or kafka-python, the only client
        that has this request, cannot send it.
    """
    require_library(client, "list groups of every kind")
    found: dict[str, GroupKind] = {}
    with PythonClient(client) as connection:
        for number in sorted(client.metadata().brokers):
            answer = connection.ask(ListGroupsRequest(min_version=0), "list groups", number)
            if answer.error_code:
                reason = for_code(answer.error_code).__name__
                raise KafkaDrError(
                    f"Cannot list groups on {client.name}",
                    expected=f"an answer of broker {number}",
                    found=reason,
                    code=reason,
                    remedy="Run this again once its coordinator is loaded",
                )
            for group in answer.groups:
                found[group.group_id] = {
                    "type": str(getattr(group, "group_type", "") or "").lower(),
                    "protocol": group.protocol_type or "",
                }
    return found


def kinds_or_others(client: KafkaClient) -> dict[str, GroupKind]:
    """As :func:`group_kinds`. Where kafka-python cannot ask, what librdkafka shows: type ``other`` stands for share
    groups and groups of the streams protocol alike.

    :raises KafkaDrError: neither request was answered in full.
    """
    try:
        return group_kinds(client)
    except Exception:  # kafka-python knows fewer ways to log in than librdkafka
        consumers = list_groups(client)
        return {
            **{name: {"type": "other", "protocol": ""} for name in unlike_consumers(client, consumers)},
            **{name: {"type": "", "protocol": "consumer"} for name in consumers},
        }
