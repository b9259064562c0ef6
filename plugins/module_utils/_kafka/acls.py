# SPDX-License-Identifier: GPL-3.0-or-later
"""Grant and revoke ACLs in batches, and describe what principals may do."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

try:
    from confluent_kafka.admin import (
        AclBinding,
        AclBindingFilter,
        AclOperation,
        AclPermissionType,
        ResourcePatternType,
        ResourceType,
    )
except ImportError:
    pass

from .._errors import KafkaDrError, TimedOutError, UsageError
from .._values.portions import portions
from .acl_numbers import OPERATIONS
from .acl_sight import UNGUARDED, require_sight
from .client import KafkaClient

# A filter takes None for any name, principal or host; the stubs do not know.
ANYTHING: Any = None
CLUSTER = "kafka-cluster"
# librdkafka has no name for this resource; its number in the protocol is 5 (KIP-98).
RESOURCES = {"topic": "TOPIC", "group": "GROUP", "cluster": "BROKER", "transactional_id": "TRANSACTIONAL_ID"}
NAMES = {value: key for key, value in RESOURCES.items()}
# A controller changes at most 10,000 in one request (QuorumController.MAX_RECORDS_PER_USER_OP, AclControlManager).
ACLS_A_REQUEST = 1000


class Acl(NamedTuple):
    """One ACL binding: ``("User:x", "topic", "t", "LITERAL", "READ", "ALLOW", "*")``."""

    principal: str
    resource: str
    name: str
    pattern: str
    operation: str
    permission: str
    host: str


def flatten(acls: Iterable[Mapping[str, Any]]) -> list[Acl]:
    """Every ACL by itself, one for each operation.

    :param acls: ``[{principal, resource, name, pattern, operations[], permission, host}]``; ``principal`` without
        ``User:`` gets it.
    :raises UsageError: a key is missing or a name unknown.
    """
    flat = set()
    for given in acls:
        principal = str(given.get("principal") or "")
        resource = str(given.get("resource") or "").lower()
        if not principal or resource not in RESOURCES or not given.get("operations"):
            raise UsageError(
                "An ACL is not complete",
                expected=f"principal, resource ({', '.join(RESOURCES)}) and operations",
                found=str(given),
            )
        principal = qualified(principal)
        name = CLUSTER if resource == "cluster" else str(given.get("name") or "")
        if not name:
            raise UsageError(f"An ACL for {principal} names no {resource}", remedy="Give name, or '*' for every one")
        pattern = str(given.get("pattern") or "literal").upper()
        permission = str(given.get("permission") or "allow").upper()
        host = str(given.get("host") or "*")
        for operation in given["operations"]:
            flat.add(Acl(principal, resource, name, pattern, str(operation).upper(), permission, host))
    return sorted(flat)


def _binding(acl: Acl) -> AclBinding:
    try:
        return AclBinding(
            getattr(ResourceType, RESOURCES[acl.resource]),
            acl.name,
            ResourcePatternType[acl.pattern],
            acl.principal,
            acl.host,
            AclOperation[acl.operation],
            AclPermissionType[acl.permission],
        )
    except (KeyError, AttributeError) as error:
        raise UsageError(f"An ACL for {acl.principal} cannot be expressed", found=str(error)) from error


def describe_acls(client: KafkaClient, principals: Iterable[str] | None = None) -> list[Acl]:
    """All ACLs, or those of these principals, sorted.

    :raises AuthorizationError: this principal may not see them. :raises KafkaDrError: with the code
        ``SECURITY_DISABLED``, a broker has no authorizer, so that there are none.
    """
    everything = AclBindingFilter(
        ResourceType.ANY, ANYTHING, ResourcePatternType.ANY, ANYTHING, ANYTHING, AclOperation.ANY, AclPermissionType.ANY
    )
    bindings = client.result(
        client.ask("describe ACLs", lambda: client.admin.describe_acls(everything, request_timeout=client.timeout)),
        "describe ACLs",
    )
    if not bindings:
        require_sight(client)
    wanted = None if principals is None else {qualified(principal) for principal in principals}
    return sorted(_acl(binding) for binding in bindings if wanted is None or binding.principal in wanted)


def binding_acls(client: KafkaClient, principals: Iterable[str] | None = None) -> list[Acl]:
    """As :func:`describe_acls`; empty where no ACL binds anybody, for want of an authorizer."""
    return acls_or_none(client, principals) or []


def acls_or_none(client: KafkaClient, principals: Iterable[str] | None = None) -> list[Acl] | None:
    """As :func:`describe_acls`; None where no ACL binds anybody, for want of an authorizer."""
    try:
        return describe_acls(client, principals)
    except KafkaDrError as error:
        if error.facts.get("code") != UNGUARDED:
            raise
        return None


def _acl(binding: Any) -> Acl:
    return Acl(
        binding.principal,
        NAMES.get(binding.restype.name, binding.restype.name.lower()),
        binding.name,
        binding.resource_pattern_type.name,
        binding.operation.name,
        binding.permission_type.name,
        binding.host,
    )


def ensure_acls(
    client: KafkaClient, acls: Iterable[Mapping[str, Any]], state: str, check_mode: bool, principals: Iterable[str] = ()
) -> dict[str, Any]:
    """Make these ACLs exist, or not exist, and read back from the cluster what holds afterwards.

    :param acls: as for :func:`flatten`.

    :param state: ``present``, ``absent``, or ``exact``: present, and nothing else for the principals named.
    :param principals: with ``absent``, names that lose every ALLOW they have, whatever its resource and operation.
    :returns: ``changed``, ``added``, ``removed`` (as text), ``added_acls``, ``removed_acls``, ``diff``.
    :raises TimedOutError: the cluster does not show what was written within the client's timeout.
    """
    wanted = set(flatten(acls))
    stripped = {qualified(principal) for principal in principals}
    whose = sorted({acl.principal for acl in wanted} | stripped)
    client.metadata()
    before = set((binding_acls if state == "absent" else describe_acls)(client, whose))
    taken = {acl for acl in before if _stripped(acl, stripped)}
    added = sorted(wanted - before) if state != "absent" else []
    removed = (
        sorted(before & wanted | taken) if state == "absent" else sorted(before - wanted) if state == "exact" else []
    )
    after = (before | set(added)) - set(removed)
    if not check_mode and (added or removed):
        _create(client, added)
        single = [acl for acl in removed if acl not in taken]
        removed = sorted(set(removed) | _delete(client, single, taken))

        def wrong(found: set[Acl]) -> tuple[set[Acl], set[Acl]]:
            return set(added) - found, found & set(removed) | {acl for acl in found if _stripped(acl, stripped)}

        after = _read_back(client, whose, wrong)
    return {
        "changed": bool(added or removed),
        "added": [as_text(acl) for acl in added],
        "added_acls": [as_dict(acl) for acl in added],
        "removed": [as_text(acl) for acl in removed],
        "removed_acls": [as_dict(acl) for acl in removed],
        "diff": {"before": [as_text(acl) for acl in sorted(before)], "after": [as_text(acl) for acl in sorted(after)]},
    }


def qualified(principal: str) -> str:
    """A principal with its type: ``User:orders`` for ``orders``."""
    return principal if ":" in principal else "User:" + principal


def has_names(acl: Mapping[str, Any]) -> bool:
    """Whether :func:`flatten` reads an ACL: newer kinds of resources and operations have no names in librdkafka."""
    operations = acl.get("operations")
    return acl.get("resource") in RESOURCES and bool(operations) and set(operations or ()) <= set(OPERATIONS.values())


def _stripped(acl: Acl, principals: Collection[str]) -> bool:
    return acl.principal in principals and acl.permission == "ALLOW"


def _create(client: KafkaClient, acls: Collection[Acl]) -> None:
    for some in portions([_binding(acl) for acl in acls], ACLS_A_REQUEST):
        for future in client.admin.create_acls(some, request_timeout=client.timeout).values():
            client.result(future, "create ACLs")


def _delete(client: KafkaClient, acls: list[Acl], taken: Collection[Acl]) -> set[Acl]:
    """Delete these ACLs, and every ALLOW of the principals from whom some are taken. Returns what the cluster says it
    deleted.

    A principal's ALLOWs go by one filter without resource or operation: librdkafka has no names for the newer of them.
    Where they are more than one request may delete, those that have names go one by one before.
    """
    many = [acl for acl in taken if _has_names(acl)] if len(taken) > ACLS_A_REQUEST else []
    filters = [_filter(acl) for acl in (*acls, *many)]
    filters += [
        AclBindingFilter(
            ResourceType.ANY,
            ANYTHING,
            ResourcePatternType.ANY,
            principal,
            ANYTHING,
            AclOperation.ANY,
            AclPermissionType.ALLOW,
        )
        for principal in sorted({acl.principal for acl in taken})
    ]
    gone: set[Acl] = set()
    for some in portions(filters, ACLS_A_REQUEST):
        for future in client.admin.delete_acls(some, request_timeout=client.timeout).values():
            gone |= {_acl(binding) for binding in client.result(future, "delete ACLs")}
    return gone


def _has_names(acl: Acl) -> bool:
    return acl.resource in RESOURCES and "UNKNOWN" not in acl


def _read_back(
    client: KafkaClient, principals: Iterable[str], differences: Callable[[set[Acl]], tuple[set[Acl], set[Acl]]]
) -> set[Acl]:
    """ACLs of these principals once the cluster shows what was written; a broker learns of it from the controller a
    moment later.

    :param differences: from the ACLs found: those that are missing, and those that are left.
    :raises TimedOutError: the cluster does not show it within the client's timeout.
    """
    until = time.monotonic() + client.timeout
    while True:
        found = set(describe_acls(client, principals))
        missing, left = differences(found)
        if not missing and not left:
            return found
        if time.monotonic() > until:
            wrong = [f"{as_text(acl)} to be there" for acl in sorted(missing)]
            wrong += [f"{as_text(acl)} to be gone" for acl in sorted(left)]
            raise TimedOutError(
                f"ACLs on {client.name} are not as they were written",
                expected="; ".join(wrong[:5]),
                found=f"{len(missing)} missing and {len(left)} left after {client.timeout} s",
                remedy="Find out who else changes them, such as an operator or GitOps, and run this again",
            )
        time.sleep(0.2)


def _filter(acl: Acl) -> AclBindingFilter:
    binding = _binding(acl)
    return AclBindingFilter(
        binding.restype,
        binding.name,
        binding.resource_pattern_type,
        binding.principal,
        binding.host,
        binding.operation,
        binding.permission_type,
    )


def as_text(acl: Acl) -> str:
    """One ACL as a line: ``User:x ALLOW READ topic:flights. PREFIXED``."""
    return f"{acl.principal} {right_as_text(acl)}"


def right_as_text(acl: Acl) -> str:
    """The same without the principal."""
    return f"{acl.permission} {acl.operation} {acl.resource}:{acl.name} {acl.pattern}"


def as_dict(acl: Acl) -> dict[str, Any]:
    """One ACL in the form that :func:`flatten` reads."""
    return {
        "principal": acl.principal,
        "resource": acl.resource,
        "name": acl.name,
        "pattern": acl.pattern.lower(),
        "operations": [acl.operation],
        "permission": acl.permission.lower(),
        "host": acl.host,
    }
