# SPDX-License-Identifier: GPL-3.0-or-later
"""The versions and shapes of ``KafkaMirrorMaker2``: which one an object has, and which ones read and write it whole."""

from __future__ import annotations

from typing import Any

from .._errors import RefusedError

STRIMZI_GROUP = "kafka.strimzi.io"


EVENT_STREAMS_GROUP = "eventstreams.ibm.com"


SHAPES = {"v1": "target", "v1beta2": "clusters"}


API_VERSIONS = (STRIMZI_GROUP + "/v1", STRIMZI_GROUP + "/v1beta2", EVENT_STREAMS_GROUP + "/v1beta2")


def shape_of(resource: dict[str, Any] | None) -> str | None:
    """``clusters`` or ``target``, by the fields that are there; None where neither or both are."""
    spec = (resource or {}).get("spec") or {}
    mirrors = spec.get("mirrors") or []
    old_keys = {"sourceCluster", "targetCluster", "heartbeatConnector"}
    old = "connectCluster" in spec or "clusters" in spec or any(old_keys & set(mirror) for mirror in mirrors)
    new = "target" in spec or any("source" in mirror for mirror in mirrors)
    return None if old == new else ("clusters" if old else "target")


def reading_version(served: list[str]) -> str:
    """The version to read an object with: the one whose schema shows both shapes (``v1beta2``) wherever it is served.

    :param served: version names, e.g. ``["v1", "v1beta2"]``.
    """
    for version in ("v1beta2", "v1"):
        if version in served:
            return version
    raise RefusedError(
        "KafkaMirrorMaker2 is served in no version that is known",
        expected="v1 or v1beta2",
        found=", ".join(served) or "none",
        remedy="Install the operator's custom resource definitions",
    )


def writing_version(served: list[str], existing: dict[str, Any] | None = None) -> str:
    """The version to write an object with so that nothing of it is dropped.

    :param existing: the object as read through :func:`reading_version`, or None where there is none yet.
    :raises RefusedError: the object has a shape that no served version holds, or mixes both.
    """
    reading_version(served)
    if existing is None:
        return "v1" if "v1" in served else "v1beta2"
    name = (existing.get("metadata") or {}).get("name")
    shape = shape_of(existing)
    if shape == "clusters":
        if "v1beta2" not in served:
            raise RefusedError(
                f"KafkaMirrorMaker2 '{name}' has the shape of v1beta2",
                expected="v1beta2 to be served",
                found=", ".join(served),
                remedy="Convert the resource with the operator's conversion tool first",
            )
        return "v1beta2"
    if shape == "target":
        return "v1" if "v1" in served else "v1beta2"
    raise RefusedError(
        f"KafkaMirrorMaker2 '{name}' is of neither shape",
        expected="spec.target, or spec.connectCluster and spec.clusters",
        found=", ".join(sorted(existing.get("spec") or {})) or "nothing",
        remedy="Repair or delete the resource by hand",
    )
