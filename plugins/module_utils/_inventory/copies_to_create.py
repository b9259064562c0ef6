# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies that MirrorMaker 2 cannot create, because they are too many for the one request that it sends. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .._mm2.mirror_config import checked
from .._mm2.never_synced import NEVER_SYNCED
from .._values.records_a_request import RECORDS_A_REQUEST, records_of
from .mirrors import copy_of

NAMING = ("identity", "default")


def copies_to_create(
    mirror: dict[str, Any], topics: Mapping[str, Mapping[str, Any]], copies: Collection[str]
) -> list[dict[str, Any]]:
    """Copies to create before a mirror is started, as the module ``topics`` takes them; none where it can do so itself.

    MirrorMaker 2 asks for all that are missing at once (``MirrorSourceConnector.createNewTopics``). The controller
    refuses such a request as a whole, and the mirror copies nothing, for ever.

    :param topics: ``{name: {partitions, configs}}`` that the mirror copies, of the source.
    :param copies: names of topics that the target has. A policy of its own gives names that nobody here knows.
    """
    full = checked(mirror)
    if full["policy"] not in NAMING:
        return []
    missing = [
        {
            "name": copy_of(mirror, name),
            "partitions": topic["partitions"],
            "replication_factor": full["tuning"].get("replication_factor"),
            "configs": {key: value for key, value in topic["configs"].items() if key not in NEVER_SYNCED},
        }
        for name, topic in sorted(topics.items())
        if copy_of(mirror, name) not in copies
    ]
    too_many = sum(records_of(topic["partitions"], topic["configs"]) for topic in missing) > RECORDS_A_REQUEST
    return missing if too_many else []
