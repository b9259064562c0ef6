# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Grant and revoke ACLs in batches, and describe what principals may do."""

from __future__ import annotations

import time

try:
    from confluent_kafka.admin import AclBinding, AclBindingFilter, AclOperation, AclPermissionType, ResourcePatternType, ResourceType
except ImportError:
    pass

from .._errors import TimedOutError, UsageError

CLUSTER = "kafka-cluster"
# librdkafka has no name for this resource; its number in the protocol is 5 (KIP-98).
RESOURCES = {"topic": "TOPIC", "group": "GROUP", "cluster": "BROKER", "transactional_id": "TRANSACTIONAL_ID"}
NAMES = {value: key for key, value in RESOURCES.items()}


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
        principal = qualified(principal)
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
    wanted = None if principals is None else {qualified(one) for one in principals}
    return sorted(_tuple(one) for one in bindings if wanted is None or one.principal in wanted)


def _tuple(binding):
    return (binding.principal, NAMES.get(binding.restype.name, binding.restype.name.lower()), binding.name, binding.resource_pattern_type.name,
            binding.operation.name, binding.permission_type.name, binding.host)


def ensure_acls(client, acls, state, check_mode, principals=()):
    """Make these ACLs exist, or not exist, and read from the cluster what is so afterwards.

    :param state: ``present``, ``absent``, or ``exact``: present, and nothing else for the principals named.
    :param principals: with ``absent``, names that lose every ALLOW they have, whatever its resource and operation.
    :returns: ``changed``, ``added``, ``removed`` (as text), ``removed_acls``, ``diff``.
    :raises TimedOutError: what was written is not so within the client's time.
    """
    wanted = set(flatten(acls))
    stripped = {qualified(one) for one in principals}
    named = sorted({one[0] for one in wanted} | stripped)
    client.metadata()
    before = set(describe_acls(client, named))
    taken = {one for one in before if one[0] in stripped and one[5] == "ALLOW"}
    added = sorted(wanted - before) if state != "absent" else []
    removed = sorted(before & wanted | taken) if state == "absent" else sorted(before - wanted) if state == "exact" else []
    after = (before | set(added)) - set(removed)
    if not check_mode and (added or removed):
        _create(client, added)
        removed = sorted(set(removed) | _delete(client, [one for one in removed if one not in taken], {one[0] for one in taken}))
        after = _read_back(client, named, lambda found: (set(added) - found, found & set(removed) | {one for one in found if _stripped(one, stripped)}))
    return {"changed": bool(added or removed), "added": [as_text(one) for one in added], "removed": [as_text(one) for one in removed],
            "removed_acls": [as_dict(one) for one in removed],
            "diff": {"before": [as_text(one) for one in sorted(before)], "after": [as_text(one) for one in sorted(after)]}}


def qualified(principal):
    """A principal with its type: ``User:orders`` for ``orders``."""
    return principal if ":" in principal else "User:" + principal


def _stripped(acl, principals):
    return acl[0] in principals and acl[5] == "ALLOW"


def _create(client, acls):
    if acls:
        for future in client.admin.create_acls([_binding(one) for one in acls], request_timeout=client.timeout).values():
            client.result(future, "create ACLs")


def _delete(client, acls, principals):
    """Delete these ACLs, and every ALLOW of these principals; what the cluster says it deleted, as :func:`flatten` gives them.

    A principal's ALLOWs go by one filter without resource or operation: librdkafka has no names for the newer of them.
    """
    filters = [_filter(one) for one in acls]
    filters += [AclBindingFilter(ResourceType.ANY, None, ResourcePatternType.ANY, one, None, AclOperation.ANY, AclPermissionType.ALLOW) for one in principals]
    gone = set()
    if filters:
        for future in client.admin.delete_acls(filters, request_timeout=client.timeout).values():
            gone |= {_tuple(one) for one in client.result(future, "delete ACLs")}
    return gone


def _read_back(client, principals, differences):
    """ACLs of these principals once they are as they were written; a broker learns of them from the controller a moment later.

    :param differences: function of the ACLs found that tells which are missing and which are left.
    """
    until = time.monotonic() + client.timeout
    while True:
        found = set(describe_acls(client, principals))
        missing, left = differences(found)
        if not missing and not left:
            return found
        if time.monotonic() > until:
            wrong = ["%s to be there" % as_text(one) for one in sorted(missing)] + ["%s to be gone" % as_text(one) for one in sorted(left)]
            raise TimedOutError(
                "ACLs on %s are not as they were written" % client.name, expected="; ".join(wrong[:5]),
                found="%d missing and %d left after %d s" % (len(missing), len(left), client.timeout),
                remedy="Find out who else changes them, such as an operator or GitOps, and run this again")
        time.sleep(0.2)


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
