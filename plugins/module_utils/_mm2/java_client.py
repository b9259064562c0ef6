# SPDX-License-Identifier: GPL-3.0-or-later
"""One client description in librdkafka keys, said again in the keys of Kafka's Java clients.

Secrets are named, not read: what a name stands for must have gone through :func:`secret_text`, since a password is read
there as part of a JAAS line (KIP-85), where a quote or a backslash has a meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._errors import UsageError
from .._values.client_secrets import checked_endpoint
from .._values.security import PROTOCOLS, mechanism_of

PLAIN_KEYS = (
    "bootstrap.servers",
    "security.protocol",
    "sasl.mechanism",
    "ssl.endpoint.identification.algorithm",
    "client.id",
)
LOGIN_MODULES = {
    "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "PLAIN": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "OAUTHBEARER": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule",
}
OAUTH_HANDLER = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler"
JAAS_SECRETS = ("sasl.password", "sasl.oauthbearer.client.secret")
PEM_SECRETS = ("ssl.key.pem",)


def java_client(client: dict[str, Any], secret: Callable[[str], str]) -> dict[str, str]:
    """Java client properties.

    :param client: librdkafka keys without secrets.
    :param secret: function from a secret's librdkafka key to how it is referred to.
    :raises UsageError: something that the Java client cannot be told; the message names the key.
    """
    properties = {}
    for key in PLAIN_KEYS:
        value = client.get(key)
        if value is not None:
            properties[key] = str(value)
    protocol = str(client.get("security.protocol", "plaintext")).upper()
    if protocol not in PROTOCOLS:
        raise UsageError(
            f"The client of {client.get('bootstrap.servers')} has no usable security.protocol",
            expected=" or ".join(PROTOCOLS),
            found=protocol,
        )
    properties["security.protocol"] = protocol
    if protocol.endswith("SSL"):
        properties.update(_tls(client, secret))
    else:
        properties.pop("ssl.endpoint.identification.algorithm", None)
    if protocol.startswith("SASL"):
        properties["sasl.mechanism"] = mechanism_of(client)
        properties.update(_sasl(client, properties["sasl.mechanism"], secret))
    else:
        properties.pop("sasl.mechanism", None)
    return properties


def _tls(client: dict[str, Any], secret: Callable[[str], str]) -> dict[str, str]:
    if str(client.get("enable.ssl.certificate.verification", "true")).lower() == "false":
        raise UsageError(
            f"The client of {client.get('bootstrap.servers')} does not check certificates",
            expected="enable.ssl.certificate.verification to be left at true",
            found="false",
            remedy="Give the CA in ssl.ca.pem; MirrorMaker 2 always checks, and so do we",
        )
    properties = {}
    if str(client.get("ssl.endpoint.identification.algorithm", "")).lower() == "none":
        properties["ssl.endpoint.identification.algorithm"] = ""
    if client.get("ssl.ca.pem"):
        properties["ssl.truststore.type"] = "PEM"
        properties["ssl.truststore.certificates"] = client["ssl.ca.pem"]
    elif client.get("ssl.ca.location"):
        properties["ssl.truststore.type"] = "PEM"
        properties["ssl.truststore.location"] = client["ssl.ca.location"]
    if client.get("ssl.certificate.pem"):
        properties["ssl.keystore.type"] = "PEM"
        properties["ssl.keystore.certificate.chain"] = client["ssl.certificate.pem"]
        properties["ssl.keystore.key"] = secret("ssl.key.pem")
        if client.get("ssl.key.encrypted"):
            properties["ssl.key.password"] = secret("ssl.key.password")
    elif client.get("ssl.keystore.location"):
        # librdkafka's only keystore format.
        properties["ssl.keystore.type"] = "PKCS12"
        properties["ssl.keystore.location"] = client["ssl.keystore.location"]
        properties["ssl.keystore.password"] = secret("ssl.keystore.password")
    elif client.get("ssl.certificate.location"):
        raise UsageError(
            f"The client certificate of {client.get('bootstrap.servers')} is given as files",
            expected="ssl.certificate.pem with ssl.key.pem, or ssl.keystore.location",
            found="ssl.certificate.location",
            remedy=(
                "Give the text: ssl.certificate.pem: \"{{ lookup('file', path) }}\"; a Java client wants "
                "both in one place"
            ),
        )
    return properties


def _sasl(client: dict[str, Any], mechanism: str, secret: Callable[[str], str]) -> dict[str, str]:
    if mechanism not in LOGIN_MODULES:
        raise UsageError(
            f"The SASL mechanism of {client.get('bootstrap.servers')} cannot be given to MirrorMaker 2",
            expected=f"one of {', '.join(sorted(LOGIN_MODULES))}",
            found=mechanism or "nothing",
        )
    if mechanism == "OAUTHBEARER":
        return _oauth(client, secret)
    if not client.get("sasl.username"):
        raise UsageError(
            f"The client of {client.get('bootstrap.servers')} has no sasl.username",
            remedy="Give it; for IBM Cloud it is the word token",
        )
    return {
        "sasl.jaas.config": _jaas(
            mechanism, {"username": quoted(client["sasl.username"]), "password": f'"{secret("sasl.password")}"'}
        )
    }


def _oauth(client: dict[str, Any], secret: Callable[[str], str]) -> dict[str, str]:
    """Client credentials (KIP-768), or the unsecured tokens that Kafka has for trials (KIP-255)."""
    if str(client.get("enable.sasl.oauthbearer.unsecure.jwt", "false")).lower() == "true":
        words = dict(
            part.split("=", 1) for part in str(client.get("sasl.oauthbearer.config") or "").split() if "=" in part
        )
        return {
            "sasl.jaas.config": _jaas(
                "OAUTHBEARER", {"unsecuredLoginStringClaim_sub": quoted(words.get("principal") or "mirror")}
            )
        }
    missing = [
        key for key in ("sasl.oauthbearer.token.endpoint.url", "sasl.oauthbearer.client.id") if not client.get(key)
    ]
    if missing:
        raise UsageError(
            f"The OAUTHBEARER client of {client.get('bootstrap.servers')} is not complete",
            expected="sasl.oauthbearer.method oidc with token endpoint, client id and secret",
            found=f"no {', '.join(missing)}",
        )
    options = {
        "clientId": quoted(client["sasl.oauthbearer.client.id"]),
        "clientSecret": f'"{secret("sasl.oauthbearer.client.secret")}"',
    }
    if client.get("sasl.oauthbearer.scope"):
        options["scope"] = quoted(client["sasl.oauthbearer.scope"])
    for part in str(client.get("sasl.oauthbearer.extensions") or "").split(","):
        if "=" in part:
            name, value = part.split("=", 1)
            options["extension_" + name.strip()] = quoted(value.strip())
    return {
        "sasl.jaas.config": _jaas("OAUTHBEARER", options),
        "sasl.oauthbearer.token.endpoint.url": checked_endpoint(client["sasl.oauthbearer.token.endpoint.url"]),
        "sasl.login.callback.handler.class": OAUTH_HANDLER,
    }


def _jaas(mechanism: str, options: dict[str, str]) -> str:
    return "%s required %s;" % (LOGIN_MODULES[mechanism], " ".join("%s=%s" % item for item in options.items()))


def quoted(text: str) -> str:
    """A JAAS option's value in quotes."""
    return f'"{jaas_text(text)}"'


def jaas_text(text: str) -> str:
    """Text as it must stand between the quotes of a JAAS value (``JaasConfig`` reads it with ``StreamTokenizer``)."""
    return str(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")


def secret_text(key: str, value: str) -> str:
    """A secret as it must stand behind a reference of :func:`java_client`.

    :param key: its librdkafka key.
    :raises UsageError: a private key in a format that Java does not read. The key itself is never part of the message.
    """
    if key in JAAS_SECRETS:
        return jaas_text(value)
    if key in PEM_SECRETS:
        first = str(value).strip().splitlines()[0] if str(value).strip() else "nothing"
        if first not in ("-----BEGIN PRIVATE KEY-----", "-----BEGIN ENCRYPTED PRIVATE KEY-----"):
            raise UsageError(
                f"The private key in {key} is not in a format that MirrorMaker 2 reads",
                expected="PKCS#8 (BEGIN PRIVATE KEY)",
                found=first if first.startswith("-----BEGIN") else "no PEM",
                remedy="Convert it: openssl pkcs8 -topk8 -nocrypt -in key.pem",
            )
    return str(value)
