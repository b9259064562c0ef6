# SPDX-License-Identifier: GPL-3.0-or-later
"""An API server's refusals as the collection's errors.

Source: ``k8s.io/apimachinery`` ``metav1.Status``: ``reason``, ``message``, ``details{name, kind, causes[]{reason}}``.
"""

from __future__ import annotations

import json
from typing import Any

from .._errors import AuthenticationError, AuthorizationError, KafkaDrError, RefusedError, TimedOutError, UsageError


class NotFoundError(KafkaDrError):
    """The object, its namespace or its definition is not there."""

    kind = "not_found"


class ConflictError(KafkaDrError):
    """Somebody changed or made the object between our reading and our writing."""

    kind = "conflict"


def from_answer(status: int, body: bytes, what: str, cluster: str) -> KafkaDrError:
    """The error for an answer of 400 and above.

    :param status: HTTP status.
    :param body: the answer's body, as bytes; a ``Status`` object as a rule.
    :param what: continues 'Cannot ...'.
    :param cluster: what the cluster is called.
    """
    answer = _status_object(body)
    message = answer.get("message") or body[:200].decode("utf-8", "replace").strip() or f"HTTP {status}"
    reason = answer.get("reason") or ""
    causes = [cause.get("reason") for cause in (answer.get("details") or {}).get("causes") or []]
    sentence = f"Cannot {what} in {cluster}"
    if "NamespaceTerminating" in causes:
        return RefusedError(
            sentence,
            expected="a namespace that is not being deleted",
            found=message,
            code="NamespaceTerminating",
            remedy="Find the finalizers that hold it (kubectl get namespace -o yaml), and wait until it is gone",
        )
    if status in (401, 403):
        return _access_error(status, sentence, message)
    if status == 404:
        return NotFoundError(sentence, found=message)
    if status == 409:
        remedy = "Run it again: it starts from what is there now"
        return ConflictError(sentence, found=message, code=reason, remedy=remedy)
    if status in (408, 429, 500, 502, 503, 504) and (
        reason in ("Timeout", "ServerTimeout", "TooManyRequests", "ServiceUnavailable")
        or status > 500
        # Not the API server's words but those of what stands before it.
        or (status == 500 and not answer)
    ):
        remedy = "Look at the API server's health and run it again"
        return TimedOutError(sentence, found=message, code=reason or str(status), remedy=remedy)
    if status in (400, 422):
        return UsageError(sentence, expected="an object that the API server accepts", found=message, code=reason)
    return KafkaDrError(sentence, found=message, code=reason or str(status))


def _status_object(body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _access_error(status: int, sentence: str, message: str) -> KafkaDrError:
    if status == 401:
        return AuthenticationError(
            sentence,
            expected="credentials that the API server accepts",
            found=message,
            remedy="Renew the token or certificate of this kubeconfig, context or api_key",
        )
    return AuthorizationError(
        sentence,
        expected="the right to do so",
        found=message,
        remedy="Bind a Role with this verb; the playbook streamsafe.kafka_dr.rbac prints what is needed",
    )
