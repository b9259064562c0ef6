# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Strimzi's ``KafkaUser``, ``KafkaTopic`` and ``Kafka``, and the Kafka client that a ``Kafka`` resource describes. Pure.

Source: Strimzi's ``api`` module 0.51.0 and 1.2.0: ``KafkaUserSpec``, ``AclRule``, ``KafkaTopicSpec``, ``CertificateAuthority``, ``ListenerStatus``.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import re

from .._errors import RefusedError, UsageError
from .._setting import setting

GROUP = "kafka.strimzi.io"
CLUSTER_LABEL = "strimzi.io/cluster"
PAUSE = "strimzi.io/pause-reconciliation"
ACL_TYPES = {"topic": "topic", "group": "group", "cluster": "cluster", "transactional_id": "transactionalId"}
AUTHORITIES = ("cluster-ca-cert", "cluster-ca", "clients-ca-cert", "clients-ca")


def kafka_user(user, acls, cluster, namespace, api_version=GROUP + "/v1", password_secret=None, authorization="simple"):
    """A ``KafkaUser``.

    :param user: ``{name, authentication}``; ``scram-sha-512`` where it is not given, else ``tls`` or ``tls-external``.
    :param acls: as the module ``acls`` takes them; those of other principals are left out.
    :param cluster: name of the ``Kafka`` resource.
    :param password_secret: ``{secret, key}`` in the same namespace that holds the password; None lets the operator make one.
    :param authorization: ``simple``, or None for a cluster without authorization.
    """
    kind = user.get("authentication") or "scram-sha-512"
    authentication = {"type": kind}
    if password_secret and kind == "scram-sha-512":
        authentication["password"] = {"valueFrom": {"secretKeyRef": {"name": password_secret["secret"], "key": password_secret.get("key", "password")}}}
    spec = {"authentication": authentication}
    if authorization:
        mine = acls_of(user["name"], acls)
        spec["authorization"] = {"type": authorization, "acls": [acl_rule(one) for one in mine]}
    return _resource("KafkaUser", user["name"], spec, cluster, namespace, api_version)


def acls_of(name, acls):
    """The ACLs of a ``KafkaUser``; one with a certificate is called by its subject, ``CN=<name>``."""
    return [one for one in acls if str(one["principal"]).removeprefix("User:").removeprefix("CN=") == name]


def acl_rule(acl):
    """One rule of a ``KafkaUser`` from one ACL of ours."""
    kind = ACL_TYPES.get(str(acl.get("resource") or "").lower())
    if not kind:
        raise UsageError("An ACL for %s is not complete" % acl.get("principal"), expected="resource (%s)" % ", ".join(ACL_TYPES),
                         found=str(acl.get("resource")))
    resource = {"type": kind}
    if kind != "cluster":
        resource["name"] = acl["name"]
        resource["patternType"] = "prefix" if str(acl.get("pattern") or "literal").lower().startswith("prefix") else "literal"
    return {
        "type": str(acl.get("permission") or "allow").lower(), "resource": resource, "host": acl.get("host") or "*",
        "operations": ["".join(word.capitalize() for word in str(one).split("_")) for one in acl["operations"]],
    }


def kafka_topic(topic, cluster, namespace, api_version=GROUP + "/v1"):
    """A ``KafkaTopic`` from ``{name, partitions, replication_factor, configs}``; names that Kubernetes refuses go into ``topicName``."""
    name = topic["name"]
    spec = {"topicName": name, "partitions": int(topic["partitions"])}
    if topic.get("replication_factor"):
        spec["replicas"] = int(topic["replication_factor"])
    if topic.get("configs"):
        spec["config"] = {key: setting(value) for key, value in topic["configs"].items()}
    safe = re.sub(r"[^a-z0-9.-]", "-", name.lower()).strip("-.") or "topic"
    if safe != name or len(safe) > 200:
        # Two topics may differ in nothing but what had to go.
        safe = "%s-%s" % (safe[:200].rstrip("-."), hashlib.sha256(name.encode("utf-8")).hexdigest()[:10])
    return _resource("KafkaTopic", safe, spec, cluster, namespace, api_version)


def _resource(kind, name, spec, cluster, namespace, api_version):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": namespace, "labels": {CLUSTER_LABEL: cluster}}, "spec": spec}


def with_own_authorities(kafka, paused=True):
    """A ``Kafka`` resource that takes its CAs from the Secrets that are put first, and waits for them.

    :param kafka: the resource; one of another kind stays as it is.
    :param paused: whether the operator is to leave it alone until the annotation is taken away.
    """
    if kafka.get("kind", "Kafka") != "Kafka":
        return kafka
    made = copy.deepcopy(kafka)
    for field in ("clusterCa", "clientsCa"):
        made["spec"][field] = {**(made["spec"].get(field) or {}), "generateCertificateAuthority": False}
    annotations = made["metadata"].setdefault("annotations", {})
    if paused:
        annotations[PAUSE] = "true"
    else:
        annotations.pop(PAUSE, None)
    return made


def kafka_client(kafka, listener=None, user=None, user_secret=None, ca_secret=None):
    """The client of a cluster as its ``Kafka`` resource and Secrets describe it.

    :param kafka: the resource as read.
    :param listener: its listener's name; the only one with an address where it is not given.
    :param user: name of the ``KafkaUser``.
    :param user_secret: that user's Secret; ``ca_secret``: ``<cluster>-cluster-ca-cert``, used where the status names no certificate.
    :returns: ``{"client": {...}, "secrets": {...}}`` in librdkafka keys.
    :raises RefusedError: the cluster has no such listener, no address of it yet, or there is no such user.
    """
    name, found, described = _listener(kafka, listener)
    client, mechanism = _address(found, described, user, ca_secret)
    secrets = {}
    if mechanism == "scram-sha-512":
        secrets["sasl.password"] = _needed(user_secret, "password", user, kafka)
    elif mechanism == "tls":
        client["ssl.certificate.pem"] = _needed(user_secret, "user.crt", user, kafka)
        secrets["ssl.key.pem"] = _needed(user_secret, "user.key", user, kafka)
    elif mechanism is not None:
        raise RefusedError("Listener '%s' of Kafka '%s' asks for authentication '%s'" % (name, kafka["metadata"]["name"], mechanism),
                           expected="scram-sha-512, tls or none", remedy="Name another listener, or give kafka_dr_client in the inventory")
    return {"client": client, "secrets": secrets}


def kafka_address(kafka, listener=None, ca_secret=None, user=None):
    """Where the cluster is, in librdkafka keys, without anything secret and whether or not there is a user; empty where it has no address yet."""
    try:
        dummy, found, described = _listener(kafka, listener)
    except RefusedError:
        return {}
    client, mechanism = _address(found, described, user or "unknown", ca_secret)
    return client if mechanism in (None, "scram-sha-512", "tls") else {}


def _listener(kafka, listener):
    """Name of the listener, its status, and how it is described.

    :raises RefusedError: the cluster has no such listener, or no address of it yet.
    """
    name, status = kafka["metadata"]["name"], kafka.get("status") or {}
    known = {one.get("name") or one.get("type"): one for one in status.get("listeners") or status.get("kafkaListeners") or []}
    if listener is None and len(known) == 1:
        listener = next(iter(known))
    found = known.get(listener)
    if not found or not found.get("bootstrapServers"):
        words = "; ".join(waiting_for([{"kind": "Kafka", **kafka}]))
        raise RefusedError("Kafka '%s' has no address for listener '%s'%s" % (name, listener, " (%s)" % words if words else ""),
                           expected="one of status.listeners", found=", ".join(sorted(str(one) for one in known)) or "none yet",
                           remedy="Name the listener in kafka_dr_kubernetes.listener, or wait until it is Ready")
    return listener, found, next((one for one in kafka["spec"]["kafka"].get("listeners") or [] if one.get("name") == listener), {})


def _address(found, described, user, ca_secret):
    """The client without secrets, and the mechanism that the listener asks for."""
    tls = described.get("tls", bool(found.get("certificates")))
    mechanism = (described.get("authentication") or {}).get("type")
    client = {"bootstrap.servers": found["bootstrapServers"]}
    if tls:
        # The CA itself, where it can be read: the status may name a listener certificate that is renewed sooner.
        authority = _data(ca_secret, "ca.crt") or "".join(found.get("certificates") or [])
        if authority:
            client["ssl.ca.pem"] = authority
    if mechanism == "scram-sha-512":
        client.update({"security.protocol": "SASL_SSL" if tls else "SASL_PLAINTEXT", "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": user})
    else:
        client["security.protocol"] = "SSL" if tls else "PLAINTEXT"
    return client, mechanism


def _data(secret, key):
    text = ((secret or {}).get("data") or {}).get(key)
    return base64.b64decode(text).decode("utf-8") if text else None


def _needed(secret, key, user, kafka):
    value = _data(secret, key)
    if value is None:
        meta = kafka["metadata"]
        raise RefusedError(
            "The Secret of user '%s' has no %s" % (user, key), expected="a KafkaUser that is Ready", found="no such Secret or key",
            remedy="Create KafkaUser '%s' of cluster '%s' in namespace %s first: the playbook streamsafe.kafka_dr.rbac writes the one of the stages beside the "
                   "Roles, for kubectl apply -f. Where it is there, look at the User Operator" % (user, meta["name"], meta.get("namespace")))
    return value


def hidden_in_v1(resources):
    """Those of the resources, read through ``v1``, that somebody wrote through ``v1beta2``: fields that only this one knows are hidden, and kept in them.

    Only Kafka and KafkaNodePool have such fields. Needs ``metadata.managedFields``.
    """
    return [one for one in resources if one["kind"] in ("Kafka", "KafkaNodePool") and one["apiVersion"].endswith("/v1") and any(
        entry.get("apiVersion", "").endswith("/v1beta2") and not entry.get("subresource") for entry in one["metadata"].get("managedFields") or [])]


def shown_whole(resources, older):
    """The resources, each that is hidden in part as the older version shows it.

    :param older: Kafka and KafkaNodePool resources read through ``v1beta2``.
    """
    wide = {(one["kind"], one["metadata"]["name"]): one for one in older}
    hidden = {(one["kind"], one["metadata"]["name"]) for one in hidden_in_v1(resources)}
    return [wide.get((one["kind"], one["metadata"]["name"]), one) if (one["kind"], one["metadata"]["name"]) in hidden else one for one in resources]


def served_resources(resources, served):
    """Resources of an operator in a version that is served, for those that were kept where another one was.

    ``v1`` took fields away from Kafka and KafkaNodePool, and none from the other kinds: where both are served, these keep theirs.

    :param resources: as kept. :param served: versions that are served; nothing is changed where that is not known.
    """
    newest = next((one for one in ("v1", "v1beta2") if one in served), None)
    made = []
    for one in resources:
        group, dummy, version = one["apiVersion"].rpartition("/")
        stays = version in served and one["kind"] in ("Kafka", "KafkaNodePool", "EventStreams")
        made.append(one if newest is None or stays else {**one, "apiVersion": "%s/%s" % (group, newest)})
    return made


def to_apply(bodies, existing):
    """Those bodies that a merge patch would change something by; lists are compared whole, as such a patch replaces them.

    :param bodies: all of one kind and namespace. :param existing: objects as read.
    """
    here = {one["metadata"]["name"]: one for one in existing}
    return [one for one in bodies if not all(_holds(here.get(one["metadata"]["name"], {}).get(part), one[part]) for part in one
                                             if part not in ("apiVersion", "kind"))]


def _holds(have, wanted):
    if isinstance(wanted, dict):
        return isinstance(have, dict) and all(_holds(have.get(key), value) for key, value in wanted.items())
    return have == wanted


def waiting_for(resources):
    """What keeps Strimzi's resources from being Ready, one sentence each; empty when all are, as of their latest generation.

    :param resources: objects as read; None stands for one that is not there.
    """
    waiting = []
    for one in resources:
        if one is None:
            waiting.append("a resource that is not there yet")
            continue
        meta, status = one["metadata"], one.get("status") or {}
        label = "%s '%s'" % (one.get("kind"), meta["name"])
        conditions = {condition.get("type"): condition for condition in status.get("conditions") or []}
        trouble = conditions.get("NotReady") or conditions.get("Ready") or {}
        words = ": ".join(str(trouble[key]) for key in ("reason", "message") if trouble.get(key))
        if (meta.get("annotations") or {}).get(PAUSE) == "true":
            waiting.append("%s to be reconciled again (annotation %s)" % (label, PAUSE))
        elif status.get("observedGeneration", 0) < meta.get("generation", 0):
            waiting.append("the operator to take up generation %s of %s" % (meta.get("generation"), label))
        elif (conditions.get("Ready") or {}).get("status") != "True":
            waiting.append("%s to be Ready%s" % (label, " (%s)" % words if words else ""))
    return waiting
