# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Grant and revoke ACLs in batches, and describe what principals may do."""

from __future__ import annotations

try:
    from confluent_kafka.admin import AclBinding, AclBindingFilter, AclOperation, AclPermissionType, ResourcePatternType, ResourceType
except ImportError:
    pass

from .._errors import UsageError

CLUSTER = "kafka-cluster"
# librdkafka has no name for this resource; its number in the protocol is 5 (KIP-98).
RESOURCES = {"topic": "TOPIC", "group": "GROUP", "cluster": "BROKER", "transactional_id": "TRANSACTIONAL_ID"}


def flatten(acls):
    """Every ACL as a tuple ``(principal, resource, name, pattern, operation, permission, host)``.

    :param acls: ``[{principal, resource, name, pattern, operations[], permission, host}]``; ``principal`` without ``User:`` gets it.
    :raises UsageError: a key is missing or a name unknown.
    """
    made = []
    for one in acls:
        principal = str(one.get("principal") or "")
        resource = str(one.get("resource") or "").lower()
        if not principal or resource not in RESOURCES or not one.get("operations"):
            raise UsageError("An ACL is not complete", expected="principal, resource (%s) and operations" % ", ".join(RESOURCES), found=str(one))
        principal = principal if ":" in principal else "User:" + principal
        name = CLUSTER if resource == "cluster" else str(one.get("name") or "")
        if not name:
            raise UsageError("An ACL for %s names no %s" % (principal, resource), remedy="Give name, or '*' for every one")
        pattern = str(one.get("pattern") or "literal").upper()
        for operation in one["operations"]:
            permission = str(one.get("permission") or "allow").upper()
            made.append((principal, resource, name, pattern, str(operation).upper(), permission, str(one.get("host") or "*")))
    return sorted(set(made))


def _binding(acl):
    principal, resource, name, pattern, operation, permission, host = acl
    try:
        return AclBinding(getattr(ResourceType, RESOURCES[resource]), name, ResourcePatternType[pattern], principal, host,
                          AclOperation[operation], AclPermissionType[permission])
    except (KeyError, AttributeError) as error:
        raise UsageError("An ACL for %s cannot be expressed" % principal, found=str(error)) from error


def describe_acls(client, principals=None):
    """All ACLs, or those of these principals, as :func:`flatten` gives them."""
    everything = AclBindingFilter(ResourceType.ANY, None, ResourcePatternType.ANY, None, None, AclOperation.ANY, AclPermissionType.ANY)
    bindings = client.result(client.ask("describe ACLs", lambda: client.admin.describe_acls(everything, request_timeout=client.timeout)), "describe ACLs")
    names = {value: key for key, value in RESOURCES.items()}
    wanted = None if principals is None else {one if ":" in one else "User:" + one for one in principals}
    found = []
    for one in bindings:
        if wanted is None or one.principal in wanted:
            found.append((one.principal, names.get(one.restype.name, one.restype.name.lower()), one.name, one.resource_pattern_type.name,
                          one.operation.name, one.permission_type.name, one.host))
    return sorted(found)


def ensure_acls(client, acls, state, check_mode):
    """Make these ACLs exist, or not exist, and read them back.

    :param state: ``present``, ``absent``, or ``exact``: present, and nothing else for the principals named.
    :returns: ``changed``, ``added``, ``removed`` (as text), ``diff``.
    """
    wanted = flatten(acls)
    principals = sorted({one[0] for one in wanted})
    client.metadata()
    before = set(describe_acls(client, principals))
    added = sorted(set(wanted) - before) if state != "absent" else []
    removed = sorted(before & set(wanted)) if state == "absent" else sorted(before - set(wanted)) if state == "exact" else []
    if not check_mode:
        if added:
            for future in client.admin.create_acls([_binding(one) for one in added], request_timeout=client.timeout).values():
                client.result(future, "create ACLs")
        if removed:
            filters = [_filter(one) for one in removed]
            for future in client.admin.delete_acls(filters, request_timeout=client.timeout).values():
                client.result(future, "delete ACLs")
    after = (before | set(added)) - set(removed)
    return {"changed": bool(added or removed), "added": [as_text(one) for one in added], "removed": [as_text(one) for one in removed],
            "removed_acls": [as_dict(one) for one in removed],
            "diff": {"before": [as_text(one) for one in sorted(before)], "after": [as_text(one) for one in sorted(after)]}}


def _filter(acl):
    binding = _binding(acl)
    return AclBindingFilter(binding.restype, binding.name, binding.resource_pattern_type, binding.principal, binding.host, binding.operation,
                            binding.permission_type)


def as_text(acl):
    """One ACL as a line: ``User:x ALLOW READ topic:flights. PREFIXED``."""
    principal, resource, name, pattern, operation, permission, dummy = acl
    return "%s %s %s %s:%s %s" % (principal, permission, operation, resource, name, pattern)


def as_dict(acl):
    """One ACL in the form that :func:`flatten` reads."""
    principal, resource, name, pattern, operation, permission, host = acl
    return {"principal": principal, "resource": resource, "name": name, "pattern": pattern.lower(), "operations": [operation],
            "permission": permission.lower(), "host": host}
