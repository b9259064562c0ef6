# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients that cannot connect, or would connect without protection."""

from __future__ import annotations

from .valid_description import CLIENT, KUBERNETES, SECRET, Case

CLIENTS: dict[str, Case] = {
    # Clients.
    "no address": (
        CLIENT,
        {"security.protocol": "PLAINTEXT"},
        ("bootstrap.servers']: expected host:port", "found nothing"),
    ),
    "an address without a port": (
        CLIENT + ".bootstrap|servers",
        "na-1",
        ("expected host:port, separated by commas", "'na-1'"),
    ),
    "an IPv6 address without brackets": (
        CLIENT + ".bootstrap|servers",
        "2001:db8::1:9093",
        ("an IPv6 address in brackets", "'2001:db8::1:9093'"),
    ),
    "a port that there is not": (
        CLIENT + ".bootstrap|servers",
        "na-1:99999",
        ("expected ports from 1 to 65535, found 99999",),
    ),
    "addresses as a list": (CLIENT + ".bootstrap|servers", ["na-1:9093"], ("bootstrap.servers']", "found a list of 1")),
    "an unknown protocol": (
        CLIENT + ".security|protocol",
        "TLS",
        ("expected one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL, found the text 'TLS'",),
    ),
    "an unknown mechanism": (CLIENT + ".sasl|mechanism", "SCRAM", ("expected one of PLAIN, SCRAM-SHA-256", "'SCRAM'")),
    "no mechanism": (CLIENT + ".sasl|mechanism", None, ("expected a mechanism, since security.protocol is SASL_SSL",)),
    "a mechanism without SASL": (
        CLIENT + ".security|protocol",
        "SSL",
        ("expected SASL_SSL, since sasl.mechanism is SCRAM-SHA-512, found SSL",),
    ),
    "a key of Ansible's kind": (
        CLIENT + ".bootstrap_servers",
        "a:1",
        ("the key 'bootstrap_servers'", "Did you mean bootstrap.servers?"),
    ),
    "a password among what is printed": (
        CLIENT + ".sasl|password",
        SECRET,
        ("no secret in kafka_dr_client", "(not shown)", "kafka_dr_client_secrets"),
    ),
    "a private key among what is printed": (
        CLIENT + ".ssl|key|pem",
        SECRET,
        ("no secret in kafka_dr_client", "(not shown)"),
    ),
    "a JAAS line among what is printed": (
        CLIENT + ".sasl|jaas|config",
        SECRET,
        ("no secret in kafka_dr_client", "(not shown)"),
    ),
    "certificates that are not verified": (
        CLIENT + ".enable|ssl|certificate|verification",
        False,
        ("kafka_dr_unverified_tls: expected certificates to be verified",),
    ),
    "a password without TLS": (
        CLIENT + ".security|protocol",
        "SASL_PLAINTEXT",
        ("kafka_dr_unverified_tls", "SASL_PLAINTEXT sends a password"),
    ),
    "names that are not verified": (
        CLIENT + ".ssl|endpoint|identification|algorithm",
        "none",
        ("kafka_dr_unverified_tls", "identification.algorithm=none"),
    ),
    "an API server that is not verified": (
        KUBERNETES + ".validate_certs",
        False,
        ("asia: kafka_dr_unverified_tls", "validate_certs=false"),
    ),
    "an API server without TLS": (
        KUBERNETES + ".host",
        "http://api:6443",
        ("kafka_dr_unverified_tls", "host without TLS"),
    ),
    "a decision without a reason": (
        "north_america.kafka_dr_unverified_tls",
        True,
        ("kafka_dr_unverified_tls: expected the reason, in words on one line, found true",),
    ),
    "a token endpoint without TLS": (
        CLIENT + ".sasl|oauthbearer|token|endpoint|url",
        "http://sso/token",
        ("token.endpoint.url']: expected a URL that begins with https://",),
    ),
}
