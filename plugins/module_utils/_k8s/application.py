# SPDX-License-Identifier: GPL-3.0-or-later
"""An application on Kubernetes: how it is told its region, and how large it is to be. Pure."""

from __future__ import annotations

import base64
from typing import Any

from .._values.security import mechanism_of
from .region import SIZE, size_of

REGION = "kafka-dr.streamsafe/region"
DEFAULT_KEYS = {
    "KAFKA_BROKERS": "bootstrap.servers",
    "KAFKA_SECURITY_PROTOCOL": "security.protocol",
    "KAFKA_SASL_MECHANISM": "sasl.mechanism",
    "KAFKA_CA": "ssl.ca.pem",
}


def application_pointer(
    place: dict[str, Any], name: str, region: dict[str, Any], user: str, password: str
) -> dict[str, Any]:
    """The Secret that tells the application its region; its keys are made to be taken as environment variables
    (``envFrom``).

    :param name: name of the region; ``region``: its variables.
    """
    client = region.get("kafka_dr_client") or {}
    client = {**client, "sasl.mechanism": mechanism_of(client)}
    values = {key: client[source] for key, source in {**DEFAULT_KEYS, **place["keys"]}.items() if client.get(source)}
    values.update({"KAFKA_USER": user, "KAFKA_PWD": password, "KAFKA_REGION": name})
    values.update(place["environment"])
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": place["secret"], "namespace": place["namespace"]},
        "data": {key: base64.b64encode(str(value).encode("utf-8")).decode("ascii") for key, value in values.items()},
    }


def application_stop(resource: dict[str, Any]) -> dict[str, Any]:
    """Patch that scales an application to zero and remembers its size on it, so that the size outlives the run."""
    meta = resource["metadata"]
    return {
        "apiVersion": resource["apiVersion"],
        "kind": resource["kind"],
        "spec": {"replicas": 0},
        "metadata": {
            "name": meta["name"],
            "namespace": meta["namespace"],
            "annotations": {SIZE: str(size_of(resource))},
        },
    }


def application_start(resource: dict[str, Any], name: str, replicas: int = 1) -> dict[str, Any]:
    """Patch that gives an application its size back and names its region on its pods.

    :param replicas: its size where none is remembered.
    """
    spec: dict[str, Any] = {"replicas": size_of(resource) or int(replicas)}
    if "template" in resource["spec"] and resource["apiVersion"].startswith("apps/"):
        spec["template"] = {"metadata": {"annotations": {REGION: name}}}
    return {
        "apiVersion": resource["apiVersion"],
        "kind": resource["kind"],
        "metadata": {"name": resource["metadata"]["name"], "namespace": resource["metadata"]["namespace"]},
        "spec": spec,
    }
