# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare topics in a second or two: names, partitions, configurations, counts by watermark, lag, and the content of
small ones.
"""

from __future__ import annotations

import time
from typing import Any

from .._errors import RefusedError
from .._kafka import mm2_topics
from .._kafka.client import KafkaClient
from .._kafka.offsets import offsets_behind
from .._mm2.never_synced import NEVER_SYNCED
from .._proof import report, verdict, worker
from .._proof.comparison import Options, prepare
from .._proof.found import COUNTS

INDICATIVE = "counts are differences of watermarks and indicative only: content was not read"


def topic_compare_info(params: dict[str, Any], check_mode: bool = False) -> dict[str, Any]:
    """The result of ``topic_compare_info``: the keys of the Spark job's report, with ``config_differences`` and
    ``lag``.
    """
    specs = {}
    for side in ("source", "target"):
        config = dict(params[side + "_client"])
        config.update(
            {key: value for key, value in (params[side + "_client_secrets"] or {}).items() if value is not None}
        )
        specs[side] = {"kind": "kafka", "config": config, "name": side, "timeout": params["timeout"], "rate": None}
    options = Options(
        params["topics"],
        params["rename"],
        params["ignore_timestamps"],
        {"mirrored_through": params["mirrored_through"] or {}},
        max_differences=params["max_differences"],
        wait_seconds=0,
    )
    if params["content"]:
        found = _content(specs, options, params["max_records"])
    else:
        found = _watermarks(specs, options)
    lags = _lags(specs["target"], params)
    differing = 0
    for topic in found["topics"]:
        differing += len(topic["config_differences"])
        for part in topic["partitions"]:
            copied = lags.get((topic["topic"], part["partition"]))
            part["lag"] = None if copied is None else offsets_behind(copied + 1, *part["source_range"])
    found.update(content=params["content"], configs_differ=differing, changed=False)
    return found


def _content(specs: dict[str, dict[str, Any]], options: Options, most: int) -> dict[str, Any]:
    comparison = prepare(specs["source"], specs["target"], options)
    if comparison.records_total > most:
        raise RefusedError(
            "There is too much to compare inside a module",
            expected=f"at most {most} records on both sides (max_records)",
            found=comparison.records_total,
            remedy="Narrow topics, or use the role proof, which runs the same comparison on Spark",
        )
    found = comparison.run(worker.InProcess())
    found["engine"] = {"name": "in-process"}
    for topic, topic_row in zip(comparison.topics, found["topics"], strict=True):
        topic_row["config_differences"] = _configs(topic)
        for part in topic_row["partitions"]:
            part["offset_map"] = list(part["offset_map"])
    return found


def _watermarks(specs: dict[str, dict[str, Any]], options: Options) -> dict[str, Any]:
    comparison = prepare(specs["source"], specs["target"], options)
    topics = [_topic(topic) for topic in comparison.topics]
    outcome = verdict.worst([topic["verdict"] for topic in topics])
    totals = dict.fromkeys(("records_source", "records_target", "bytes_read", *COUNTS), 0)
    for name in ("records_source", "records_target"):
        totals[name] = sum(part[name] for topic in topics for part in topic["partitions"])
    return {
        "verdict": outcome,
        "complete": False,
        "reasons": [INDICATIVE],
        "totals": totals,
        "topics": topics,
        "engine": {"name": "watermarks"},
        "seconds": round(time.time() - comparison.began, 3),
        "source": "source",
        "target": "target",
        "miss_probability": report.BOUND,
    }


def _topic(topic: Any) -> dict[str, Any]:
    """One topic of the report without content: NOT_PROVABLE unless something was shown to differ."""
    partitions = []
    for pair in topic.pairs:
        partitions.append(
            {
                "partition": pair.number,
                "verdict": "NOT_PROVABLE",
                "reasons": list(pair.reasons),
                "source_range": list(pair.source_range),
                "target_range": list(pair.target_range),
                "records_source": pair.source_range[1] - pair.source_range[0],
                "records_target": pair.target_range[1] - pair.target_range[0],
                "bytes_read": 0,
                **dict.fromkeys(COUNTS, 0),
                "offset_map": [],
                "differences": [],
                "differences_left_out": 0,
                "indicative": True,
            }
        )
    return {
        "topic": topic.name,
        "target_topic": topic.target_name,
        "mode": topic.mode,
        "verdict": "DIFFERENT" if topic.partition_difference else "NOT_PROVABLE",
        "reasons": list(topic.reasons),
        "source_topic_id": topic.source["topic_id"],
        "target_topic_id": topic.target["topic_id"] if topic.target else None,
        "timestamps_compared": False,
        "partitions": partitions,
        "config_differences": _configs(topic),
    }


def _configs(topic: Any) -> list[dict[str, Any]]:
    """``[{name, source, target, synced}]`` of configurations that differ; ``synced`` says whether MirrorMaker 2 would
    copy them.
    """
    if topic.target is None:
        return []
    names = sorted(set(topic.source["config"]) | set(topic.target["config"]))
    values = [(name, topic.source["config"].get(name), topic.target["config"].get(name)) for name in names]
    return [
        {"name": name, "source": source, "target": target, "synced": name not in NEVER_SYNCED}
        for name, source, target in values
        if source != target
    ]


def _lags(target: dict[str, Any], params: dict[str, Any]) -> dict[tuple[str, int], int]:
    """``{(topic, partition): last offset copied}`` by MirrorMaker 2's own source offsets; empty where they are not
    asked for or not there.
    """
    if not params["source_alias"]:
        return {}
    client = KafkaClient(target["config"], timeout=params["timeout"], name="target")
    topic = params["offsets_topic"] or f"mm2-offsets.{params['source_alias']}.internal"
    read = mm2_topics.read_source_offsets(client, topic, params["source_alias"])
    return read["offsets"] if read else {}
