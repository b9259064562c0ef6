# SPDX-License-Identifier: GPL-3.0-or-later
"""Deletion held off by ``spec.kafka.config`` of a Strimzi ``Kafka``: what stood there is remembered on the resource,
and given back. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .._errors import UsageError
from .._mm2.properties import parse_properties
from .._values.holding import HOLD, holds
from .._values.safe import shown
from .._values.setting import setting
from .kafka_resources import GROUP, PAUSE
from .region import kept_by

# Remembers what stood in spec.kafka.config before: a value for each setting, null where there was none.
REMEMBERED = "kafka-dr.streamsafe/held"
# What an operator writes for each broker, in a ConfigMap of the broker's name.
SETTINGS = "server.config"
UNHELD = (
    f"where you can, set {' and '.join(f'{key}={setting(value)}' for key, value in HOLD.items())} yourself before its "
    "brokers start"
)


def hold_state(kafka: dict[str, Any]) -> dict[str, Any]:
    """Who holds deletion off, by the resource.

    :param kafka: a Kafka as read.
    :returns: ``held`` (whether its brokers are to delete nothing), ``ours`` (whether the collection remembers what
        stood there before), ``kept_by{tool: way out}`` (who puts the resource back to what a repository says),
        ``begin[]`` and ``end[]`` (JSON patches; empty where nothing is to be changed).
    :raises UsageError: what is remembered is not readable.
    """
    return {
        "held": holds(_config(kafka)),
        "ours": _remembered(kafka) is not None,
        "kept_by": kept_by(kafka),
        "begin": _begin(kafka),
        "end": _end(kafka),
    }


def _begin(kafka: dict[str, Any]) -> list[dict[str, Any]]:
    """Holds deletion off and remembers what stood there; empty where it is held off already."""
    config, before = _config(kafka), _remembered(kafka)
    if holds(config):
        return []
    # What is not as the collection wrote it was changed since, and is what is to be given back.
    remembered = {
        key: before[key] if before is not None and _same(config.get(key), wanted) else config.get(key)
        for key, wanted in HOLD.items()
    }
    meta = kafka["metadata"]
    patch = [_unless_changed(kafka)]
    if not meta.get("annotations"):
        patch.append({"op": "add", "path": "/metadata/annotations", "value": {}})
    patch.append(
        {"op": "add", "path": _pointer("metadata", "annotations", REMEMBERED), "value": json.dumps(remembered)}
    )
    if not kafka["spec"]["kafka"].get("config"):
        patch.append({"op": "add", "path": "/spec/kafka/config", "value": {}})
    return patch + [
        {"op": "add", "path": _pointer("spec", "kafka", "config", key), "value": value} for key, value in HOLD.items()
    ]


def _end(kafka: dict[str, Any]) -> list[dict[str, Any]]:
    """Gives back what stood there and forgets it; empty where nothing is remembered. What somebody has changed since
    stays.
    """
    config, before = _config(kafka), _remembered(kafka)
    if before is None:
        return []
    patch = [_unless_changed(kafka), {"op": "remove", "path": _pointer("metadata", "annotations", REMEMBERED)}]
    back = {key: before[key] for key, wanted in HOLD.items() if _same(config.get(key), wanted)}
    if set(back) == set(config) and all(value is None for value in back.values()) and config:
        return [*patch, {"op": "remove", "path": "/spec/kafka/config"}]
    for key, value in back.items():
        path = _pointer("spec", "kafka", "config", key)
        patch.append(
            {"op": "remove", "path": path} if value is None else {"op": "replace", "path": path, "value": value}
        )
    return patch


def hold_refusals(resources: Sequence[dict[str, Any]] | None, place: dict[str, Any], trouble: str = "") -> list[str]:
    """Why the settings of a cluster's brokers are not written, one sentence each with the way out; empty where nothing
    stands in the way.

    :param resources: the Kafka as a list; None where it could not be read, and ``trouble`` says why.
    :param place: as :func:`.region.kubernetes_region` gives it.
    """
    label = f"Kafka '{place['namespace']}/{place['cluster']}'"
    if place["group"] != GROUP:
        return [
            f"The operator of {label} is of the group {place['group']}: expected a Kafka of {GROUP}, whose "
            f"settings this knows how to write, found another kind of resource. Nothing was changed: {UNHELD}."
        ]
    if resources:
        return _unfit(resources[0], label)
    return [
        f"{label} is not there to hold deletion off in: expected the resource that kafka_dr_kubernetes names, found "
        f"{shown(trouble) if trouble else 'none'}. Correct namespace and cluster, or see to it that the API server "
        "answers, and run this again before the brokers start."
    ]


def _unfit(kafka: dict[str, Any], label: str) -> list[str]:
    """What keeps its operator from passing settings on, or this from knowing where they are."""
    meta, spec = kafka["metadata"], (kafka.get("spec") or {}).get("kafka")
    refusals = []
    if meta.get("deletionTimestamp"):
        refusals.append(
            f"{label} is being deleted: expected it to stay, found it marked at {shown(meta['deletionTimestamp'])}. "
            "Keep its volumes, and create it again without brokers that run."
        )
    if (meta.get("annotations") or {}).get(PAUSE) == "true":
        refusals.append(
            f"{label} is paused, so its operator passes no settings on: expected no annotation {PAUSE}, found 'true'. "
            "Take the annotation away, and run this again before the brokers start."
        )
    if not isinstance(spec, dict) or not isinstance(spec.get("config") or {}, dict):
        refusals.append(
            f"{label} is of an unknown shape: expected spec.kafka with the brokers' settings as spec.kafka.config, "
            f"found none. Nothing was changed: {UNHELD}."
        )
    return refusals


def hold_waiting_for(config_maps: Sequence[dict[str, Any]], held: bool = True) -> list[str]:
    """Which brokers' settings the operator has not written yet, one sentence each.

    :param config_maps: those of the cluster; what is not a broker's is passed by.
    """
    brokers = {
        config_map["metadata"]["name"]: parse_properties(config_map["data"][SETTINGS])
        for config_map in config_maps
        if SETTINGS in (config_map.get("data") or {})
    }
    if not brokers:
        return [f"a ConfigMap with the settings of a broker ({SETTINGS})"]
    words = "to hold deletion off" if held else "to hold deletion off no longer"
    return [f"ConfigMap '{name}' {words}" for name, found in sorted(brokers.items()) if holds(found) != held]


def _config(kafka: dict[str, Any]) -> dict[str, Any]:
    return kafka["spec"]["kafka"].get("config") or {}


def _same(value: object, wanted: object) -> bool:
    return setting(value).strip().lower() == setting(wanted)


def _unless_changed(kafka: dict[str, Any]) -> dict[str, Any]:
    """Who has changed the resource since it was read makes the patch fail."""
    return {"op": "test", "path": "/metadata/generation", "value": kafka["metadata"]["generation"]}


def _pointer(*words: str) -> str:
    return "".join("/" + word.replace("~", "~0").replace("/", "~1") for word in words)


def _remembered(kafka: dict[str, Any]) -> dict[str, Any] | None:
    """What stood there before, of which whoever may annotate the resource can write anything; None where nothing is
    remembered.
    """
    meta = kafka["metadata"]
    text = (meta.get("annotations") or {}).get(REMEMBERED)
    if text is None:
        return None
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if (
        not isinstance(found, dict)
        or set(found) != set(HOLD)
        or not all(value is None or isinstance(value, str | int | float) for value in found.values())
    ):
        raise UsageError(
            f"What stood in spec.kafka.config of Kafka '{meta.get('name')}' before deletion was held off cannot be "
            "read",
            expected=f"a value or null for each of {', '.join(HOLD)} in the annotation {REMEMBERED}",
            found=shown(text),
            remedy="Take the annotation away, and set both by hand as they are to be",
        )
    return found
