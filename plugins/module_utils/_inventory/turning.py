# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirror turned round: the way back after a planned move, and whether a region has a place for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._errors import UsageError
from .._mm2.mirror_config import policy_name
from .._mm2.witness import owner
from .._values.security import BY_PASSWORD, mechanism_of
from .nodes import mirror_node
from .platforms import mirror_platform
from .positions import positions_topic
from .regions import user_for

# What the name of a mirror ends in that was turned round, and what stands before the region that one was moved to.
BACK, MOVED = "-back", "-from-"


def turn_obstacle(mirror: dict[str, Any]) -> str:
    """Why a mirror cannot be turned round, whatever its regions have; empty where it can."""
    policy = policy_name(mirror.get("policy")) or "identity"
    return "" if policy == "identity" else f"its policy is {policy}, so its copies have other names"


def turned_name(mirror: dict[str, Any]) -> str:
    """The name of a mirror that was turned round."""
    name: str = mirror["name"]
    return name.removesuffix(BACK) if name.endswith(BACK) else name + BACK


def turned_mirror(mirror: dict[str, Any]) -> dict[str, Any]:
    """The mirror that leads back after a planned move: the same settings, source and target exchanged.

    Turning it twice gives the mirror itself.

    :raises UsageError: the mirror renames topics, so that its copies would come back under other names.
    """
    obstacle = turn_obstacle(mirror)
    if obstacle:
        raise UsageError(
            f"Mirror '{mirror.get('name')}' cannot be turned round",
            expected="the identity policy, so that records keep their topics",
            found=obstacle,
            remedy="Make backups with policy: identity, or describe a mirror the other way",
        )
    return dict(mirror, name=turned_name(mirror), source=mirror["target"], target=mirror["source"])


def moved_mirror(mirror: dict[str, Any], source: str) -> dict[str, Any]:
    """The mirror that copies another source to the same target, with the same settings."""
    return dict(mirror, name=f"{mirror['name']}{MOVED}{source}", source=source)


def further_copy(mirrors: Sequence[dict[str, Any]] | None, region: str, active: str) -> dict[str, Any]:
    """How a region is a further copy of the region that applications left for the active one.

    :param mirrors: ``kafka_dr_mirrors``.
    :returns: ``left`` (the region that both were copied from), ``old`` (the mirror that copied it to the region) and
        ``mirror`` (the one from the region to the active one, which turned round is ``old`` with the active region as
        its source); nothing where a mirror joins the two, or no single region was copied to both under its own names.
    """
    copying = [mirror for mirror in mirrors or [] if mirror.get("source") != mirror.get("target")]
    sources = {mirror["source"] for mirror in copying if mirror["target"] == active and not turn_obstacle(mirror)}
    found = [
        mirror
        for mirror in copying
        if mirror["target"] == region and mirror["source"] in sources and not turn_obstacle(mirror)
    ]
    if len(found) != 1 or active == region:
        return {}
    moved = moved_mirror(found[0], active)
    joined = [mirror for mirror in copying if {mirror["source"], mirror["target"]} == {region, active}]
    if any(mirror["name"] != moved["name"] for mirror in joined):
        return {}
    return {"left": found[0]["source"], "old": found[0], "mirror": turned_mirror(moved)}


def succeeded(mirror: dict[str, Any], mirrors: Sequence[dict[str, Any]] | None) -> list[str]:
    """Mirrors whose place in the target this one takes when stages move applications: copies of one region have one
    active region among them, which alone is copied to the others.

    :param mirrors: ``kafka_dr_mirrors``.
    :returns: as :func:`.witness.owner` names them, sorted; never one that is described beside this one.
    """
    pairs = {(other["source"], other["target"]) for other in mirrors or ()}
    source, target = mirror["source"], mirror["target"]
    copies: dict[str, set[str]] = {}
    for other in mirrors or ():
        if not turn_obstacle(other):
            copies.setdefault(other["source"], {other["source"]}).add(other["target"])
    before = {region for family in copies.values() if {source, target} <= family for region in family}
    described = (source, target) in pairs
    return sorted(
        owner(region, target) for region in before - {source, target} if not (described and (region, target) in pairs)
    )


def turn_lacks(
    mirror: dict[str, Any], regions: Mapping[str, dict[str, Any]], mirrors: Sequence[dict[str, Any]] = ()
) -> str:
    """What is missing for the mirror to run the other way round, in one sentence; empty where nothing is.

    :param mirror: the mirror of the move, whose source becomes the backup.
    :param regions: hostvars.
    :param mirrors: ``kafka_dr_mirrors``; one that is described the other way round is left as it is.
    """
    if not mirror:
        return ""
    described = [
        other for other in mirrors if (other.get("source"), other.get("target")) == (mirror["target"], mirror["source"])
    ]
    if described and described[0]["name"] != turned_name(mirror):
        return f"mirror '{described[0]['name']}' is described the other way round, and is left as it is"
    return "; ".join([*_lacks(mirror, regions), *_shares_positions(mirror, regions, mirrors)])


def turned_mirrors(regions: Mapping[str, dict[str, Any]], mirrors: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The mirrors that planned moves may leave behind, where each region has all that its one needs."""
    return [turned_mirror(mirror) for mirror in mirrors if not turn_lacks(mirror, regions, mirrors)]


def _variables(regions: Mapping[str, dict[str, Any]], name: str) -> dict[str, Any]:
    return regions[name] if name in regions else {}


def _lacks(mirror: dict[str, Any], regions: Mapping[str, dict[str, Any]]) -> Iterator[str]:
    obstacle = turn_obstacle(mirror)
    if obstacle:
        yield f"mirror '{mirror['name']}' cannot be turned round: {obstacle}"
        return
    for region in (mirror["source"], mirror["target"]):
        yield from _lacks_user(region, _variables(regions, region))
    backup = _variables(regions, mirror["source"])
    if not backup:
        return
    runs_on = mirror_platform(backup)
    if runs_on == "kubernetes":
        yield from _lacks_for_operator(mirror, regions)
        return
    if runs_on != "host":
        yield f"{mirror['source']} runs its mirrors by {runs_on}, where none is turned round"
        return
    for host in backup.get("kafka_dr_mirror_hosts") or [mirror["source"]]:
        try:
            mirror_node(turned_mirror(mirror), regions, host)
        except UsageError as error:
            yield str(error)


def _lacks_user(name: str, region: dict[str, Any]) -> Iterator[str]:
    user = user_for(region, "mirror")
    if not user:
        yield f"{name} has no user with the purpose mirror in kafka_dr_users"
        return
    client = region.get("kafka_dr_client") or {}
    by_password = mechanism_of(client) in BY_PASSWORD
    # On Kubernetes an operator makes it; the client's own user has its password in kafka_dr_client_secrets.
    known = region.get("kafka_dr_platform") == "kubernetes" or client.get("sasl.username") == user["name"]
    if by_password and not known and not user.get("password"):
        yield f"{name} has no password of its user '{user['name']}' in kafka_dr_users"


def _shares_positions(
    mirror: dict[str, Any], regions: Mapping[str, dict[str, Any]], mirrors: Sequence[dict[str, Any]]
) -> Iterator[str]:
    """Mirrors that go on into the region to whose topic the turned one's position witness would write too."""
    if turn_obstacle(mirror):
        return
    turned = turned_mirror(mirror)
    topic, before = positions_topic(turned, regions), succeeded(turned, mirrors)
    for other in mirrors:
        name = owner(other["source"], other["target"])
        if (
            other["target"] == turned["target"]
            and other["source"] != turned["source"]
            and name not in before
            and positions_topic(other, regions) == topic
        ):
            yield (
                f"its positions would go to {topic} in {turned['target']}, as those of mirror '{other['name']}' do: "
                "set positions_topic of one of them"
            )


def _lacks_for_operator(mirror: dict[str, Any], regions: Mapping[str, dict[str, Any]]) -> Iterator[str]:
    """An operator runs the mirror: the Secrets that it reads the other region with are copied between clusters."""
    for region in (mirror["source"], mirror["target"]):
        if _variables(regions, region).get("kafka_dr_platform") != "kubernetes":
            yield f"{region} is not on Kubernetes, and an operator's mirror is turned between two regions that are"
