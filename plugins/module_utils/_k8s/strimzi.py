# SPDX-License-Identifier: GPL-3.0-or-later
"""A KafkaMirrorMaker2 as its operator reports it, and the version to read an operator's resources with."""

from __future__ import annotations

from typing import Any

from .._errors import RefusedError
from . import mirror_state, mirror_versions
from .client import KubernetesClient, object_path

MIRRORS = "kafkamirrormaker2s"
VERSIONS = ("v1", "v1beta2")


def kinds_version(client: KubernetesClient, group: str) -> tuple[str, list[str]]:
    """Group and version to read and write the operator's resources with, but for KafkaMirrorMaker2, and all that are
    served.

    The newest one: an older one is deprecated beside it. Fields of Kafka that only the older one knows stay what they
    are, since an existing Kafka is patched in its metadata alone.

    :returns: ``(group/version, [version, ...])``.
    """
    served = client.served_versions(group)
    for version in VERSIONS:
        if version in served:
            return f"{group}/{version}", served
    raise RefusedError(
        f"{group} is not served in {client.name}",
        expected="version v1 or v1beta2",
        found=", ".join(served) or "none",
        remedy="Install the operator and its custom resource definitions",
    )


def read_mirror(client: KubernetesClient, params: dict[str, Any], until: str = "stopped") -> dict[str, Any]:
    """A KafkaMirrorMaker2 and what it reports; see the module ``strimzi_mirror_info``.

    :param params: ``group``, ``namespace`` and ``name`` of the resource.
    :param until: what ``ready`` and ``waiting_for`` are about: ``any``, ``ready``, ``running``, ``stopped`` or
        ``absent``.
    """
    group, namespace, name = params["group"], params["namespace"], params["name"]
    served = client.served_versions(group)
    reading = f"{group}/{mirror_versions.reading_version(served)}"
    existing = client.get(
        object_path(reading, MIRRORS, namespace, name), what=f"read KafkaMirrorMaker2 '{namespace}/{name}'"
    )
    if existing is not None:
        existing.setdefault("kind", "KafkaMirrorMaker2")
    status = mirror_state.mirror_status(existing)
    halted = mirror_state.stopped(existing)
    waiting: list[str] = []
    if until == "ready":
        waiting = status["waiting_for"]
    elif until == "running":
        waiting = _waiting_to_run(status)
    elif until == "stopped":
        waiting = halted["waiting_for"]
    elif until == "absent" and existing is not None:
        waiting = [f"KafkaMirrorMaker2 '{namespace}/{name}' to be gone"]
    return {
        "exists": existing is not None,
        "resource": existing,
        "served": served,
        "read_with": reading,
        "api_version": f"{group}/{mirror_versions.writing_version(served, existing)}",
        "state": status["state"],
        "connectors": status["connectors"],
        "message": status["message"],
        "stopped": halted["stopped"],
        "ready": not waiting,
        "waiting_for": waiting,
    }


def _waiting_to_run(status: dict[str, Any]) -> list[str]:
    if status["waiting_for"] or status["state"] == "running":
        return list(status["waiting_for"])
    connectors = ", ".join(f"{name} is {state}" for name, state in sorted(status["connectors"].items()))
    return [f"every connector to run ({connectors or 'none is reported'})"]
