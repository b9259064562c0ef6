# SPDX-License-Identifier: GPL-3.0-or-later
"""librdkafka's errors as errors of the collection. ``what`` is what was tried; it continues 'Cannot ...'."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

try:
    from confluent_kafka import KafkaError
except ImportError:
    pass

from .._errors import AuthenticationError, AuthorizationError, KafkaDrError, TimedOutError, UnreachableError

# What brokers answer while a partition gets its first leader, or another one.
LEADER_CHANGES = (
    "NOT_LEADER_FOR_PARTITION",
    "LEADER_NOT_AVAILABLE",
    "OFFSET_NOT_AVAILABLE",
    "FENCED_LEADER_EPOCH",
    "UNKNOWN_LEADER_EPOCH",
)


def translated(
    error: KafkaError | None, heard: Sequence[KafkaError], what: str, name: str, config: dict[str, Any], timeout: float
) -> KafkaDrError:
    """The error of a request, with the real reason in place of a mere timeout.

    :param error: the request's own error; None if the exception carries none.
    :param heard: what librdkafka told its error callback, oldest first.
    :param name: the cluster, as messages call it.
    :param config: the client's librdkafka keys.
    """
    # What a broker answered is the answer, whatever another connection said meanwhile.
    answered = isinstance(error, KafkaError) and not _is_local(error)
    for candidate in [error] if answered else [error, *heard[::-1]]:
        if isinstance(candidate, KafkaError):
            cause = not_accepted(candidate, what, name, config)
            if cause:
                return cause
    if not isinstance(error, KafkaError):
        return KafkaDrError(f"Cannot {what} on {name}", found=str(error), code=None)
    if error.code() in (
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    ):
        return AuthorizationError(
            f"Cannot {what} on {name}",
            expected="the right to do so",
            found=error.str(),
            code=error.name(),
            remedy=f"Give the principal {config.get('sasl.username') or 'of the certificate'} the ACL named here",
        )
    if _is_unreachable(error):
        return unreachable(what, name, config, error.str())
    if error.code() in (KafkaError._TIMED_OUT, KafkaError.REQUEST_TIMED_OUT, KafkaError._TIMED_OUT_QUEUE):
        down = [candidate for candidate in heard if _is_unreachable(candidate)]
        return unreachable(what, name, config, down[-1].str()) if down else timed_out(what, name, timeout, error.str())
    return KafkaDrError(f"Cannot {what} on {name}", found=error.str(), code=error.name())


def _is_local(error: KafkaError) -> bool:
    """Whether librdkafka itself says so; brokers' answers have positive codes."""
    return error.code() < 0 or error.code() == KafkaError.REQUEST_TIMED_OUT


def _is_unreachable(error: KafkaError) -> bool:
    unreachable_codes = (KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN, KafkaError._RESOLVE)
    return error.code() in unreachable_codes or _broke_in_handshake(error)


def _broke_in_handshake(error: KafkaError) -> bool:
    """Whether the connection broke while the client logged in: librdkafka gives that the code of a refusal, and its own
    reason as text.
    """
    return error.code() == KafkaError._AUTHENTICATION and "handshake failed: Local: " in error.str()


def timed_out(what: str, name: str, timeout: float, found: str) -> TimedOutError:
    """The error for a request that has no answer within ``timeout`` seconds."""
    return TimedOutError(
        f"Cannot {what} on {name} within {timeout} s",
        found=found,
        remedy="Look at the brokers' health, or give a larger timeout",
    )


def unreachable(what: str, name: str, config: dict[str, Any], found: str) -> UnreachableError:
    """The error for a cluster of which no broker answers."""
    return UnreachableError(
        f"Cannot {what} on {name}",
        expected=f"a broker at {config['bootstrap.servers']}",
        found=found,
        remedy=(
            "Check address, listener and firewall; where the region is lost, go on as docs/runbooks/failover.md says, "
            "where both regions are, as docs/runbooks/restore.md does"
        ),
    )


def not_accepted(heard: KafkaError, what: str, name: str, config: dict[str, Any]) -> AuthenticationError | None:
    """The error if the brokers do not accept the client, or the client does not accept the brokers; else None."""
    text = heard.str()
    if _broke_in_handshake(heard):
        return None
    if heard.code() in (KafkaError._AUTHENTICATION, KafkaError.SASL_AUTHENTICATION_FAILED):
        return AuthenticationError(
            f"{name} refuses to let us {what}",
            expected=f"the password of {config.get('sasl.username')} to be right",
            found=text,
            remedy="Correct sasl.username and sasl.password of this client",
        )
    if heard.code() == KafkaError._SSL or (
        re.search(r"SSL handshake|certificate|SSL routines", text) and "unexpected eof" not in text
    ):
        return AuthenticationError(
            f"No trusted TLS connection to {name}",
            expected="a certificate signed by the CA in ssl.ca.pem, for the name we connect to",
            found=text,
            remedy="Correct ssl.ca.pem (or ssl.ca.location) of this client; verification stays on",
        )
    return None


def hopeless(
    lately: Sequence[KafkaError], heard: Sequence[KafkaError], what: str, name: str, config: dict[str, Any]
) -> KafkaDrError | None:
    """The error, among those heard lately, that waiting does not mend: the client is not accepted, or every address
    refuses the connection. None if there is none.

    :param heard: everything heard so far.
    """
    for candidate in lately[::-1]:
        cause = not_accepted(candidate, what, name, config)
        if cause:
            return cause
    down = [error for error in lately if _is_unreachable(error) and error.code() != KafkaError._ALL_BROKERS_DOWN]
    all_down = any(error.code() == KafkaError._ALL_BROKERS_DOWN for error in heard)
    refused = all(error.code() == KafkaError._RESOLVE or "Connection refused" in error.str() for error in down)
    if all_down and down and refused:
        return unreachable(what, name, config, down[-1].str())
    return None
