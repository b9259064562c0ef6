# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The nodes of a dedicated MirrorMaker 2: how each is started, and whether they work together."""

from __future__ import annotations

from ._doctor.observe import task_states
from ._errors import UsageError
from ._kafka.client import KafkaClient
from ._kafka.groups import workers_of
from ._mm2.command import mirror_maker_command
from ._mm2.names import status_topic, workers_group
from ._safe import file_name

LOOPBACK = "127.0.0.1"


def mirror_node(mirror, regions, host):
    """What one host needs to know to run a mirror; a ``kafka_dr_mirror_…`` variable of the host wins over the same of the target region.

    :param regions: hostvars.
    :returns: ``host, hosts[], directory, rest_host, rest_port, user, python, command, metrics`` (None, or ``{jar, host, port}``).
    :raises UsageError: a variable is missing; the message names it.
    """
    target, own = regions[mirror["target"]], regions[host]
    hosts = list(target.get("kafka_dr_mirror_hosts") or [mirror["target"]])

    def of(name, default=None):
        found = own.get("kafka_dr_" + name)
        found = target.get("kafka_dr_" + name) if found is None else found
        return default if found is None else found

    # On an existing Connect cluster the host has the witness and the secrets only.
    needed = ("mirror_directory",) if of("mirror_platform") == "connect" else ("mirror_directory", "kafka_home")
    missing = ["kafka_dr_" + name for name in needed if not of(name)]
    if missing:
        raise UsageError("Host '%s' cannot run mirror '%s'" % (host, mirror["name"]), expected=" and ".join(missing), found="nothing",
                         remedy="Set it for region %s, or for the host" % mirror["target"])
    # Below this directory its files are, which are removed with it.
    directory = "%s/%s" % (of("mirror_directory"), file_name("a mirror", mirror["name"]))
    metrics = _metrics(of("mirror_metrics"), host)
    agent = "%s=%s:%s:%s/metrics.yml" % (metrics["jar"], metrics["host"], metrics["port"], directory) if metrics else None
    command = mirror_maker_command(of("kafka_home"), "%s/mm2.properties" % directory, str(of("java", "java")), str(of("mirror_heap", "1g")),
                                   [str(of("java_options"))] if of("java_options") else [], agent)
    return {
        "host": host, "hosts": hosts, "directory": directory, "user": of("mirror_user", ""), "python": of("python"),
        # With exactly-once the nodes ask each other (KIP-710); one alone asks nobody.
        "rest_host": of("mirror_rest_host") or (LOOPBACK if len(hosts) == 1 else own.get("ansible_host") or host),
        "rest_port": of("mirror_rest_port", 8083), "metrics": metrics, "command": " ".join(command),
    }


def _metrics(described, host):
    if not described:
        return None
    unknown = sorted(set(described) - {"jar", "host", "port"})
    if unknown or not described.get("jar"):
        raise UsageError("kafka_dr_mirror_metrics of host '%s' cannot be used" % host, expected="jar, and if wanted host and port",
                         found=", ".join(unknown) or "no jar", remedy="Give the path of jmx_prometheus_javaagent on that host")
    return {"jar": described["jar"], "host": described.get("host") or LOOPBACK, "port": described.get("port") or 9404}


def nodes_info(params, check_mode):
    """The result of ``mirror_nodes_info``; reads only."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    group = workers_group(params["source_alias"])
    state, members = workers_of(client, group)
    tasks = task_states(client, params["status_topic"] or status_topic(params["source_alias"])) or []
    waiting = list(_missing(params, group, state, members, tasks))
    return {
        "changed": False, "group": group, "state": state, "members": members,
        "tasks": [{key: one[key] for key in ("connector", "task", "state", "worker")} for one in tasks],
        "ready": not waiting, "waiting_for": "; ".join(waiting),
    }


def _missing(params, group, state, members, tasks):
    if params["until_members"] and len(members) < params["until_members"]:
        yield "%d nodes in group %s, found %d" % (params["until_members"], group, len(members))
    if params["until_new_since"] and not set(members) - set(params["until_new_since"]):
        yield "the restarted node to join group %s" % group
    if params["until_working"]:
        if state != "Stable":
            yield "group %s to be stable, it is %s" % (group, state)
        idle = ["%s%s is %s" % (one["connector"], "" if one["task"] is None else " task %d" % one["task"], one["state"])
                for one in tasks if one["state"] != "RUNNING"]
        if idle:
            yield "every task to run: %s" % ", ".join(idle[:3])
        if not any(one["task"] is not None for one in tasks):
            yield "a first task"
