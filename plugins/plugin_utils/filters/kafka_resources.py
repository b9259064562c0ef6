# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters between the inventory and Strimzi's Kafka, KafkaUser and KafkaTopic."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import authentication, places
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import (
    application,
    hold,
    kafka_access,
    kafka_changes,
    kafka_resources,
    proof_job,
    rbac,
    rbac_clusters,
    rbac_hold,
    region,
    topic_ownership,
    witness,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.region import kubernetes_region
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import access
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter


def kafka_users(
    users: list[dict[str, Any]],
    acls: list[dict[str, Any]],
    cluster: str,
    namespace: str,
    api_version: str = kafka_resources.GROUP + "/v1",
    secrets: dict[str, dict[str, str]] | None = None,
    authorization: str = "simple",
    existing: list[dict[str, Any]] | None = None,
    how: str = "exactly",
) -> list[dict[str, Any]]:
    """A KafkaUser for each user; ``secrets`` maps names to ``{secret, key}``; ``existing`` are the KafkaUsers that are
    there, for ``how`` add and remove, and for how users authenticate of whom the inventory does not say it.
    """
    bodies = []
    known = {resource["metadata"]["name"]: resource.get("spec") or {} for resource in existing or []}
    for user in users:
        spec = known.get(user["name"], {})
        kind = (spec.get("authentication") or {}).get("type") or (
            authentication.NONE if user["name"] in known else None
        )
        body = kafka_resources.kafka_user(
            {**user, "authentication": user.get("authentication") or kind},
            acls,
            cluster,
            namespace,
            api_version,
            (secrets or {}).get(user["name"]),
            authorization,
        )
        if authorization and how != "exactly":
            rules = spec.get("authorization") or {}
            mine = kafka_resources.acls_of(user["name"], acls)
            body["spec"]["authorization"]["acls"] = kafka_changes.rights(rules.get("acls") or [], mine, how)
        bodies.append(body)
    return bodies


def kafka_topics(
    topics: list[dict[str, Any]], cluster: str, namespace: str, api_version: str = kafka_resources.GROUP + "/v1"
) -> list[dict[str, Any]]:
    """A KafkaTopic for each topic."""
    return [kafka_resources.kafka_topic(topic, cluster, namespace, api_version) for topic in topics]


def stages_users(
    regions: dict[str, dict[str, Any]], api_version: str = kafka_resources.GROUP + "/v1", region: str = ""
) -> list[dict[str, Any]]:
    """The KafkaUser of the stages in each region on Kubernetes, which has to be there before the first stage; only of
    those in the cluster of ``region`` where one is named.
    """
    bodies = []
    for name in rbac_clusters.regions_beside(regions, region):
        described = regions[name]
        user = next((user for user in described.get("kafka_dr_users") or [] if user.get("purpose") == "stages"), None)
        if user is None or not described["kafka_dr_kubernetes"].get("cluster"):
            continue
        place = kubernetes_region(described, name)
        acls = access.service_acls(user["name"], "stages")
        bodies += kafka_users(
            [user],
            acls,
            place["cluster"],
            place["namespace"],
            f"{place['group']}/{api_version.split('/')[-1]}",
            {},
            place["authorization"],
        )
    return bodies


def with_passwords(users: list[dict[str, Any]], passwords: dict[str, str]) -> list[dict[str, Any]]:
    """Users with the passwords that their Secrets hold; those are marked, since they are not to be written back."""
    return [
        {**user, "password": passwords[user["name"]], "password_learned": True} if user["name"] in passwords else user
        for user in users
    ]


def without_passwords(users: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Users without their passwords, which are kept elsewhere."""
    return [
        {key: value for key, value in user.items() if key not in ("password", "password_learned")} for user in users
    ]


def copied_references(users: list[dict[str, Any]], prefix: str) -> dict[str, Any]:
    """Which copied Secret holds each user's password."""
    return {user["name"]: {"secret": prefix + user["name"], "key": "password"} for user in users}


def password_references(users: list[dict[str, Any]]) -> dict[str, Any]:
    """Which Secret holds each user's password, as :func:`kafka_users` takes it."""
    return {user["name"]: {"secret": user["name"] + "-given", "key": "password"} for user in users}


def password_secrets(users: list[dict[str, Any]], namespace: str) -> list[dict[str, Any]]:
    """Those Secrets."""
    return [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "type": "Opaque",
            "metadata": {"name": user["name"] + "-given", "namespace": namespace},
            "data": {"password": base64.b64encode(str(user["password"]).encode("utf-8")).decode("ascii")},
        }
        for user in users
    ]


FILTERS: dict[str, Callable[..., Any]] = {
    "kafka_users": as_filter(kafka_users),
    "kafka_topics": as_filter(kafka_topics),
    "topics_contested": as_filter(kafka_changes.contested),
    "has_topic_operator": as_filter(topic_ownership.has_topic_operator),
    "topics_to_own": as_filter(topic_ownership.topics_to_own),
    "topics_to_disown": as_filter(topic_ownership.topics_to_disown),
    "topics_to_let_go": as_filter(topic_ownership.topics_to_let_go),
    "kafka_topics_waiting_for": as_filter(kafka_changes.topics_waiting_for),
    "kafka_topic_changes": as_filter(kafka_changes.topic_changes),
    "kafka_user_quotas": as_filter(kafka_changes.user_quotas),
    "kafka_resources_kept": as_filter(kafka_changes.bare),
    "kafka_client": as_filter(kafka_access.kafka_client),
    "with_own_authorities": as_filter(kafka_resources.with_own_authorities),
    "with_passwords": with_passwords,
    "without_passwords": without_passwords,
    "copied_references": copied_references,
    "users_of_type": authentication.users_of_type,
    "password_references": password_references,
    "password_secrets": password_secrets,
    "kubernetes_region": as_filter(kubernetes_region),
    "mirror_clients": as_filter(region.mirror_clients),
    "mirror_secret_references": as_filter(region.mirror_secret_references),
    "application_place": as_filter(places.application_place),
    "application_pointer": as_filter(application.application_pointer),
    "application_stop": as_filter(application.application_stop),
    "application_start": as_filter(application.application_start),
    "witness_manifests": witness.witness_manifests,
    "proof_job": as_filter(proof_job.proof_job),
    "kubernetes_roles": as_filter(rbac.roles),
    "kubernetes_reader_roles": as_filter(rbac.reader_roles),
    "kubernetes_hold_roles": as_filter(rbac_hold.hold_roles),
    "kubernetes_hold_rules": as_filter(rbac_hold.hold_rules),
    "kubernetes_access": as_filter(rbac.wanted),
    "hold_state": as_filter(hold.hold_state),
    "hold_refusals": as_filter(hold.hold_refusals),
    "hold_waiting_for": as_filter(hold.hold_waiting_for),
    "undone_by": as_filter(region.undone_by),
    "users_given_back": as_filter(region.given_back),
    "replicas_to_restore": as_filter(region.size_of),
    "replicas_waiting_for": as_filter(region.not_ready),
    "scaled_away": as_filter(region.gone),
    "hidden_in_v1": kafka_resources.hidden_in_v1,
    "shown_whole": kafka_resources.shown_whole,
    "served_resources": as_filter(kafka_resources.served_resources),
    "stages_users": as_filter(stages_users),
    "resources_to_apply": as_filter(kafka_resources.to_apply),
    "resources_waiting_for": as_filter(kafka_resources.waiting_for),
}
