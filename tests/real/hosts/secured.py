# SPDX-License-Identifier: GPL-3.0-or-later
"""A real broker with a listener of every kind of security, and the client descriptions that go with it."""

from __future__ import annotations

import datetime
import ipaddress
import subprocess
from pathlib import Path

from confluent_kafka.admin import AdminClient, ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.java_client import jaas_text
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.properties import render_properties
from tests.support.kafka import Kafka, free_ports

# What breaks a careless JAAS line, a careless properties file and a careless template.
PASSWORD = "p\"a\\ss w'o=r#d${x}é"
LISTENERS = ("TLS", "MTLS", "SCRAM", "TOKEN", "OAUTH")
MODULE = "org.apache.kafka.common.security"


class Authority:
    """A certificate authority of its own."""

    def __init__(self, name: str = "test authority"):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.certificate = self._build(self.name, self.key.public_key(), authority=True)
        self.pem = self.certificate.public_bytes(Encoding.PEM).decode()

    def _build(self, name, public_key, authority=False, hosts=()):
        now = datetime.datetime.now(datetime.UTC)
        made = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self.name)
            .public_key(public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=2))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        )
        if hosts:
            names = (
                [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
                if hosts is True
                else [x509.DNSName(one) for one in hosts]
            )
            made = made.add_extension(x509.SubjectAlternativeName(names), critical=False)
        if not authority:
            made = made.add_extension(
                x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]),
                critical=False,
            )
        return made.sign(self.key, hashes.SHA256())

    def issue(self, name: str, hosts=True) -> tuple[str, str]:
        """``(certificate, private key)`` in PEM, the key as PKCS#8."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._build(
            x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), key.public_key(), hosts=hosts
        )
        return certificate.public_bytes(Encoding.PEM).decode(), key.private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        ).decode()


def secured_kafka(
    directory: Path, name: str, authority: Authority, authorizer: bool = False, jwks: str | None = None
) -> Kafka:
    """A broker with all :data:`LISTENERS` beside the plain one; ``ports`` says where.

    :param jwks: address of a token issuer's keys; the listener OAUTH then validates signed tokens, instead of believing
        unsigned ones.
    :param authorizer: ACLs in force; the plain listener's anonymous user and the user admin may do everything.
    """
    broker = Kafka(directory, name)
    broker.ports = dict(zip(LISTENERS, free_ports(len(LISTENERS)), strict=True))
    settings = _listeners(broker) | _security(*authority.issue(name), authority)
    if authorizer:
        settings.update(
            {
                "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "super.users": "User:ANONYMOUS;User:admin",
            }
        )
    if jwks:
        settings.update(
            {
                "listener.name.oauth.oauthbearer.sasl.server.callback.handler.class": (
                    f"{MODULE}.oauthbearer.OAuthBearerValidatorCallbackHandler"
                ),
                "sasl.oauthbearer.jwks.endpoint.url": jwks,
                "sasl.oauthbearer.expected.audience": "kafka",
            }
        )
    for line in render_properties(settings).splitlines():
        key, value = line.split("=", 1)
        broker.properties[key] = value
    return broker


def _listeners(broker: Kafka) -> dict[str, str]:
    """Which listeners there are, and the protocol of each."""
    listeners = [broker.properties["listeners"]] + [f"{one}://127.0.0.1:{port}" for one, port in broker.ports.items()]
    protocols = {"TLS": "SSL", "MTLS": "SSL"}
    spoken = ",".join(f"{one}:{protocols.get(one, 'SASL_SSL')}" for one in LISTENERS)
    return {
        "listeners": ",".join(listeners),
        "advertised.listeners": ",".join(
            one for text in listeners for one in text.split(",") if not one.startswith("CONTROLLER")
        ),
        "listener.security.protocol.map": f"PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,{spoken}",
        "inter.broker.listener.name": "PLAINTEXT",
    }


def _security(certificate: str, key: str, authority: Authority) -> dict[str, str]:
    """Certificates, and how each listener authenticates."""
    return {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.certificate.chain": certificate,
        "ssl.keystore.key": key,
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": authority.pem,
        "listener.name.mtls.ssl.client.auth": "required",
        "listener.name.scram.sasl.enabled.mechanisms": "SCRAM-SHA-512,SCRAM-SHA-256",
        "listener.name.scram.scram-sha-512.sasl.jaas.config": f"{MODULE}.scram.ScramLoginModule required;",
        "listener.name.scram.scram-sha-256.sasl.jaas.config": f"{MODULE}.scram.ScramLoginModule required;",
        "listener.name.token.sasl.enabled.mechanisms": "PLAIN",
        "listener.name.token.plain.sasl.jaas.config": (
            f'{MODULE}.plain.PlainLoginModule required user_token="{jaas_text(PASSWORD)}";'
        ),
        "listener.name.oauth.sasl.enabled.mechanisms": "OAUTHBEARER",
        "listener.name.oauth.oauthbearer.sasl.jaas.config": (
            f'{MODULE}.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";'
        ),
    }


def make_users(kafka: Kafka, *names: str) -> None:
    """SCRAM users with :data:`PASSWORD`, for both mechanisms."""
    admin = AdminClient(kafka.client)
    for mechanism in (ScramMechanism.SCRAM_SHA_512, ScramMechanism.SCRAM_SHA_256):
        wanted = [
            UserScramCredentialUpsertion(name, ScramCredentialInfo(mechanism, 4096), PASSWORD.encode())
            for name in names
        ]
        for future in admin.alter_user_scram_credentials(wanted).values():
            future.result(20)


def client_of(kafka: Kafka, kind: str, authority: Authority, ca_pem: str | None = None) -> tuple[dict, dict]:
    """``(kafka_dr_client, kafka_dr_client_secrets)`` for one kind of security."""
    trusted = {"ssl.ca.pem": ca_pem or authority.pem}

    def at(listener):
        return {"bootstrap.servers": f"127.0.0.1:{kafka.ports[listener]}", "security.protocol": "SASL_SSL", **trusted}

    if kind == "plain":
        return dict(kafka.client), {}
    if kind == "tls":
        return {**at("TLS"), "security.protocol": "SSL"}, {}
    if kind == "mutual-tls":
        certificate, key = authority.issue("mirror")
        return {**at("MTLS"), "security.protocol": "SSL", "ssl.certificate.pem": certificate}, {"ssl.key.pem": key}
    if kind in ("scram-sha-512", "scram-sha-256"):
        return {**at("SCRAM"), "sasl.mechanism": kind.upper(), "sasl.username": "mirror"}, {"sasl.password": PASSWORD}
    if kind == "token":
        return {**at("TOKEN"), "sasl.mechanism": "PLAIN", "sasl.username": "token"}, {"sasl.password": PASSWORD}
    if kind == "oauth-unsecured":
        return {
            **at("OAUTH"),
            "sasl.mechanism": "OAUTHBEARER",
            "enable.sasl.oauthbearer.unsecure.jwt": "true",
            "sasl.oauthbearer.config": "principal=mirror",
        }, {}
    raise ValueError(kind)


def java_truststore(directory: Path, authority: Authority, kind: str, password: str = "storepass") -> Path:
    """A truststore as keytool makes it: ``PKCS12`` or ``JKS``."""
    certificate = directory / "authority.pem"
    certificate.write_text(authority.pem)
    store = directory / f"trust.{kind.lower()}"
    subprocess.run(
        [
            "keytool",
            "-importcert",
            "-noprompt",
            "-alias",
            "ca",
            "-file",
            str(certificate),
            "-keystore",
            str(store),
            "-storetype",
            kind,
            "-storepass",
            password,
        ],
        check=True,
        capture_output=True,
    )
    return store


def pkcs12_keystore(name, key_pem, certificate_pem, password):
    """A client's keystore as Java has it."""
    from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, load_pem_private_key, pkcs12
    from cryptography.x509 import load_pem_x509_certificates

    chain = load_pem_x509_certificates(certificate_pem.encode("ascii"))
    key = load_pem_private_key(key_pem.encode("ascii"), None)
    return pkcs12.serialize_key_and_certificates(
        name.encode(), key, chain[0], chain[1:], BestAvailableEncryption(password.encode())
    )
