# SPDX-License-Identifier: GPL-3.0-or-later
"""Regions, users, applications and mirrors as the inventory describes them: looked up and checked."""

from __future__ import annotations

import json
from typing import Any

from .._values.moment import moment


def hosts_with(regions: dict[str, dict[str, Any]], variable: str) -> list[str]:
    """Names of the hosts that have this variable.

    :param regions: hostvars.
    """
    return [name for name in regions if variable in regions[name]]


def with_platforms(names: list[str], regions: dict[str, dict[str, str]]) -> str:
    """Regions with what runs each, as ``north_america (host) and europe (kubernetes)``.

    :param names: names of regions. :param regions: hostvars.
    """
    return " and ".join(
        f"{name} ({regions[name].get('kafka_dr_platform') or 'no platform' if name in regions else 'unknown'})"
        for name in names
    )


def user_for(region: dict[str, Any], purpose: str) -> dict[str, Any] | None:
    """The region's user of this purpose, or None."""
    return next((user for user in region.get("kafka_dr_users") or [] if user.get("purpose") == purpose), None)


def client_of(region: dict[str, Any], purpose: str) -> dict[str, str]:
    """The region's client without secrets, as the user of this purpose where there is one."""
    client = dict(region.get("kafka_dr_client") or {})
    user = user_for(region, purpose)
    if user:
        client["sasl.username"] = user["name"]
    return client


def secrets_of(region: dict[str, Any], purpose: str) -> dict[str, str]:
    """The secrets that belong to :func:`client_of`."""
    secrets = dict(region.get("kafka_dr_client_secrets") or {})
    user = user_for(region, purpose)
    if user and user.get("password"):
        secrets["sasl.password"] = user["password"]
    return secrets


def whole_client(region: dict[str, Any], purpose: str, inside: bool = False) -> dict[str, Any]:
    """The client of a program that runs by itself, with its secrets.

    :param inside: whether it runs in Kubernetes, and reaches the region at ``mirror_bootstrap`` where there is one.
    """
    client = {**client_of(region, purpose), **secrets_of(region, purpose)}
    address = (region.get("kafka_dr_kubernetes") or {}).get("mirror_bootstrap") if inside else None
    return {**client, "bootstrap.servers": address} if address else client


def client_files(
    regions: dict[str, dict[str, Any]], sides: dict[str, str], purpose: str, directory: str
) -> list[dict[str, str]]:
    """A client with its secrets as a JSON file for each side.

    :param regions: hostvars.
    :param sides: ``{side: region}``; the side gives the file its name.
    :returns: ``[{path, content}]``; contents hold passwords.
    """
    return [
        {
            "path": f"{directory}/{side}.json",
            "content": json.dumps({**client_of(regions[name], purpose), **secrets_of(regions[name], purpose)}),
        }
        for side, name in sides.items()
    ]


def ends(topics: dict[str, dict[str, dict[str, Any]]]) -> dict[str, dict[str, int]]:
    """``{topic: {partition: last stable offset}}`` from the topics of ``cluster_info``."""
    return {
        name: {number: bounds["stable"] for number, bounds in topic.get("offsets", {}).items()}
        for name, topic in topics.items()
    }


def starts(topics: dict[str, dict[str, dict[str, Any]]]) -> dict[str, dict[str, int]]:
    """``{topic: {partition: log start}}`` from the topics of ``cluster_info``."""
    return {
        name: {number: bounds["start"] for number, bounds in topic.get("offsets", {}).items()}
        for name, topic in topics.items()
    }


def with_records(topics: dict[str, dict[str, dict[str, Any]]]) -> list[str]:
    """Names of the topics, as ``cluster_info`` gives them with offsets, that hold anything."""
    return sorted(
        name
        for name, topic in topics.items()
        if any(bounds["end"] > bounds["start"] for bounds in topic.get("offsets", {}).values())
    )


def copied_ends(status: dict[str, Any], ledger: dict[str, Any] | None = None, region: str = "") -> dict[str, Any]:
    """What a mirror had copied of its source, and what it had not.

    :param status: result of ``mirror_offsets_info``. :param ledger: what ``ledger_info`` returns. :param region: the
        source by its name, as the ledger has it.
    :returns: ``source{topic: {partition: offset after the last record copied}}``, ``known`` (the ends that the position
        witness saw last), ``lost{total, topics{topic: offsets}, unknown[topic]}`` (None where there was no witness, or
        of some topic it is not known), ``witnessed_at`` (when the ends moved last, in seconds since the epoch),
        ``noted_at`` (when Connect noted last how far it had copied, in the same seconds),
        ``looked_at`` (when the witness looked last, as the ledger writes moments; or empty), and ``used_since`` where
        applications may have been led to the source after that look, so that nobody knows what is lost. Of a topic that
        was made again, and that the mirror was not seen to begin again, an offset may be one of the former topic, or
        reached from there. ``certain``, where Connect holds two offsets of a partition, is ``source`` without it: what
        a proof excuses must not rest on the lower one. Offsets count as records here: on a source written in
        transactions the markers among them make the figure an upper bound.
    """
    source: dict[str, dict[str, int]] = {}
    for row in status.get("partitions") or []:
        if row["mirrored_through"] is not None:
            source.setdefault(row["topic"], {})[str(row["partition"])] = row["mirrored_through"]
    double = {(conflict["topic"], str(conflict["partition"])) for conflict in status.get("conflicts") or []}
    witness = status.get("witness") or {}
    looked = witness.get("at")
    copied = {
        "source": source,
        "known": witness.get("ends") or {},
        "lost": _lost(witness, source, {topic for topic, dummy in double}),
        "witnessed_at": witness.get("ends_at"),
        "noted_at": status.get("noted_at"),
        "looked_at": "" if looked is None else moment(looked),
    }
    named = _named_at(ledger or {}, region)
    if named and witness.get("ends") and (looked is None or named >= moment(looked)):
        copied |= {"lost": {"total": None, "topics": {}, "unknown": []}, "used_since": named}
    if double:
        copied["certain"] = {
            topic: {number: end for number, end in ends.items() if (topic, number) not in double}
            for topic, ends in source.items()
        }
    return copied


def _lost(witness: dict[str, Any], source: dict[str, dict[str, int]], double: set[str]) -> dict[str, Any]:
    """What the witness saw and the mirror had not copied.

    :param source: by topic and partition, what was copied. :param double: topics of which Connect holds two offsets.
    """
    known = witness.get("ends")
    if known is None:
        return {"total": None, "topics": {}, "unknown": []}
    topics = {
        topic: sum(max(0, end - source.get(topic, {}).get(number, 0)) for number, end in ends.items())
        for topic, ends in known.items()
    }
    doubted = (set(witness.get("made_again") or ()) - set(witness.get("begun_again") or ())) | double
    unknown = sorted(topic for topic in doubted if known.get(topic) and source.get(topic))
    topics = {topic: count for topic, count in topics.items() if count and topic not in unknown}
    return {"total": None if unknown else sum(topics.values()), "topics": topics, "unknown": unknown}


def _named_at(ledger: dict[str, Any], region: str) -> str:
    """When the region was named active last; empty where it was not, or nobody knows when."""
    if ledger.get("active_region") == region:
        return str(ledger.get("active_at") or "")
    named = [move for move in ledger.get("moves") or [] if move["region"] == region]
    return str(max(named, key=lambda move: int(move["epoch"]))["at"]) if named else ""
