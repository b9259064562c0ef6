# SPDX-License-Identifier: GPL-3.0-or-later
"""Where in Kubernetes an application or a mirror is, as the inventory says it."""

from __future__ import annotations

from typing import Any

from .._errors import UsageError
from .platforms import mirror_platform

# How an API server is reached; what of the inventory a connection is made of.
CONNECTION_KEYS = (
    "kubeconfig",
    "context",
    "host",
    "api_key",
    "ca_cert",
    "client_cert",
    "client_key",
    "validate_certs",
    "proxy",
)


def connection_of(described: dict[str, Any]) -> dict[str, Any]:
    """How a cluster is reached, of what the inventory says about a place in it."""
    return {key: described[key] for key in CONNECTION_KEYS if described.get(key) is not None}


def mirror_connection(region: dict[str, Any]) -> dict[str, Any]:
    """How the cluster is reached that the mirror into a region runs in.

    :param region: variables of the target region, whose mirror is in a cluster.
    """
    own = region.get("kafka_dr_mirror_deployment") or {} if mirror_platform(region) == "deployment" else {}
    return connection_of(own) or connection_of(region.get("kafka_dr_kubernetes") or {})


def application_place(application: dict[str, Any], region: dict[str, Any]) -> dict[str, Any]:
    """Where the application is: ``connection``, ``namespace``, ``api_version``, ``kind``, ``name``, ``secret`` (the
    Secret it reads its settings from).

    :param application: an entry of ``kafka_dr_applications`` of kind ``kubernetes``:
        ``resource{api_version, kind, name}``, ``secret``, and where it is
        another than its region's, ``connection`` and ``namespace``.
    :param region: variables of the host that it is described on.
    :raises UsageError: it is not clear which object is meant.
    """
    described = region.get("kafka_dr_kubernetes") or {}
    resource = {
        "api_version": "apps/v1",
        "kind": "Deployment",
        "name": application["name"],
        **(application.get("resource") or {}),
    }
    namespace = application.get("namespace") or described.get("namespace")
    if not namespace or not application.get("principals"):
        raise UsageError(
            f"Application '{application['name']}' is incomplete",
            expected="a namespace and principals",
            found="no namespace" if not namespace else "no principals",
            remedy="Give namespace, or kafka_dr_kubernetes.namespace of its host, and principals",
        )
    return {
        "connection": application.get("connection") or connection_of(described),
        "namespace": namespace,
        "secret": application.get("secret") or application["name"] + "-kafka",
        "keys": application.get("keys") or {},
        "environment": application.get("environment") or {},
        **resource,
    }
