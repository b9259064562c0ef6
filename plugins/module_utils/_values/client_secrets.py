# SPDX-License-Identifier: GPL-3.0-or-later
"""Which keys of a Kafka client hold secrets, and where an OAUTHBEARER client's secret may go. Pure."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from .._errors import UsageError

# librdkafka's.
SECRETS = (
    "sasl.password",
    "ssl.key.pem",
    "ssl.key.password",
    "ssl.keystore.password",
    "sasl.oauthbearer.client.secret",
    "sasl.oauthbearer.assertion.private.key.pem",
    "sasl.oauthbearer.assertion.private.key.passphrase",
)
# And others that people write: a Java client's, say.
SECRET_KEY = re.compile(
    r"passw|passphrase|secret|jaas|private|basic[._]auth|api[._-]?key|\.key\.pem$|keystore\.key$|(?<!endpoint\.)token$",
    re.I,
)
LOOPBACK = ("127.0.0.1", "::1", "localhost")


def is_secret(key: object) -> bool:
    """Whether a client's key holds a secret."""
    return key in SECRETS or SECRET_KEY.search(str(key)) is not None


def secrets_in(client: dict) -> dict:
    """The entries of a client that hold secrets."""
    return {key: value for key, value in client.items() if is_secret(key) and value not in (None, "")}


def checked_endpoint(url: object) -> str:
    """A token endpoint that a secret may be sent to: over TLS, or on this machine.

    :raises UsageError: it is none.
    """
    try:
        parts = urlsplit(str(url))
        good = (
            parts.hostname
            and not parts.username
            and (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK))
        )
    except ValueError:
        good = False
    if not good:
        raise UsageError(
            "The token endpoint in sasl.oauthbearer.token.endpoint.url cannot be used",
            expected="an address that begins with https:// (or with http:// on this machine's loopback)",
            found=str(url)[:200],
            remedy=(
                "A token endpoint gets the client's secret; give its TLS address, and its authority in "
                "https.ca.pem where it is your own"
            ),
        )
    return str(url)
