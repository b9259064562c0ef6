# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import re

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.java_client import (
    LOGIN_MODULES,
    jaas_text,
    java_client,
    secret_text,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.security import MECHANISMS

BASE = {"bootstrap.servers": "kafka:9093"}
OAUTH = {**BASE, "security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER", "ssl.ca.pem": "PEM"}


def java(**keys):
    return java_client(
        {**BASE, **{key.replace("_", "."): value for key, value in keys.items()}}, lambda key: "<%s>" % key
    )


def test_every_mechanism_that_an_inventory_may_name_has_a_login_module():
    assert set(LOGIN_MODULES) == set(MECHANISMS)


def test_plain():
    assert java_client(BASE, str) == {"bootstrap.servers": "kafka:9093", "security.protocol": "PLAINTEXT"}


def test_scram_over_tls():
    made = java(security_protocol="sasl_ssl", sasl_mechanism="SCRAM-SHA-256", sasl_username="mirror", ssl_ca_pem="PEM")
    assert made["security.protocol"] == "SASL_SSL"
    assert made["sasl.jaas.config"] == (
        'org.apache.kafka.common.security.scram.ScramLoginModule required username="mirror" password="<sasl.password>";'
    )
    assert made["ssl.truststore.certificates"] == "PEM" and made["ssl.truststore.type"] == "PEM"


def test_plain_with_the_user_token_as_ibm_cloud_wants_it():
    made = java(security_protocol="SASL_SSL", sasl_mechanisms="PLAIN", sasl_username="token")
    assert "PlainLoginModule" in made["sasl.jaas.config"] and 'username="token"' in made["sasl.jaas.config"]
    assert made["sasl.mechanism"] == "PLAIN"
    assert not [key for key in made if "truststore" in key], "without a CA the system's own are used"


def test_mutual_tls():
    made = java(security_protocol="SSL", ssl_ca_pem="PEM", ssl_certificate_pem="CERT")
    assert (
        made["ssl.keystore.type"] == "PEM"
        and made["ssl.keystore.certificate.chain"] == "CERT"
        and made["ssl.keystore.key"] == "<ssl.key.pem>"
    )
    assert "ssl.key.password" not in made
    made = java_client(
        {**BASE, "security.protocol": "ssl", "ssl.keystore.location": "/k.p12"}, lambda key: "<%s>" % key
    )
    assert made["ssl.keystore.type"] == "PKCS12" and made["ssl.keystore.password"] == "<ssl.keystore.password>"


def test_client_credentials():
    client = {
        **OAUTH,
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.client.id": "mirror",
        "sasl.oauthbearer.scope": "kafka",
        "sasl.oauthbearer.token.endpoint.url": "https://sso/token",
        "sasl.oauthbearer.extensions": "logicalCluster=lkc-1",
    }
    made = java_client(client, lambda key: "<%s>" % key)
    assert (
        'clientId="mirror" clientSecret="<sasl.oauthbearer.client.secret>" scope="kafka" '
        'extension_logicalCluster="lkc-1";' in made["sasl.jaas.config"]
    )
    assert made["sasl.oauthbearer.token.endpoint.url"] == "https://sso/token"
    assert made["sasl.login.callback.handler.class"].endswith("OAuthBearerLoginCallbackHandler")


def test_unsecured_tokens_for_trials():
    made = java_client(
        {**OAUTH, "enable.sasl.oauthbearer.unsecure.jwt": "true", "sasl.oauthbearer.config": "principal=mirror"}, str
    )
    assert made["sasl.jaas.config"].endswith('unsecuredLoginStringClaim_sub="mirror";')


def test_name_verification_switched_off_is_said_as_java_says_it():
    assert (
        java(security_protocol="SSL", ssl_endpoint_identification_algorithm="none")[
            "ssl.endpoint.identification.algorithm"
        ]
        == ""
    )


@pytest.mark.parametrize(
    "keys, words",
    [
        ({"security.protocol": "tls"}, "security.protocol"),
        ({"security.protocol": "SASL_SSL"}, "found nothing"),
        ({"security.protocol": "SASL_SSL", "sasl.mechanism": "GSSAPI"}, "GSSAPI"),
        ({"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}, "sasl.username"),
        ({"security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER"}, "token.endpoint.url"),
        ({"security.protocol": "SSL", "ssl.certificate.location": "/c.pem"}, "lookup"),
        ({"security.protocol": "SSL", "enable.ssl.certificate.verification": False}, "does not check certificates"),
    ],
)
def test_refuses_what_java_cannot_be_told(keys, words):
    with pytest.raises(UsageError, match=re.escape(words)):
        java_client({**BASE, **keys}, str)


@pytest.mark.parametrize("secret", ['pass"word', "back\\slash", 'a"b\\"c', "two\nlines"])
def test_quotes_and_backslashes_survive_the_jaas_line(secret):
    written = jaas_text(secret)
    assert "\n" not in written
    assert re.fullmatch(r'(?:[^"\\]|\\.)*', written), "would end the quoted text"
    assert secret_text("sasl.password", secret) == written
    assert secret_text("ssl.keystore.password", secret) == secret, "no JAAS there"


def test_a_private_key_that_java_cannot_read_is_refused_without_showing_it():
    with pytest.raises(UsageError, match="PKCS#8") as caught:
        secret_text("ssl.key.pem", "-----BEGIN RSA PRIVATE KEY-----\nTOPSECRET\n")
    assert "TOPSECRET" not in str(caught.value)
    with pytest.raises(UsageError) as caught:
        secret_text("ssl.key.pem", "TOPSECRET")
    assert "TOPSECRET" not in str(caught.value)
