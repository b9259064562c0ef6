# SPDX-License-Identifier: GPL-3.0-or-later
"""The watch of a mirror as the inventory describes it: where it runs, and what it is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .._errors import UsageError
from .._mm2.access import WINDOWS
from .._mm2.mirror_config import checked, source_offsets_topic
from .._values.safe import file_name
from .._watch.keeping import CONFIGS
from .machines import mirror_machines
from .mirrors import rename_of, topics_pattern
from .platforms import mirror_platform
from .positions import positions_topic
from .regions import whole_client

Region = dict[str, Any]
LOOPBACK = "127.0.0.1"
INTERVAL = 5
SETTINGS = "watch.json"


def has_watch(mirror: dict[str, Any], regions: Mapping[str, Region]) -> bool:
    """Whether the inventory describes a watch for a mirror.

    :param regions: hostvars.
    """
    target = str(mirror.get("target"))
    return target in regions and regions[target].get("kafka_dr_watch") is not None


def watch_node(mirror: dict[str, Any], regions: Mapping[str, Region]) -> dict[str, Any]:
    """Where a watch runs.

    :param regions: hostvars.
    :returns: ``name`` (of its service or Deployment), ``host`` (empty in a cluster), ``directory``, ``user``,
        ``python`` (None for the controller's), ``interval``, ``image``, ``fields``.
    :raises UsageError: the target describes no watch, or not well.
    """
    target = regions[mirror["target"]]
    if not has_watch(mirror, regions):
        raise UsageError(
            f"Region {mirror['target']} describes no watch for mirror '{mirror['name']}'",
            expected="kafka_dr_watch",
            found="none",
            remedy="Set kafka_dr_watch of the region, {} for a watch with all that is the default",
        )
    described = target["kafka_dr_watch"] or {}
    node = {
        "name": "watch-" + file_name("a mirror", mirror["name"]),
        "host": "",
        "interval": described.get("interval") or INTERVAL,
        "image": described.get("image"),
        "fields": described.get("fields") or {},
    }
    if mirror_platform(target) in ("kubernetes", "deployment"):
        _refuse_unless(bool(node["image"]), mirror, "image", "nothing", "Name an image that can run the watch")
        return node
    return {**node, **_on_machine(mirror, regions, described)}


def _on_machine(mirror: dict[str, Any], regions: Mapping[str, Region], described: dict[str, Any]) -> dict[str, Any]:
    machines, target = mirror_machines(dict(regions), mirror), regions[mirror["target"]]
    host = str(described.get("host") or machines[0])
    _refuse_unless(host in machines, mirror, f"host: one of {', '.join(machines)}", host, "Name one of them")
    own = regions[host] if host in regions else {}

    def variable(name: str) -> Any:
        return own.get(name) if own.get(name) is not None else target.get(name)

    above = described.get("directory") or (
        f"{variable('kafka_dr_mirror_directory')}/watch" if variable("kafka_dr_mirror_directory") else None
    )
    _refuse_unless(bool(above), mirror, "directory, or kafka_dr_mirror_directory", "neither", "Give one of them")
    return {
        "host": host,
        "directory": f"{above}/{mirror['name']}",
        "user": variable("kafka_dr_mirror_user") or "",
        "python": described.get("python") or variable("kafka_dr_python"),
    }


def _refuse_unless(holds: bool, mirror: dict[str, Any], expected: str, found: str, remedy: str) -> None:
    if not holds:
        raise UsageError(
            f"kafka_dr_watch of region {mirror['target']} cannot be used for mirror '{mirror['name']}'",
            expected=expected,
            found=found,
            remedy=remedy,
        )


def watch_words(mirror: dict[str, Any], regions: Mapping[str, Region], directory: str, interval: float) -> list[str]:
    """The words for ``main.py``.

    :param directory: where the clients' files are. :param interval: seconds; 0 for those of ``kafka_dr_watch``.
    :raises UsageError: the mirror names its topics by a class of its own.
    """
    described = regions[mirror["target"]].get("kafka_dr_watch") or {}
    words = {
        "--source-config": f"{directory}/source.json",
        "--target-config": f"{directory}/target.json",
        "--topics": topics_pattern(mirror),
        "--state": WINDOWS,
        "--mirror": mirror["name"],
        "--rename": rename_of(mirror),
        "--interval": interval or described.get("interval") or INTERVAL,
        "--offsets-topic": source_offsets_topic(checked(mirror)),
        "--alias": mirror["source"],
        "--positions-topic": positions_topic(mirror, regions),
        "--scrub-days": described.get("scrub_days"),
        "--max-mb-per-second": described.get("max_mb_per_second"),
        "--metrics": _metrics(mirror, regions),
    }
    given = [word for name, value in words.items() if value is not None for word in (name, str(value))]
    return ["watch", *given]


def _metrics(mirror: dict[str, Any], regions: Mapping[str, Region]) -> str | None:
    """``HOST:PORT``; None where nobody is to read them."""
    described = (regions[mirror["target"]].get("kafka_dr_watch") or {}).get("metrics")
    return f"{described.get('host') or LOOPBACK}:{described['port']}" if described else None


def watch_topics(mirror: dict[str, Any]) -> list[dict[str, Any]]:
    """The topic that a watch keeps its state in, which has to exist before it starts: it may not create any."""
    return [
        {
            "name": WINDOWS,
            "partitions": 1,
            "replication_factor": checked(mirror)["tuning"].get("replication_factor"),
            "configs": {**CONFIGS, "segment.ms": 3600000, "segment.bytes": 52428800},
        }
    ]


def watch_files(
    mirror: dict[str, Any], regions: Mapping[str, Region], words: list[str], begin_anew: bool = False
) -> dict[str, str]:
    """The watch's own files by name: its words, and its clients with their secrets.

    :param words: as of :func:`watch_words`.
    :param begin_anew: whether it begins anew where a cluster is another one than it has watched before.
    """
    inside = mirror_platform(regions[mirror["target"]]) in ("kubernetes", "deployment")
    return {
        SETTINGS: json.dumps({"words": words, "begin_anew": begin_anew}, indent=1) + "\n",
        **{
            f"{side}.json": json.dumps(whole_client(regions[mirror[side]], "watch", inside), sort_keys=True)
            for side in ("source", "target")
        },
    }
