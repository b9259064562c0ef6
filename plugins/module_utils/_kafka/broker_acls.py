# SPDX-License-Identifier: GPL-3.0-or-later
"""The ACLs as each broker has them. Every broker decides by a copy of its own, and one that is cut off from the
controller continues with an old ACL.

librdkafka asks one broker of its choice; kafka-python asks the one that is named.
"""

from __future__ import annotations

try:
    from kafka.errors import for_code
    from kafka.protocol.admin import DescribeAclsRequest
except ImportError:
    pass

from .._errors import KafkaDrError
from .acl_numbers import ANY, OPERATIONS, PATTERNS, PERMISSIONS, RESOURCES
from .acls import Acl
from .client import KafkaClient
from .python_client import PythonClient, ask_every_broker


def acls_by_broker(client: KafkaClient) -> tuple[dict[int, set[Acl]], dict[int, str]]:
    """``({broker: ACLs}, {broker: why it did not answer})``.

    :raises UsageError: the client cannot ask a broker by name.
    """
    return ask_every_broker(client, _acls_at)


def _acls_at(connection: PythonClient, broker: int) -> set[Acl]:
    what = f"ask broker {broker} for its ACLs"
    answer = connection.ask(
        DescribeAclsRequest(
            resource_type_filter=ANY,
            resource_name_filter=None,
            pattern_type_filter=ANY,
            principal_filter=None,
            host_filter=None,
            operation=ANY,
            permission_type=ANY,
        ),
        what,
        broker,
    )
    if answer.error_code:
        raise KafkaDrError(f"Cannot {what}", found=answer.error_message or for_code(answer.error_code).__name__)
    return {
        Acl(
            acl.principal,
            RESOURCES.get(resource.resource_type, "unknown"),
            resource.resource_name,
            PATTERNS.get(resource.pattern_type, "UNKNOWN"),
            OPERATIONS.get(acl.operation, "UNKNOWN"),
            PERMISSIONS.get(acl.permission_type, "UNKNOWN"),
            acl.host,
        )
        for resource in answer.resources
        for acl in resource.acls
    }
