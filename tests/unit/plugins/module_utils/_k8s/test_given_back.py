# SPDX-License-Identifier: GPL-3.0-or-later
"""KafkaUsers whose rights a tool gives back once a stage has taken them away."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.region import given_back
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.fence import fence_principals, users_of
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.fence_info import _given_back

ACLS = {"authorization": {"acls": [{"resource": {"type": "topic", "name": "orders"}, "operations": ["Write"]}]}}


def user(spec, **meta):
    return {"kind": "KafkaUser", "metadata": {"name": "orders", **meta}, "spec": spec}


@pytest.mark.parametrize(
    ("meta", "tool"),
    [
        ({"labels": {"kustomize.toolkit.fluxcd.io/name": "shop"}}, "Flux"),
        ({"annotations": {"argocd.argoproj.io/tracking-id": "shop"}}, "Argo CD"),
    ],
)
def test_a_tool_that_keeps_the_resource_gives_rights_back(meta, tool):
    (name, why) = next(iter(given_back([user(ACLS, **meta)], [{"name": "orders"}]).items()), ("", ""))
    assert name == "KafkaUser orders" and f"is kept by {tool}, which gives its rights back: suspend" in why


@pytest.mark.parametrize("spec", [{}, {"authorization": {"acls": []}}, None])
def test_one_that_has_no_right_gets_none_back(spec):
    assert given_back([user(spec, labels={"kustomize.toolkit.fluxcd.io/name": "shop"})], []) == {}


def test_nobody_gives_back_what_nobody_keeps_or_what_was_suspended():
    suspended = {"kustomize.toolkit.fluxcd.io/reconcile": "disabled"}
    kept = {"labels": {"kustomize.toolkit.fluxcd.io/name": "shop"}, "annotations": suspended}
    assert given_back([user(ACLS), user(ACLS, **kept)], [{"name": "orders"}]) == {}


@pytest.mark.parametrize("authentication", ["scram-sha-512", "tls", "tls-external"])
def test_a_user_of_any_authentication_is_named(authentication):
    """The principal of one with a certificate is the certificate's subject."""
    described = {"name": "orders", "purpose": "application", "authentication": authentication}
    region = {"kafka_dr_platform": "kubernetes", "kafka_dr_users": [described]}
    users = {known["name"]: known for known in users_of(region, "application")}
    kept = given_back([user(ACLS, labels={"kustomize.toolkit.fluxcd.io/name": "shop"})], [{"name": "orders"}])
    assert list(_given_back(users, {"given_back": {**kept, "KafkaUser others": "is kept"}})) == ["KafkaUser orders"]


@pytest.mark.parametrize("subject", ["CN=orders", "CN=orders,O=shop"])
def test_one_that_an_application_alone_names_by_its_certificate_is_too(subject):
    application = {"name": "shop", "principals": [subject]}
    users = {known["name"]: known for known in fence_principals({}, {"eu": {"kafka_dr_applications": [application]}})}
    assert list(_given_back(users, {"given_back": {"KafkaUser orders": "is kept"}})) == ["KafkaUser orders"]


def test_one_whose_user_the_region_does_not_describe_gets_its_rights_back():
    """Stages change the KafkaUsers of the region's own list; its operator gives the others what is deleted in Kafka."""
    found = given_back([user(ACLS)], [{"name": "shop"}])
    assert "in the region's kafka_dr_users" in found["KafkaUser orders"] and "describe it" in found["KafkaUser orders"]
    regions = {
        "na": {"kafka_dr_users": []},
        "app": {"kafka_dr_applications": [{"name": "o", "principals": ["orders"]}]},
    }
    users = {known["name"]: known for known in fence_principals(regions["na"], regions)}
    assert list(_given_back(users, {"given_back": found})) == ["KafkaUser orders"]


def test_both_reasons_are_named():
    kept = user(ACLS, labels={"kustomize.toolkit.fluxcd.io/name": "shop"})
    why = given_back([kept], [])["KafkaUser orders"]
    assert "is kept by Flux" in why and "kafka_dr_users" in why


@pytest.mark.parametrize(
    ("said", "named"), [({}, True), ({"authentication": "tls-external"}, True), ({"authentication": "tls"}, False)]
)
def test_a_certificate_has_to_be_described_as_one(said, named):
    """Its rights are those of another principal: nothing would be remembered of what a fence takes."""
    there = user({**ACLS, "authentication": {"type": "tls"}})
    found = given_back([there], [{"name": "orders", **said}])
    assert (list(found) == ["KafkaUser orders"]) is named
    assert all("say authentication: tls in kafka_dr_users" in why for why in found.values())
