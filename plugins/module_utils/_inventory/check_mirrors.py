# SPDX-License-Identifier: GPL-3.0-or-later
"""Mistakes in mirrors that a schema cannot see: regions that are unknown, circles, patterns, and what a mirror's
machines lack.
"""

from __future__ import annotations

import collections.abc as c
import ipaddress
import typing as t

from .._errors import UsageError
from .._lint import FLOW_RULES
from .._lint.flows import read
from .._lint.rules_shape import loops
from .._mm2.mirror_config import as_list
from .._mm2.names import unreadable
from .._values.client_secrets import secrets_in
from .check_value import Mistake, found, key_path, shown
from .platforms import mirror_on_machines
from .positions import default_topic

PATTERNS = ("topics", "topics_exclude", "groups", "groups_exclude")
PATTERNS_ALONE = "Give topics, topics_exclude, groups or groups_exclude of the mirror"
_OWN_CLASS = "no class of its own, since stages choose as MirrorMaker 2's own class does"
# By setting: the value that stages read a mirror by, what is expected, and the way out. The last one says whether names
# of MirrorMaker 2's own topics have the separator (DefaultReplicationPolicy).
READ_BY = {
    "topic.filter.class": ("org.apache.kafka.connect.mirror.DefaultTopicFilter", _OWN_CLASS, PATTERNS_ALONE),
    "group.filter.class": ("org.apache.kafka.connect.mirror.DefaultGroupFilter", _OWN_CLASS, PATTERNS_ALONE),
    "replication.policy.internal.topic.separator.enabled": (
        "true",
        "true, since stages read the mirror's own topics by the names that it has then",
        "Leave it out",
    ),
}
HOSTS = dict[str, dict[str, t.Any]]


def patterns(mirrors: list[dict]) -> c.Iterator[Mistake]:
    """Regular expressions that cannot be read, or that Java reads in another way."""
    for at, mirror in enumerate(mirrors):
        for key in PATTERNS:
            for number, pattern in enumerate(as_list(mirror.get(key))):
                if reason := unreadable(pattern):
                    yield Mistake(
                        f"kafka_dr_mirrors[{at}].{key}[{number}]",
                        "a regular expression",
                        f"'{shown(pattern)}' ({reason})",
                        "Write a dot of a name as \\. and close every bracket; write flags as (?i:…)",
                        about_of(mirror),
                    )


def filters(mirrors: list[dict]) -> c.Iterator[Mistake]:
    """Settings by which MirrorMaker 2 chooses topics or groups, or names its own, in a way that stages do not know."""
    for at, mirror in enumerate(mirrors):
        for side, settings in (mirror.get("config") or {}).items():
            for key, (known, expected, remedy) in READ_BY.items():
                value = (settings or {}).get(key)
                # A flag may be given as YAML's own. Of a class, Kafka takes blanks around it away (ConfigDef).
                read = str(value).strip() if key.endswith(".class") else str(value)
                if value is not None and read != known and read.lower() != known:
                    at_key = key_path(f"kafka_dr_mirrors[{at}].config.{side}", key)
                    yield Mistake(at_key, expected, found(value), remedy, about_of(mirror))


def secrets(mirrors: list[dict]) -> c.Iterator[Mistake]:
    """Secrets in a mirror's settings, which are printed and kept in the mirror's own topics; references to a file are
    none.
    """
    for at, mirror in enumerate(mirrors):
        for side, settings in (mirror.get("config") or {}).items():
            for key, value in secrets_in(settings or {}).items():
                if not str(value).startswith("${"):
                    yield Mistake(
                        key_path(f"kafka_dr_mirrors[{at}].config.{side}", key),
                        "no secret in a mirror's settings, which are printed",
                        "a value (not shown)",
                        "Give clients in kafka_dr_client and kafka_dr_client_secrets; for others refer to a file of "
                        "the workers, ${file:…}",
                        about_of(mirror),
                    )


def about_of(mirror: dict) -> frozenset[str]:
    """The regions that a mirror is about."""
    return frozenset(region for region in (mirror.get("source"), mirror.get("target")) if isinstance(region, str))


def regions(mirrors: list[dict], hosts: HOSTS) -> c.Iterator[Mistake]:
    """Sides of mirrors that are no regions, and pairs that are described twice."""
    known = sorted(name for name, variables in hosts.items() if is_region(variables))
    pairs: dict[tuple[str, str], int] = {}
    for at, mirror in enumerate(mirrors):
        path = f"kafka_dr_mirrors[{at}]"
        if mirror["source"] == mirror["target"]:
            yield Mistake(
                path + ".target",
                "another region than the source",
                found(mirror["target"]),
                "Name two regions",
                about_of(mirror),
            )
        elif pairs.setdefault((mirror["source"], mirror["target"]), at) != at:
            yield Mistake(
                path,
                f"one mirror from {shown(mirror['source'])} to {shown(mirror['target'])}",
                f"a second one beside entry {pairs[mirror['source'], mirror['target']]}",
                "Put their topics into one entry",
                about_of(mirror),
            )
        for side in ("source", "target"):
            if mirror[side] not in known:
                yield Mistake(
                    f"{path}.{side}",
                    f"a region, one of {', '.join(known) or 'none'}",
                    found(mirror[side]),
                    "A region is a host of the inventory with kafka_dr_client; correct the name, or add it",
                    about_of(mirror),
                )


def positions_topics(mirrors: list[dict], hosts: HOSTS) -> c.Iterator[Mistake]:
    """Mirrors into one region whose position witnesses would write to one topic, and take each other's groups for their
    own.
    """
    first: dict[tuple[str, str], dict] = {}
    for at, mirror in enumerate(mirrors):
        topic = mirror.get("positions_topic") or default_topic(hosts.get(mirror["target"]) or {})
        other = first.setdefault((mirror["target"], topic), mirror)
        # Two of one source and target are refused as such.
        if other is not mirror and other["source"] != mirror["source"]:
            yield Mistake(
                f"kafka_dr_mirrors[{at}].positions_topic",
                f"a topic of its own for the position witness of each mirror into {shown(mirror['target'])}",
                f"{shown(topic)} for both {shown(other['name'])} and {shown(mirror['name'])}",
                f"Set positions_topic of one of them, such as {shown(topic + '-' + mirror['name'], 200)}",
                about_of(mirror) | about_of(other),
            )


def is_region(variables: dict) -> bool:
    """Whether a host is a region: it has a client, or its platform knows one."""
    return "kafka_dr_client" in variables or variables.get("kafka_dr_platform") == "kubernetes"


def traps(mirrors: list[dict]) -> c.Iterator[Mistake]:
    """What the lint calls an error: circles over all mirrors, and settings that lose records or positions."""
    flows = []
    for at, mirror in enumerate(mirrors):
        path = f"kafka_dr_mirrors[{at}]"
        try:
            dummy_kind, own, dummy_raw = read(mirror)
        except UsageError as error:
            yield Mistake(
                path,
                str(error.expected or "settings that a mirror can have"),
                f"{error.message} ({error.found or 'no more is known'})",
                str(error.remedy or ""),
                about_of(mirror),
            )
            continue
        flows += [(path, mirror, flow) for flow in own]
        for flow in own:
            for rule in FLOW_RULES:
                for finding in rule(flow):
                    if finding["severity"] == "error":
                        yield Mistake(
                            f"{path} ({shown(finding['where'])})",
                            shown(finding["fix"], 200),
                            f"{shown(finding['found'])}: {finding['reason']}",
                            "Correct it in config or tuning of the mirror",
                            about_of(mirror),
                        )
    of_flow = {flow.name: (place, described) for place, described, flow in reversed(flows)}
    for finding in loops("properties", [flow for dummy_path, dummy_mirror, flow in flows], {}):
        where, looped = of_flow[finding["flow"]]
        yield Mistake(
            where,
            "no circle of mirrors that keep names",
            f"{finding['flow']}, part of one: {finding['reason']}",
            "Describe one direction at a time; or give each the policy default, or patterns of topics that never "
            "overlap",
            about_of(looped),
        )


def machines(mirrors: list[dict], hosts: HOSTS) -> c.Iterator[Mistake]:
    """Where mirrors run: unknown machines, missing paths, and a REST interface that others can reach."""
    for mirror in mirrors:
        target = hosts.get(mirror["target"]) or {}
        platform = target.get("kafka_dr_mirror_platform") or target.get("kafka_dr_platform")
        yield from _undescribed_place(mirror, target, platform)
        if isinstance(platform, str) and mirror_on_machines(target):
            nodes = target.get("kafka_dr_mirror_hosts") or [mirror["target"]]
            yield from _unknown_machines(mirror, target, hosts)
            yield from _missing_paths(mirror, nodes, target, hosts, platform)
            yield from _rest(mirror, nodes, target, hosts, platform)


def _undescribed_place(mirror: dict, target: dict, platform: object) -> c.Iterator[Mistake]:
    about = about_of(mirror)
    if platform == "connect" and not target.get("kafka_dr_connect"):
        yield Mistake(
            f"{mirror['target']}: kafka_dr_connect",
            f"the Connect cluster that runs {mirror['name']}",
            "nothing",
            "Give its urls",
            about,
        )
    if platform == "deployment" and not target.get("kafka_dr_mirror_deployment"):
        yield Mistake(
            f"{mirror['target']}: kafka_dr_mirror_deployment",
            f"the Deployment of {mirror['name']}",
            "nothing",
            "Give image and namespace",
            about,
        )


def _unknown_machines(mirror: dict, target: dict, hosts: HOSTS) -> c.Iterator[Mistake]:
    for at, machine in enumerate(target.get("kafka_dr_mirror_hosts") or []):
        if machine not in hosts:
            yield Mistake(
                f"{mirror['target']}: kafka_dr_mirror_hosts[{at}]",
                "a host of the inventory",
                found(machine),
                "Add it, or correct the name",
                about_of(mirror),
            )


def _missing_paths(mirror: dict, nodes: list, target: dict, hosts: HOSTS, platform: object) -> c.Iterator[Mistake]:
    paths = ("kafka_dr_mirror_directory", "kafka_dr_kafka_home")
    for variable in paths[:1] if platform == "connect" else paths:
        lacking = [
            node for node in nodes if node in hosts and not hosts[node].get(variable) and not target.get(variable)
        ]
        if lacking:
            yield Mistake(
                f"{mirror['target']}: {variable}",
                f"a path on {', '.join(lacking)}, which runs the mirror {mirror['name']}",
                "nothing",
                "Give it for the region, or for the host",
                about_of(mirror),
            )


def _rest(mirror: dict, nodes: list, target: dict, hosts: HOSTS, platform: object) -> c.Iterator[Mistake]:
    """Nodes of one mirror ask each other over plain HTTP; on loopback that is their own affair."""
    if platform == "connect" or mirror.get("exactly_once", True) is False or target.get("kafka_dr_mirror_rest_open"):
        return
    heard = {
        node: (hosts.get(node) or {}).get("kafka_dr_mirror_rest_host") or target.get("kafka_dr_mirror_rest_host")
        for node in nodes
    }
    outside = [node for node, address in heard.items() if not is_loopback(address) and (len(nodes) > 1 or address)]
    if outside:
        yield Mistake(
            f"{mirror['target']}: kafka_dr_mirror_rest_open",
            f"the reason why others may reach the REST interface of mirror {mirror['name']}",
            f"nothing, and nodes that listen without TLS on {', '.join(outside)}",
            "Let nobody but the nodes reach that port (firewall, or a tunnel and kafka_dr_mirror_rest_host on "
            "loopback), and say so in "
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
