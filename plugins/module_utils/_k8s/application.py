# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""An application on Kubernetes: where it is, how it is told its region, how large it is to be. Pure."""

from __future__ import annotations

import base64

from .._errors import UsageError
from .region import CONNECTION_KEYS, SIZE, size_of

REGION = "kafka-dr.streamsafe/region"
DEFAULT_KEYS = {
    "KAFKA_BROKERS": "bootstrap.servers", "KAFKA_SECURITY_PROTOCOL": "security.protocol", "KAFKA_SASL_MECHANISM": "sasl.mechanism", "KAFKA_CA": "ssl.ca.pem",
}


def application_place(application, region):
    """Where the application is: ``connection``, ``namespace``, ``api_version``, ``kind``, ``name``, ``secret`` (the Secret it reads its settings from).

    :param application: an entry of ``kafka_dr_applications`` of kind ``kubernetes``: ``resource{api_version, kind, name}``, ``secret``, and where it is
        another than its region's, ``connection`` and ``namespace``.
    :param region: variables of the host that it is described on.
    :raises UsageError: it is not clear which object is meant.
    """
    described = region.get("kafka_dr_kubernetes") or {}
    resource = {"api_version": "apps/v1", "kind": "Deployment", "name": application["name"], **(application.get("resource") or {})}
    namespace = application.get("namespace") or described.get("namespace")
    if not namespace or not application.get("principals"):
        raise UsageError("Application '%s' is not described well" % application["name"], expected="a namespace and principals",
                         found="no namespace" if not namespace else "no principals",
                         remedy="Give namespace, or kafka_dr_kubernetes.namespace of its host, and principals")
    connection = application.get("connection") or {key: described[key] for key in CONNECTION_KEYS if described.get(key) is not None}
    return {"connection": connection, "namespace": namespace, "secret": application.get("secret") or application["name"] + "-kafka",
            "keys": application.get("keys") or {}, "environment": application.get("environment") or {}, **resource}


def application_pointer(place, name, region, user, password):
    """The Secret that tells the application its region; its keys are made to be taken as environment variables (``envFrom``).

    :param name: name of the region; ``region``: its variables.
    """
    client = region.get("kafka_dr_client") or {}
    values = {key: client[source] for key, source in {**DEFAULT_KEYS, **place["keys"]}.items() if client.get(source)}
    values.update({"KAFKA_USER": user, "KAFKA_PWD": password, "KAFKA_REGION": name})
    values.update(place["environment"])
    return {
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": place["secret"], "namespace": place["namespace"]},
        "data": {key: base64.b64encode(str(value).encode("utf-8")).decode("ascii") for key, value in values.items()},
    }


def application_stop(resource):
    """Patch that scales an application to zero and remembers its size on it, so that the size outlives the run."""
    meta = resource["metadata"]
    return {"apiVersion": resource["apiVersion"], "kind": resource["kind"], "spec": {"replicas": 0},
            "metadata": {"name": meta["name"], "namespace": meta["namespace"], "annotations": {SIZE: str(size_of(resource))}}}


def application_start(resource, name, replicas=1):
    """Patch that gives an application its size back and names its region on its pods.

    :param replicas: its size where none is remembered.
    """
    spec = {"replicas": size_of(resource) or int(replicas)}
    if "template" in resource["spec"] and resource["apiVersion"].startswith("apps/"):
        spec["template"] = {"metadata": {"annotations": {REGION: name}}}
    return {"apiVersion": resource["apiVersion"], "kind": resource["kind"],
            "metadata": {"name": resource["metadata"]["name"], "namespace": resource["metadata"]["namespace"]}, "spec": spec}
