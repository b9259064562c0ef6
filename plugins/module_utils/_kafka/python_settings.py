# SPDX-License-Identifier: GPL-3.0-or-later
"""A client description in librdkafka's keys, as settings of kafka-python.

A key about security that kafka-python has no setting for is refused, never left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import UsageError
from .._values.security import BY_PASSWORD, PROTOCOLS, mechanism_of
from .oauth import ClientCredentials
from .tls import tls_context

TLS_KEYS = {
    "ssl.ca.pem",
    "ssl.ca.location",
    "ssl.certificate.pem",
    "ssl.certificate.location",
    "ssl.key.pem",
    "ssl.key.location",
    "ssl.key.password",
    "ssl.endpoint.identification.algorithm",
}
SASL_KEYS = {"sasl.mechanism", "sasl.mechanisms", "sasl.username", "sasl.password"}
OAUTH_KEYS = {
    "sasl.oauthbearer." + key
    for key in ("method", "client.id", "client.secret", "scope", "extensions", "token.endpoint.url")
}


def settings(config: Mapping[str, Any], timeout: float) -> dict[str, Any]:
    """Keyword arguments of ``KafkaAdminClient`` for a librdkafka configuration.

    :param config: librdkafka keys, secrets included. :param timeout: seconds.
    :raises UsageError: kafka-python has no setting for a key, or a certificate or key is not valid.
    """
    protocol = str(config.get("security.protocol") or "PLAINTEXT").upper()
    if protocol not in PROTOCOLS:
        raise UsageError(
            "The security.protocol of a client is not known", expected=" or ".join(PROTOCOLS), found=protocol
        )
    addresses = str(config["bootstrap.servers"]).split(",")
    servers = [address.strip().rpartition("://")[2] for address in addresses if address.strip()]
    found: dict[str, Any] = {
        "bootstrap_servers": servers,
        "security_protocol": protocol,
        "client_id": str(config.get("client.id") or "streamsafe-kafka-dr"),
        "request_timeout_ms": int(timeout * 1000),
        "bootstrap_timeout_ms": int(timeout * 1000),
    }
    tls, sasl = protocol.endswith("SSL"), protocol.startswith("SASL")
    if sasl:
        found.update(_sasl(config, timeout))
    _refuse_others(config, tls, sasl)
    if tls:
        found["ssl_context"] = tls_context(config)
    return found


def _refuse_others(config: Mapping[str, Any], tls: bool, sasl: bool) -> None:
    known = (TLS_KEYS if tls else set()) | (SASL_KEYS | OAUTH_KEYS if sasl else set())
    prefixes = ("ssl.",) * tls + ("sasl.",) * sasl
    others = sorted(
        key
        for key, value in config.items()
        if prefixes and key.startswith(prefixes) and key not in known and value not in (None, "")
    )
    if others:
        raise UsageError(
            f"{', '.join(others)} of a client is not understood where quotas are read or written, or a broker "
            "is asked what a principal may do",
            expected=f"no other keys than {', '.join(sorted(known))}",
            remedy="Leave it out; certificates and keys are given in PEM",
        )


def _sasl(config: Mapping[str, Any], timeout: float) -> dict[str, Any]:
    mechanism = mechanism_of(config) or "GSSAPI"
    if mechanism in BY_PASSWORD:
        missing = [key for key in ("sasl.username", "sasl.password") if not config.get(key)]
        if missing:
            raise UsageError(f"A client with SASL {mechanism} is not complete", expected=" and ".join(missing))
        # RFC 5802: a comma or an equals sign of a name is written otherwise; kafka-python sends the name as it is
        # given.
        name = (
            config["sasl.username"].replace("=", "=3D").replace(",", "=2C")
            if mechanism != "PLAIN"
            else config["sasl.username"]
        )
        return {
            "sasl_mechanism": mechanism,
            "sasl_plain_username": name,
            "sasl_plain_password": config["sasl.password"],
        }
    if mechanism == "OAUTHBEARER" and str(config.get("sasl.oauthbearer.method") or "").lower() == "oidc":
        return {"sasl_mechanism": mechanism, "sasl_oauth_token_provider": ClientCredentials(config, timeout)}
    raise UsageError(
        f"SASL {mechanism} cannot be used where quotas are read or written, or a broker is asked what a "
        "principal may do",
        expected=f"{', '.join(BY_PASSWORD)}, or OAUTHBEARER with sasl.oauthbearer.method=oidc",
        remedy="Give the stages a user of one of these",
    )
