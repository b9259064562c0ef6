# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Groups of every kind. librdkafka lists consumer groups only, as MirrorMaker 2 does; ListGroups itself (version 5, KIP-848) knows share and streams groups."""

from __future__ import annotations

try:
    from kafka.errors import for_code
    from kafka.protocol.admin import ListGroupsRequest
except ImportError:
    pass

from .._errors import KafkaDrError
from .python_client import PythonClient


def group_kinds(client):
    """``{group: {"type", "protocol"}}`` of all groups of the cluster.

    ``type`` is ``consumer``, ``classic``, ``share`` or ``streams``, empty where the brokers are older than Kafka 4.0 and do not say it; ``protocol`` is
    ``consumer`` for consumers, ``connect`` for workers of Connect, empty for a group that only commits.

    :raises KafkaDrError: a broker did not answer; a list in part is never used.
    """
    found = {}
    with PythonClient(client) as connection:
        for number in sorted(client.metadata().brokers):
            answer = connection.ask(ListGroupsRequest(min_version=0), "list groups", number)
            if answer.error_code:
                said = for_code(answer.error_code).__name__
                raise KafkaDrError("Cannot list groups on %s" % client.name, expected="an answer of broker %d" % number, found=said, code=said,
                                   remedy="Run this again once its coordinator is loaded")
            for one in answer.groups:
                found[one.group_id] = {"type": str(getattr(one, "group_type", "") or "").lower(), "protocol": one.protocol_type or ""}
    return found
