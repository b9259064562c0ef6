# SPDX-License-Identifier: GPL-3.0-or-later
"""``Kafka``: certificate authorities as Secrets, then a real broker."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import object_path
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.setting import setting

from ...pki import new_authority
from .broker import Broker
from .context import MERGE_PATCH, Context, Resource, Status, files_of, key_of
from .refusal import Refusal

# The field of the resource and the words in its Secrets' names.
AUTHORITIES = {"clusterCa": "cluster-ca", "clientsCa": "clients-ca"}


def render(context: Context, resource: Resource) -> None:
    """Write the settings of the resource's broker into its ConfigMap, also while the node of the broker is down."""
    meta, config = resource["metadata"], resource["spec"]["kafka"].get("config") or {}
    path = object_path("v1", "configmaps", meta["namespace"])
    # The lab's Kafkas have one pool of one node.
    name = f"{meta['name']}-dual-0"
    text = "".join(f"{key}={setting(value)}\n" for key, value in config.items())
    body = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": name,
            "labels": {"strimzi.io/cluster": meta["name"], "strimzi.io/kind": "Kafka", "strimzi.io/pod-name": name},
            "ownerReferences": [
                {"apiVersion": resource["apiVersion"], "kind": "Kafka", "name": meta["name"], "uid": meta["uid"]}
            ],
        },
        "data": {"server.config": text},
    }
    found = context.client.get(f"{path}/{name}")
    if found is None:
        context.client.create(path, body)
    elif found.get("data") != body["data"]:
        context.client.request("PATCH", f"{path}/{name}", {"data": body["data"]}, content_type=MERGE_PATCH)


def reconcile(context: Context, resource: Resource) -> Status | None:
    """The status of a Kafka, or None while the broker starts."""
    authorities = {field: _authority(context, resource, field) for field in AUTHORITIES}
    render(context, resource)
    broker = context.brokers.get(key_of(resource))
    if broker is None:
        directory = context.directory / files_of(resource)
        directory.mkdir(parents=True, exist_ok=True)
        broker = context.brokers[key_of(resource)] = Broker(directory, resource, authorities)
        broker.start(wait=0)
    elif not _runs_as_told(context, resource, broker):
        return None
    if not broker.answers():
        return None
    certificate = authorities["clusterCa"]["certificate"]
    return {
        "clusterId": broker.cluster_id,
        "kafkaVersion": "4.1.1",
        "operatorLastSuccessfulVersion": "1.0.1",
        "listeners": [
            {
                "name": listener["name"],
                "addresses": [{"host": "127.0.0.1", "port": broker.ports[listener["name"]]}],
                "bootstrapServers": f"127.0.0.1:{broker.ports[listener['name']]}",
                **({"certificates": [certificate]} if listener.get("tls") else {}),
            }
            for listener in broker.listeners
        ],
    }


def _runs_as_told(context: Context, resource: Resource, broker: Broker) -> bool:
    """Whether the broker has the settings of its resource. One that was down with its node is started with them, and
    one that was started with others is started again.
    """
    if broker.alive() and not broker.is_configured(resource):
        if not broker.ending:
            broker.ending = True
            context.end(broker)
        return False
    if not broker.alive() and (broker.ending or key_of(resource) in context.outages):
        broker.configure(resource)
        broker.start(wait=0)
    context.outages.discard(key_of(resource))
    return True


def _authority(context: Context, resource: Resource, field: str) -> dict[str, str]:
    """``{certificate, key}`` from the Secrets, which are made where the operator may make them."""
    name, namespace = resource["metadata"]["name"], resource["metadata"]["namespace"]
    certificate_name, key_name = f"{name}-{AUTHORITIES[field]}-cert", f"{name}-{AUTHORITIES[field]}"
    certificate, key = context.secret(namespace, certificate_name), context.secret(namespace, key_name)
    if certificate is None or key is None:
        if (resource["spec"].get(field) or {}).get("generateCertificateAuthority") is False:
            raise Refusal(
                f"{'Cluster' if field == 'clusterCa' else 'Clients'} CA should not be generated, "
                "but the secrets were not found."
            )
        authority = new_authority(f"{name} {field}")
        certificate, key = {"ca.crt": authority["certificate"]}, {"ca.key": authority["key"]}
        labels = {"strimzi.io/cluster": name, "strimzi.io/kind": "Kafka"}
        context.keep_secret(resource, certificate_name, certificate, labels, {"strimzi.io/ca-cert-generation": "0"})
        context.keep_secret(resource, key_name, key, labels, {"strimzi.io/ca-key-generation": "0"})
    return {"certificate": certificate["ca.crt"], "key": key["ca.key"]}
