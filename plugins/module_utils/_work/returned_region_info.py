# SPDX-License-Identifier: GPL-3.0-or-later
"""How a region is back that was left; the work of ``returned_region_info``."""

from __future__ import annotations

from typing import Any

from .._kafka.client import KafkaClient
from .._kafka.distinct import cluster_id, refuse_same
from .._kafka.mm2_topics import read_witness
from .._kafka.offsets import topic_offsets
from .._kafka.topics import describe_topics, refuse_hidden
from .._positions.witnessed import unless_others
from .._stages.returned import further_copy, returned
from .._values.pattern import matching


def returned_region_info(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The result of ``returned_region_info``; reads only. See the module's RETURN for the shape."""
    region = KafkaClient(params["source_client"], params["source_client_secrets"], params["timeout"], "the region")
    survivor = KafkaClient(params["target_client"], params["target_client_secrets"], params["timeout"], "the survivor")
    refuse_same(region, survivor)
    copied, topic = params.get("source_alias"), params["positions_topic"]
    witness = unless_others(read_witness(survivor, topic), copied, params.get("target_alias"))
    known_topics = {name: topic["id"] for name, topic in (witness["topics"] if witness else {}).items()}
    known_id = (witness["cluster"] if witness else None) or ""
    found_id = cluster_id(region)
    listed = list(region.metadata().topics)
    names = matching(listed, params["topics"], "topics")
    left = matching(sorted({*known_topics, *params["ends"]} - {*listed}), params["topics"], "topics")
    refuse_hidden(region, left)
    described = describe_topics(region, names)
    bounds = topic_offsets(region, {name: topic["partitions"] for name, topic in described.items()}, gone="waited for")
    topics = {name: {"id": described[name]["id"], "offsets": offsets} for name, offsets in bounds.items()}
    if params["further_copy"]:
        own = read_witness(region, params.get("region_positions_topic") or topic)
        own = unless_others(own, copied, params.get("region_alias"))
        copied_from = (own["cluster"] if own else None) or ""
        found = further_copy(copied_from, known_id, topics, params["ends"])
    else:
        copied_from = ""
        found = returned(found_id, known_id, topics, known_topics, params["ends"])
    return {"changed": False, "cluster_id": found_id, "known_cluster_id": known_id, "copied_from": copied_from, **found}
