# SPDX-License-Identifier: GPL-3.0-or-later
"""Whom a fence is for, and which of its rights a mirror loses, out of the inventory and the ACLs. Pure."""

from __future__ import annotations

from typing import Any

from .._errors import UsageError
from .._kafka.acls import Acl, as_dict, flatten, has_names, qualified
from .._kafka.principals import forms
from .._kafka.rights import LOOKS
from .._mm2.access import NEVER_COPIED, TRANSACTIONS, overlaps, service_acls
from .._mm2.properties import parse_properties

SERVICES = ("stages", "mirror", "proof", "witness", "watch", "reader")


def principal(user: dict, platform: str = "") -> str:
    """The principal of a user of the inventory; Strimzi's users with a certificate are called by its subject."""
    certified = platform == "kubernetes" and str(user.get("authentication") or "").startswith("tls")
    return "User:CN=" + user["name"] if certified else qualified(user["name"])


def users_of(region: dict, *purposes: str) -> list[dict]:
    """``[{name, username, password}]`` of the region's users of these purposes, as ``fence_info`` takes them; of
    :data:`SERVICES` where none is named.
    """
    return [
        {
            "name": principal(user, region.get("kafka_dr_platform", "")),
            "username": user["name"],
            "password": user.get("password"),
        }
        for user in region.get("kafka_dr_users") or []
        if user.get("purpose") in (purposes or SERVICES)
    ]


def fence_principals(region: dict, regions: dict) -> list[dict]:
    """Whom a fence of the region is for: its users of purpose ``application``, and whoever an application of the
    inventory works as.

    :param regions: hostvars.
    :raises UsageError: an application works as one of the services' users, which a fence cannot take anything from.
    """
    principals = users_of(region, "application")
    services = {user["name"] for user in users_of(region, *SERVICES)}
    for host in regions:
        for application in regions[host].get("kafka_dr_applications") or []:
            for name in application.get("principals") or []:
                if qualified(name) in services:
                    raise UsageError(
                        f"Application '{application.get('name')}' works as {name}",
                        expected="a principal of its own",
                        found="a user that the stages themselves need",
                        remedy="Give the application a user of purpose application",
                    )
                if qualified(name) not in {known["name"] for known in principals} and name not in {
                    known["username"] for known in principals
                }:
                    principals.append({"name": qualified(name), "username": name.rpartition(":")[2], "password": None})
    return principals


def mirror_rights(
    acls: list[dict], regions: dict, place: str, mirror: dict, mirrors: list[dict], idle: bool = False
) -> list[dict]:
    """Rights that a mirror's principals lose in a region once the mirror is given up.

    Those are what it was given for it, and whatever else lets it write, commit or create.

    :param acls: the principals' ALLOWs as they are.
    :param regions: hostvars. :param place: name of the region.
    :param mirrors: every mirror of the inventory; what the others need here stays.
    :param idle: what a worker without connectors needs stays too.
    """
    have = set(flatten([acl for acl in acls if has_names(acl)]))
    side = "target" if mirror["target"] == place else "source"
    given = _needed(regions[place], mirror, side)
    kept = set(_needed(regions[place], mirror, side, idle=True)) if idle else set()
    for other_mirror in mirrors or []:
        if place in (other_mirror["source"], other_mirror["target"]) and (
            other_mirror["source"],
            other_mirror["target"],
        ) != (mirror["source"], mirror["target"]):
            kept |= _needed(regions[place], other_mirror, "target" if other_mirror["target"] == place else "source")
    # Where it is the source, a mirror only ever reads; what it was given there stays.
    wanted = given if side == "target" else set()
    return [
        as_dict(acl)
        for acl in sorted(have - kept)
        if acl in wanted or (acl[4] not in LOOKS and not (acl[1] == "topic" and acl[4] == "READ"))
    ]


def beyond_mirror(acls: list[dict], regions: dict, place: str, mirror: dict) -> list[dict]:
    """Those of a mirror's rights in a region that it was not given for it: whoever granted them wants them back once
    the mirror is set up again.
    """
    side = "target" if mirror["target"] == place else "source"
    return [as_dict(acl) for acl in sorted(set(flatten(acls)) - _needed(regions[place], mirror, side))]


def taken_told(ledger: dict, region: str, secrets: list[str]) -> list[dict]:
    """What the ledger of another region says was taken in this one; nothing where entries are signed and that ledger is
    not: whoever may write to its topic would give rights with it.

    :param ledger: as ``ledger_info`` returns it, or what it failed with.
    :param secrets: those that entries are signed with.
    """
    if secrets and not ledger.get("verified"):
        return []
    return list((ledger.get("taken") or {}).get(region) or [])


def mirror_given_back(acls: list[dict], region: dict) -> list[dict]:
    """Those of a ledger's rights that a mirror gets back when it is set up again.

    Left to a person are rights of others and over the cluster, as in :func:`given_back`, and what reaches the
    collection's own topics or transactions: with it the ledger could be forged, or a stage ended by another.

    :param acls: what a mirror had beyond what it was given, see :func:`beyond_mirror`.
    """
    known = {user["name"] for user in users_of(region, "mirror")}
    return [
        acl
        for acl in acls
        if has_names(acl) and all(_harmless(single, known) and not _reaches_own(single) for single in flatten([acl]))
    ]


def _reaches_own(acl: Acl) -> bool:
    prefix = {"topic": NEVER_COPIED, "transactional_id": TRANSACTIONS}.get(acl.resource)
    return (
        prefix is not None
        and acl.operation not in (*LOOKS, "READ")
        and overlaps({"name": acl.name, "pattern": acl.pattern.lower()}, prefix)
    )


def _needed(region: dict[str, Any], mirror: dict[str, Any], side: str, idle: bool = False) -> set[Acl]:
    connect = (
        (region.get("kafka_dr_connect") or {}).get("group") or "connect-cluster"
        if region.get("kafka_dr_mirror_platform") == "connect"
        else None
    )
    needed: set[Acl] = set()
    for user in region.get("kafka_dr_users") or []:
        if user.get("purpose") == "mirror":
            name = principal(user, region.get("kafka_dr_platform", ""))
            needed |= set(flatten(service_acls(name, "mirror", mirror, side, None, connect, idle)))
    return needed


def given_back(acls: list[dict], region: dict, regions: dict) -> list[dict]:
    """Those of a ledger's rights that a stage may give back: what a fence of this region takes, and an application can
    need.

    Whoever can write to a ledger that is not signed can put any right there, and the stages' principal may give any. So
    these are left to a person: rights of others, rights over the cluster, and newer kinds of resources and operations,
    which have no names in librdkafka.

    :param acls: what the ledger says was taken. :param regions: hostvars.
    """
    known = {fenced["name"] for fenced in fence_principals(region, regions)}
    return [acl for acl in acls if has_names(acl) and all(_harmless(single, known) for single in flatten([acl]))]


def with_names(acls: list[dict]) -> list[dict]:
    """Those that a client can create."""
    return [acl for acl in acls if has_names(acl)]


def without_names(acls: list[dict]) -> list[dict]:
    """The others: newer kinds of resources and operations, which have no names in librdkafka."""
    return [acl for acl in acls if not has_names(acl)]


def of_others(acls: list[dict], names: list[str]) -> list[dict]:
    """ACLs of nobody among these users, by whichever of their names.

    :param acls: their principals may be names of users, as the inventory gives them. :param names: the same.
    """
    known = forms(names)
    return [acl for acl in acls if qualified(acl["principal"]) not in known]


def _harmless(acl: tuple, known: set[str]) -> bool:
    name, resource, dummy, dummy, operation, permission, dummy = acl
    return (
        name in known
        and permission == "ALLOW"
        and (resource != "cluster" or operation in {*LOOKS, "CREATE", "IDEMPOTENT_WRITE"})
    )


def own_super_users(name: str) -> list[str]:
    """The super-users of a cluster that the collection keeps: its administrator, and its brokers by the subject of
    their certificate.
    """
    return ["User:admin", f"User:CN={name}"]


def broker_settings(text: str) -> dict:
    """``{super_users, allow_everyone}`` of a broker's ``server.properties``."""
    found = parse_properties(text)
    return {
        "super_users": [name.strip() for name in found.get("super.users", "").split(";") if name.strip()],
        "allow_everyone": found.get("allow.everyone.if.no.acl.found", "false").strip().lower() == "true",
    }


def kafka_settings(kafka: dict) -> dict:
    """The same of a ``Kafka`` resource of Strimzi, which gives users of its own making no place above ACLs."""
    spec = (kafka.get("spec") or {}).get("kafka") or {}
    authorization = spec.get("authorization") or {}
    return {
        "super_users": list(authorization.get("superUsers") or []),
        "allow_everyone": str((spec.get("config") or {}).get("allow.everyone.if.no.acl.found", "false")).lower()
        == "true",
    }


def unfenced_names(found: dict) -> dict:
    """``{name: why}`` of ``{region: {name: why}}``, for a gate that is accepted by name."""
    unfenced: dict[str, str] = {}
    for region, names in found.items():
        for name, why in (names or {}).items():
            unfenced[name] = "; ".join(reason for reason in (unfenced.get(name), f"(in {region}) {why}") if reason)
    return unfenced
