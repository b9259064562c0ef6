# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies that MirrorMaker 2 cannot create, because they are too many for the one request that it sends. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .._mm2.mirror_config import POLICIES, checked, connector_configs
from .._mm2.names import compile_filter
from .._mm2.never_synced import NEVER_SYNCED
from .._values.portions import RECORDS_A_REQUEST, records_of
from .mirrors import names_of

# MirrorSourceConfig.REPLICATION_FACTOR_DEFAULT.
REPLICATION_FACTOR = 2


def copies_to_create(
    mirror: dict[str, Any], topics: Mapping[str, Mapping[str, Any]], copies: Collection[str]
) -> list[dict[str, Any]]:
    """Copies to create before a mirror is started, as the module ``topics`` takes them; none where it can do so itself.

    MirrorMaker 2 asks for all that are missing at once (``MirrorSourceConnector.createNewTopics``). The controller
    refuses such a request as a whole, and the mirror copies nothing, for ever.

    :param topics: ``{name: {partitions, configs}}`` that the mirror copies, of the source.
    :param copies: names of topics that the target has. A class of its own gives names or configs that nobody here
        knows, and the source's defaults are not read: these copies are the mirror's.
    """
    settings = connector_configs(mirror)["source"]
    if (
        checked(mirror)["policy"] not in POLICIES
        or "config.property.filter.class" in settings
        or settings.get("use.defaults.from") == "source"
    ):
        return []
    names = names_of(mirror)
    synced = compile_filter(".*", settings.get("config.properties.exclude", NEVER_SYNCED), "configs")
    missing = [
        {
            "name": names.copy_of(name),
            "partitions": topic["partitions"],
            "replication_factor": int(settings.get("replication.factor", REPLICATION_FACTOR)),
            "configs": {key: value for key, value in topic["configs"].items() if synced(key)},
        }
        for name, topic in sorted(topics.items())
        if names.copy_of(name) not in copies
    ]
    too_many = sum(records_of(topic["partitions"], topic["configs"]) for topic in missing) > RECORDS_A_REQUEST
    return missing if too_many else []
