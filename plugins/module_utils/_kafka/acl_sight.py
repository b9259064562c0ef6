# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether an empty list of ACLs means that there are none: librdkafka gives every refusal as an empty list."""

from __future__ import annotations

try:
    from confluent_kafka.admin import AclOperation
except ImportError:
    pass

from .._errors import AuthorizationError, KafkaDrError
from .._values.listing import named
from .brokers import AUTHORIZER, without_authorizer
from .client import KafkaClient

# Kafka's own code for a cluster without an authorizer.
UNGUARDED = "SECURITY_DISABLED"


def require_sight(client: KafkaClient) -> None:
    """Refuse an empty list of ACLs unless the principal may see them, and they bind somebody.

    :raises AuthorizationError: it may not. :raises KafkaDrError: a broker has no authorizer.
    """
    future = client.ask(
        "read metadata",
        lambda: client.admin.describe_cluster(include_authorized_operations=True, request_timeout=client.timeout),
    )
    found = client.result(future, "read metadata")
    if AclOperation.DESCRIBE not in (found.authorized_operations or ()):
        raise AuthorizationError(
            f"The ACLs of {client.name} cannot be seen",
            expected="DESCRIBE on the cluster",
            found="no right to it",
            remedy="Give this principal DESCRIBE on the cluster, or name one that has it",
        )
    unguarded = without_authorizer(client)
    if unguarded:
        raise KafkaDrError(
            f"No ACL binds anybody on {client.name}",
            expected=f"{AUTHORIZER} on every broker",
            found=f"none on broker {named(map(str, unguarded))}, which lets everybody do everything",
            remedy="Set it on every broker, and start them again",
            code=UNGUARDED,
        )
