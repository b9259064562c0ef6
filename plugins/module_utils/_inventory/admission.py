# SPDX-License-Identifier: GPL-3.0-or-later
"""Users of applications that have no rights in the region that they would be led to. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .._kafka.acls import qualified
from .._kafka.rights import EVERYBODY
from .._values.listing import named
from .._values.safe import shown


def unadmitted(
    hosts: Mapping[str, Mapping[str, Any]], source: str, target: str, acls: Iterable[Mapping[str, Any]] = ()
) -> list[str]:
    """Names of users of purpose ``application`` that have rights by the source's inventory, and none in the target.

    :param hosts: ``{host: {variable: value}}``. :param source, target: names of regions.
    :param acls: what the target allows, in the form that :func:`.acls.flatten` reads; any of it is taken for what the
        user needs.
    """
    allowed = {acl.get("principal") for acl in acls if str(acl.get("permission") or "allow").lower() == "allow"}
    if EVERYBODY in allowed:
        return []
    there: Mapping[str, Any] = hosts[target] if target in hosts else {}
    allowed |= {qualified(name) for name in there.get("kafka_dr_super_users") or []}
    allowed |= {qualified(user["name"]) for user in _with_rights(hosts, target)}
    # Users with a certificate, as Strimzi calls them.
    names = {user["name"]: {qualified(user["name"]), f"User:CN={user['name']}"} for user in _with_rights(hosts, source)}
    return sorted(name for name, principals in names.items() if not principals & allowed)


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


def _with_rights(hosts: Mapping[str, Mapping[str, Any]], region: str) -> list[dict[str, Any]]:
    """The applications' users of a region that its inventory gives rights."""
    users = (hosts[region] if region in hosts else {}).get("kafka_dr_users") or []
    return [user for user in users if user.get("purpose") == "application" and user.get("acls")]
