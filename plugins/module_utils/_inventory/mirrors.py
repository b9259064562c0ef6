# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Mistakes in mirrors that a schema cannot see: regions that are unknown, circles, patterns, and what a mirror's machines lack."""

from __future__ import annotations

import collections.abc as c
import ipaddress
import re
import typing as t

from .._client_secrets import secrets_in
from .._errors import UsageError
from .._mm2.lint import FLOW_RULES
from .._mm2.lint.flows import read
from .._mm2.lint.rules_shape import loops
from .._mm2.mirror_config import as_list
from .check import Mistake, found, key_path, shown

PATTERNS = ("topics", "topics_exclude", "groups", "groups_exclude")
HOSTS = dict[str, dict[str, t.Any]]
# A mirror that the role runs by itself on machines.
ON_MACHINES = ("host", "managed")


def patterns(mirrors: list[dict]) -> c.Iterator[Mistake]:
    """Regular expressions that cannot be read."""
    for at, mirror in enumerate(mirrors):
        for key in PATTERNS:
            for number, one in enumerate(as_list(mirror.get(key))):
                try:
                    re.compile(one)
                except re.error as error:
                    yield Mistake(
                        "kafka_dr_mirrors[%d].%s[%d]" % (at, key, number),
                        "a regular expression",
                        "'%s' (%s)" % (shown(one), error),
                        "Write a dot of a name as \\. and close every bracket",
                        about_of(mirror),
                    )


def secrets(mirrors: list[dict]) -> c.Iterator[Mistake]:
    """Secrets in a mirror's settings, which are printed and kept in the mirror's own topics; references to a file are none."""
    for at, mirror in enumerate(mirrors):
        for side, settings in (mirror.get("config") or {}).items():
            for key, value in secrets_in(settings or {}).items():
                if not str(value).startswith("${"):
                    yield Mistake(
                        key_path("kafka_dr_mirrors[%d].config.%s" % (at, side), key),
                        "no secret in a mirror's settings, which are printed",
                        "a value (not shown)",
                        "Give clients in kafka_dr_client and kafka_dr_client_secrets; for others refer to a file of the workers, ${file:…}",
                        about_of(mirror),
                    )


def about_of(mirror: dict) -> frozenset[str]:
    """The regions that a mirror is about."""
    return frozenset(one for one in (mirror.get("source"), mirror.get("target")) if isinstance(one, str))


def regions(mirrors: list[dict], hosts: HOSTS) -> c.Iterator[Mistake]:
    """Sides of mirrors that are no regions, and pairs that are described twice."""
    known = sorted(name for name, one in hosts.items() if is_region(one))
    pairs: dict[tuple[str, str], int] = {}
    for at, mirror in enumerate(mirrors):
        path = "kafka_dr_mirrors[%d]" % at
        if mirror["source"] == mirror["target"]:
            yield Mistake(path + ".target", "another region than the source", found(mirror["target"]), "Name two regions", about_of(mirror))
        elif pairs.setdefault((mirror["source"], mirror["target"]), at) != at:
            yield Mistake(
                path,
                "one mirror from %s to %s" % (shown(mirror["source"]), shown(mirror["target"])),
                "a second one beside entry %d" % pairs[mirror["source"], mirror["target"]],
                "Put their topics into one entry",
                about_of(mirror),
            )
        for side in ("source", "target"):
            if mirror[side] not in known:
                yield Mistake(
                    "%s.%s" % (path, side),
                    "a region, one of %s" % (", ".join(known) or "none"),
                    found(mirror[side]),
                    "A region is a host of the inventory with kafka_dr_client; correct the name, or add it",
                    about_of(mirror),
                )


def is_region(variables: dict) -> bool:
    """Whether a host is a region: it has a client, or its platform knows one."""
    return "kafka_dr_client" in variables or variables.get("kafka_dr_platform") == "kubernetes"


def traps(mirrors: list[dict]) -> c.Iterator[Mistake]:
    """What the lint calls an error: circles over all mirrors, and settings that lose records or positions."""
    flows = []
    for at, mirror in enumerate(mirrors):
        path = "kafka_dr_mirrors[%d]" % at
        try:
            dummy_kind, own, dummy_raw = read(mirror)
        except UsageError as error:
            yield Mistake(
                path,
                str(error.expected or "settings that a mirror can have"),
                "%s (%s)" % (error.message, error.found or "no more is known"),
                str(error.remedy or ""),
                about_of(mirror),
            )
            continue
        flows += [(path, mirror, one) for one in own]
        for flow in own:
            for rule in FLOW_RULES:
                for one in rule(flow):
                    if one["severity"] == "error":
                        yield Mistake(
                            "%s (%s)" % (path, shown(one["where"])),
                            shown(one["fix"], 200),
                            "%s: %s" % (shown(one["found"]), one["reason"]),
                            "Correct it in config or tuning of the mirror",
                            about_of(mirror),
                        )
    for one in loops("properties", [one[2] for one in flows], {}):
        where, looped = next((place, described) for place, described, flow in flows if flow.name == one["flow"])
        yield Mistake(
            where,
            "no circle of mirrors that keep names",
            "%s, part of one: %s" % (one["flow"], one["reason"]),
            "Describe one direction at a time; or give each the policy default, or patterns of topics that never overlap",
            about_of(looped),
        )


def machines(mirrors: list[dict], hosts: HOSTS) -> c.Iterator[Mistake]:
    """Where mirrors run: machines that are unknown, paths that are missing, and a REST interface that others can reach."""
    for mirror in mirrors:
        target = hosts.get(mirror["target"]) or {}
        platform = target.get("kafka_dr_mirror_platform") or target.get("kafka_dr_platform")
        about = about_of(mirror)
        nodes = target.get("kafka_dr_mirror_hosts") or [mirror["target"]]
        if platform == "connect" and not target.get("kafka_dr_connect"):
            yield Mistake("%s: kafka_dr_connect" % mirror["target"], "the Connect cluster that runs %s" % mirror["name"], "nothing", "Give its urls", about)
        if platform == "deployment" and not target.get("kafka_dr_mirror_deployment"):
            yield Mistake(
                "%s: kafka_dr_mirror_deployment" % mirror["target"], "the Deployment of %s" % mirror["name"], "nothing", "Give image and namespace", about
            )
        if platform not in (*ON_MACHINES, "connect"):
            continue
        for at, one in enumerate(target.get("kafka_dr_mirror_hosts") or []):
            if one not in hosts:
                yield Mistake(
                    "%s: kafka_dr_mirror_hosts[%d]" % (mirror["target"], at), "a host of the inventory", found(one), "Add it, or correct the name", about
                )
        for variable in ("kafka_dr_mirror_directory", "kafka_dr_kafka_home") if platform != "connect" else ("kafka_dr_mirror_directory",):
            lacking = [one for one in nodes if one in hosts and not hosts[one].get(variable) and not target.get(variable)]
            if lacking:
                yield Mistake(
                    "%s: %s" % (mirror["target"], variable),
                    "a path on %s, which runs the mirror %s" % (", ".join(lacking), mirror["name"]),
                    "nothing",
                    "Give it for the region, or for the host",
                    about,
                )
        yield from _rest(mirror, nodes, target, hosts, platform)


def _rest(mirror: dict, nodes: list, target: dict, hosts: HOSTS, platform: object) -> c.Iterator[Mistake]:
    """Nodes of one mirror ask each other over plain HTTP; on loopback that is their own affair."""
    if platform == "connect" or mirror.get("exactly_once", True) is False or target.get("kafka_dr_mirror_rest_open"):
        return
    heard = {one: (hosts.get(one) or {}).get("kafka_dr_mirror_rest_host") or target.get("kafka_dr_mirror_rest_host") for one in nodes}
    outside = [one for one, address in heard.items() if not is_loopback(address) and (len(nodes) > 1 or address)]
    if outside:
        yield Mistake(
            "%s: kafka_dr_mirror_rest_open" % mirror["target"],
            "the reason why others may reach the REST interface of mirror %s" % mirror["name"],
            "nothing, and nodes that listen without TLS on %s" % ", ".join(outside),
            "Let nobody but the nodes reach that port (firewall, or a tunnel and kafka_dr_mirror_rest_host on loopback), and say so in "
            "kafka_dr_mirror_rest_open; it is recorded",
            about_of(mirror),
        )


def is_loopback(address: object) -> bool:
    """Whether an address, or a name, is this machine's own."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(str(address).strip("[]")).is_loopback
    except ValueError:
        return False
