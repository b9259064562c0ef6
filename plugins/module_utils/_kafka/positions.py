# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Where every consumer group of a cluster stands, for a manifest."""

from __future__ import annotations

try:
    from confluent_kafka import ConsumerGroupTopicPartitions
except ImportError:
    pass


def positions(client, topics):
    """``{group: {topic: {"partition": offset}}}`` of committed positions in ``topics`` (a set of names)."""
    listed = client.result(client.ask("list groups", lambda: client.admin.list_consumer_groups(request_timeout=client.timeout)), "list groups")
    futures = {}
    for group in sorted(one.group_id for one in listed.valid):
        request = [ConsumerGroupTopicPartitions(group)]
        futures.update(client.admin.list_consumer_group_offsets(request, request_timeout=client.timeout))
    found = {}
    for group, future in futures.items():
        for part in client.result(future, "read the positions of group %s" % group).topic_partitions:
            if part.topic in topics and part.offset >= 0:
                found.setdefault(group, {}).setdefault(part.topic, {})[str(part.partition)] = part.offset
    return found
