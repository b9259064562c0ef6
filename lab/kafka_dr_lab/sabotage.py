# SPDX-License-Identifier: GPL-3.0-or-later
"""Damage that a drill does on request (``--sabotage``), to show that its checks can fail."""

from __future__ import annotations

import time

from .drill import MIRROR, RPO_OBJECTIVE_SECONDS, TARGET, Drill
from .landscape import TOPICS


def sabotage_mirror_or_topic(drill: Drill) -> None:
    """Kill the mirror, or delete a copied topic, where the command asks for it."""
    if drill.arguments.sabotage == "mirror":
        drill.say("SABOTAGE: the mirror is killed before the loss")
        drill.lab.halt(MIRROR)
        time.sleep(RPO_OBJECTIVE_SECONDS)
    elif drill.arguments.sabotage == "topic":
        from confluent_kafka.admin import AdminClient

        drill.say(f"SABOTAGE: topic {TOPICS[1]} is deleted in {TARGET}")
        drill.lab.halt(MIRROR)
        admin = AdminClient(drill.client(TARGET, "kdr-stages"))
        for future in admin.delete_topics([TOPICS[1]]).values():
            future.result(30)


def remove_first_record(drill: Drill, region: str) -> None:
    """Delete the first record that the first topic's partition 0 holds in a region."""
    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import AdminClient, OffsetSpec

    admin = AdminClient(drill.client(region, "kdr-stages"))
    partition = TopicPartition(TOPICS[0], 0)
    first = next(iter(admin.list_offsets({partition: OffsetSpec.earliest()}).values())).result(30).offset
    drill.say(f"SABOTAGE: the first record of {TOPICS[0]}-0 is deleted in {region}")
    next(iter(admin.delete_records([TopicPartition(TOPICS[0], 0, first + 1)]).values())).result(30)
