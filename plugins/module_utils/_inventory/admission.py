# SPDX-License-Identifier: GPL-3.0-or-later
"""Users of applications that could not work in the region that they would be led to: without rights there, or with
another password. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .._kafka.acls import Acl, flatten, has_names, qualified
from .._kafka.principals import forms
from .._kafka.rights import EVERYBODY, IMPLIED
from .._values.listing import named
from .._values.safe import shown

# Marks a password that a stage has learnt from its Secret.
LEARNT = "password_learned"


def unadmitted(
    hosts: Mapping[str, Mapping[str, Any]], source: str, target: str, acls: Iterable[Mapping[str, Any]] = ()
) -> list[str]:
    """Names of users of purpose ``application`` that have rights by the source's inventory, and none in the target.

    :param hosts: ``{host: {variable: value}}``. :param source, target: names of regions.
    :param acls: what the target allows, in the form that :func:`.acls.flatten` reads. Any of it is taken for what the
        user needs; what everybody may has to be all that the user may in the source.
    """
    acls = list(acls)
    allows = [acl for acl in acls if _allows(acl)]
    allowed = {acl.get("principal") for acl in allows}
    # Whom something is denied may not do all that everybody may.
    denied = {acl.get("principal") for acl in acls if not _allows(acl)}
    everybody = flatten(acl for acl in allows if acl.get("principal") == EVERYBODY and has_names(acl))
    there: Mapping[str, Any] = hosts[target] if target in hosts else {}
    allowed |= {qualified(name) for name in there.get("kafka_dr_super_users") or []}
    allowed |= {qualified(user["name"]) for user in _with_rights(hosts, target)}
    return sorted(
        user["name"]
        for user in _with_rights(hosts, source)
        for principals in [forms([user["name"]])]
        if not principals & allowed and (principals & denied or not _all_by(everybody, user))
    )


def _allows(acl: Mapping[str, Any]) -> bool:
    return str(acl.get("permission") or "allow").lower() == "allow"


def _all_by(everybody: list[Acl], user: Mapping[str, Any]) -> bool:
    """Whether everybody may do what a user's ACLs allow it."""
    needs = flatten([{**acl, "principal": user["name"]} for acl in user["acls"]]) if everybody else []
    return bool(needs) and all(
        any(_covers(acl, need) for acl in everybody) for need in needs if need.permission == "ALLOW"
    )


def _covers(acl: Acl, need: Acl) -> bool:
    if need.operation == "IDEMPOTENT_WRITE" and acl.resource == "topic" and acl.operation in ("ALL", "WRITE"):
        # Whoever may write to any topic may do so idempotently (KIP-679).
        return acl.host in ("*", need.host)
    if (
        acl.resource != need.resource
        or (need.operation not in (acl.operation, IMPLIED.get(acl.operation)) and acl.operation != "ALL")
        or acl.host not in ("*", need.host)
    ):
        return False
    if acl.pattern == "PREFIXED":
        return need.name.startswith(acl.name)
    return acl.name == "*" or (acl.name == need.name and acl.pattern == need.pattern)


def not_admitted(hosts: Mapping[str, Mapping[str, Any]], source: str, target: str) -> Iterator[str]:
    """A sentence where the target's inventory gives rights to some of the source's users alone. Where it gives none to
    anybody, they are given elsewhere.
    """
    lacking = unadmitted(hosts, source, target) if _with_rights(hosts, target) else []
    if lacking:
        yield (
            f"kafka_dr_users: {named(shown(name) for name in lacking)} has rights in {shown(source)} and none in "
            f"{shown(target)}. Give the same users acls there: after a failover, their applications need them."
        )


def two_passwords(hosts: Mapping[str, Mapping[str, Any]], source: str, target: str) -> Iterator[str]:
    """A sentence where the inventories of two regions give users of applications different passwords: stages make these
    users in both with the same, so that clients keep it.
    """
    here, there = (_passwords(hosts.get(region) or {}) for region in (source, target))
    different = sorted(name for name in here.keys() & there.keys() if here[name] != there[name])
    if different:
        yield (
            f"kafka_dr_users: {named(shown(name) for name in different)} has one password in {shown(source)} and "
            f"another one in {shown(target)}. Give it the same: stages make the user in both regions with that of the "
            "mirror's source, and applications keep it."
        )


def _passwords(region: Mapping[str, Any]) -> dict[str, str]:
    """The passwords that the inventory itself gives to the applications' users of a region."""
    return {
        user["name"]: str(user["password"]).strip()
        for user in region.get("kafka_dr_users") or []
        if user.get("purpose") == "application" and user.get("password") and not user.get(LEARNT)
    }


def _with_rights(hosts: Mapping[str, Mapping[str, Any]], region: str) -> list[dict[str, Any]]:
    """The applications' users of a region that its inventory gives rights."""
    users = (hosts[region] if region in hosts else {}).get("kafka_dr_users") or []
    return [
        user
        for user in users
        if user.get("purpose") == "application" and any(_allows(acl) for acl in user.get("acls") or [])
    ]
