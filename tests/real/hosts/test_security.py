# SPDX-License-Identifier: GPL-3.0-or-later
"""One description, two clients: MirrorMaker 2 and librdkafka both reach a real listener of each kind of security.

OAUTHBEARER runs against Kafka's own validator of unsecured tokens; client credentials are covered by the units.
"""

from __future__ import annotations

import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import (
    AuthenticationError,
    FormatError,
    UsageError,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.quotas import describe_quotas, ensure_quotas
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.truststore import keystore_pem, truststore_pem

from .mirrors import Mirror, create, exists, read, send, until
from .secured import PASSWORD, Authority, client_of, java_truststore, make_users, pkcs12_keystore, secured_kafka

pytestmark = pytest.mark.full

KINDS = ["plain", "tls", "mutual-tls", "scram-sha-512", "scram-sha-256", "token", "oauth-unsecured"]


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    authority, base = Authority(), tmp_path_factory.mktemp("secured")
    kafkas = {name: secured_kafka(base / name, name, authority) for name in ("source", "target")}
    for one in kafkas.values():
        one.start(wait=0)
    for one in kafkas.values():
        one.await_ready()
        make_users(one, "mirror")
    yield kafkas, authority
    for one in kafkas.values():
        one.stop(5)


def copies(pair, tmp_path, alias, clients, secrets):
    """True once a record went from source to target with these clients; ends the mirror."""
    kafkas, dummy = pair
    topic = f"sec.{alias}"
    create(kafkas["source"].client, topic)
    send(kafkas["source"].client, topic, [b"through"])
    mirror = Mirror(
        tmp_path,
        {
            "name": alias,
            "source": alias,
            "target": "target",
            "topics": [f"sec\\.{alias}"],
            "groups": ["none"],
            "tuning": {"replication_factor": 1},
        },
        clients,
        secrets,
    ).start()
    target = kafkas["target"].client
    try:
        until(
            lambda: (
                not mirror.alive()
                or (exists(target, topic) and [one.value() for one in read(target, topic)] == [b"through"])
            ),
            f"a record by {alias}",
            150,
        )
        assert mirror.alive(), mirror.tail()
        text = mirror.settings.read_text()
        assert "ss w" not in text and "PRIVATE KEY" not in text, "a secret stands in the file that is no secret"
    finally:
        mirror.stop(5)


@pytest.mark.parametrize("kind", KINDS)
def test_both_clients_reach_each_kind_of_listener(pair, tmp_path, kind):
    kafkas, authority = pair
    described = {side: client_of(kafkas[side], kind, authority) for side in ("source", "target")}
    for side, (client, secrets) in described.items():
        assert KafkaClient(client, secrets, 15, side).metadata().brokers
    alias = kind.replace("-", "")
    copies(
        pair,
        tmp_path,
        alias,
        {alias: described["source"][0], "target": described["target"][0]},
        {alias: described["source"][1], "target": described["target"][1]},
    )


def test_quotas_go_through_each_kind_of_listener(pair):
    kafkas, authority = pair
    one = {"entity": {"user": "mirror"}, "limits": {"producer_byte_rate": 50_000_000}}
    for kind in KINDS:
        client, secrets = client_of(kafkas["source"], kind, authority)
        if kind == "oauth-unsecured":
            with pytest.raises(UsageError, match="SASL OAUTHBEARER cannot be used where quotas are read"):
                describe_quotas(KafkaClient(client, secrets, 15, kind))
            continue
        assert ensure_quotas(KafkaClient(client, secrets, 15, kind), [one], "present", False)["changed"], kind
        assert describe_quotas(KafkaClient(client, secrets, 15, kind)) == [one]
        assert ensure_quotas(KafkaClient(client, secrets, 15, kind), [one], "absent", False)["changed"], kind


@pytest.mark.parametrize("kind", ["PKCS12", "JKS"])
def test_a_truststore_of_java_becomes_pem_for_both_clients(pair, tmp_path, kind):
    kafkas, authority = pair
    pem = truststore_pem(str(java_truststore(tmp_path, authority, kind)), "storepass")
    assert pem.strip() == authority.pem.strip()
    client, secrets = client_of(kafkas["source"], "scram-sha-512", authority, pem)
    assert KafkaClient(client, secrets, 15).metadata().brokers
    with pytest.raises(AuthenticationError, match="does not open"):
        truststore_pem(str(tmp_path / f"trust.{kind.lower()}"), "wrongpass")


def test_a_keystore_of_java_becomes_pem(pair, tmp_path):
    kafkas, authority = pair
    certificate, key = authority.issue("mirror")
    store = tmp_path / "client.p12"
    store.write_bytes(pkcs12_keystore("mirror", key, certificate, "storepass"))
    made = keystore_pem(str(store), "storepass")
    client, dummy = client_of(kafkas["source"], "mutual-tls", authority)
    assert (
        KafkaClient(
            {**client, "ssl.certificate.pem": made["ssl.certificate.pem"]}, {"ssl.key.pem": made["ssl.key.pem"]}, 15
        )
        .metadata()
        .brokers
    )
    with pytest.raises(FormatError, match="no certificate of an authority"):
        truststore_pem(str(store), "storepass")


def test_a_password_with_quotes_is_refused_where_it_is_wrong_and_never_shown(pair):
    kafkas, authority = pair
    client, dummy = client_of(kafkas["source"], "scram-sha-512", authority)
    began = time.monotonic()
    with pytest.raises(AuthenticationError) as caught:
        KafkaClient(client, {"sasl.password": "wrong" + PASSWORD}, 60).metadata()
    assert "ss w" not in str(caught.value) and time.monotonic() - began < 30, "waited for the whole timeout"


def test_what_is_no_store_is_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"hello")
    with pytest.raises(FormatError, match="no truststore"):
        truststore_pem(str(tmp_path / "x"))
    with pytest.raises(UsageError, match="cannot be read"):
        truststore_pem(str(tmp_path / "absent"))
