# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Bring topics to a described state: created, more partitions, configs, deleted."""

from __future__ import annotations

import time

try:
    from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, NewPartitions, NewTopic, ResourceType
except ImportError:
    pass

from .._errors import RefusedError, TimedOutError, UsageError
from .._setting import setting
from .cluster import describe_topics, topic_configs


def described(topics):
    """The wanted topics as ``{name: {partitions, replication_factor, configs}}``, values of configs as text."""
    wanted = {}
    for one in topics:
        name = one.get("name")
        if not name:
            raise UsageError("A topic has no name", found=str(one))
        configs = {key: setting(value) for key, value in (one.get("configs") or {}).items()}
        wanted[name] = {"partitions": one.get("partitions"), "replication_factor": one.get("replication_factor"), "configs": configs}
    return wanted


def ensure_topics(client, topics, state, check_mode):
    """Create, widen, reconfigure or delete topics, and wait until the cluster shows it.

    Configs that are not named are left alone; a value of None removes one. Partitions are never reduced.

    :param topics: ``[{name, partitions, replication_factor, configs}]``.
    :param state: ``present`` or ``absent``.
    :returns: ``changed``, ``created``, ``altered``, ``deleted``, ``topics`` (as they are now) and ``diff``.
    """
    wanted = described(topics)
    client.metadata()
    before = _current(client, wanted)
    if state == "absent":
        doomed = sorted(before)
        if doomed and not check_mode:
            futures = client.ask("delete topics", lambda: client.admin.delete_topics(doomed, request_timeout=client.timeout, operation_timeout=client.timeout))
            for name, future in futures.items():
                client.result(future, "delete topic '%s'" % name)
            await_topics(client, doomed, present=False)
        return {"changed": bool(doomed), "created": [], "altered": [], "deleted": doomed, "topics": {}, "diff": _diff(before, {})}
    plan = _plan(wanted, before)
    after = {name: dict(one) for name, one in before.items()}
    for name, one in wanted.items():
        kept = after.get(name, {"partitions": one["partitions"] or 1, "configs": {}})
        configs = {**kept["configs"], **{key: value for key, value in one["configs"].items() if value != "None"}}
        for key, value in one["configs"].items():
            if value == "None":
                configs.pop(key, None)
        after[name] = {"partitions": max(one["partitions"] or 1, kept["partitions"]), "configs": configs}
    if not check_mode:
        _create(client, plan["create"], wanted)
        _widen(client, plan["widen"])
        _configure(client, plan["configure"])
    now = describe_topics(client, list(wanted))
    return {
        "changed": any(plan.values()), "created": sorted(plan["create"]), "altered": sorted(set(plan["widen"]) | set(plan["configure"])), "deleted": [],
        "topics": now, "diff": _diff(before, after),
    }


def _current(client, names):
    found = describe_topics(client, list(names))
    configs = topic_configs(client, list(found))
    return {name: {"partitions": one["partitions"], "configs": configs[name]} for name, one in found.items()}


def _plan(wanted, before):
    plan = {"create": [], "widen": {}, "configure": {}}
    for name, one in wanted.items():
        if name not in before:
            plan["create"].append(name)
            continue
        has = before[name]
        if one["partitions"] and has["partitions"] > one["partitions"]:
            raise RefusedError("Topic '%s' has more partitions than described" % name, expected=one["partitions"], found=has["partitions"],
                               remedy="Partitions cannot be taken away; correct the description")
        if one["partitions"] and has["partitions"] < one["partitions"]:
            plan["widen"][name] = one["partitions"]
        changes = {key: value for key, value in one["configs"].items() if (has["configs"].get(key) or "None") != value}
        if changes:
            plan["configure"][name] = changes
    return plan


def _create(client, names, wanted):
    if not names:
        return
    made = []
    for name in names:
        one = wanted[name]
        configs = {key: value for key, value in one["configs"].items() if value != "None"}
        made.append(NewTopic(name, num_partitions=one["partitions"] or -1, replication_factor=one["replication_factor"] or -1, config=configs))
    futures = client.ask("create topics", lambda: client.admin.create_topics(made, request_timeout=client.timeout, operation_timeout=client.timeout))
    for name, future in futures.items():
        client.result(future, "create topic '%s'" % name)
    await_topics(client, names, present=True)


def _widen(client, partitions):
    if not partitions:
        return
    asked = [NewPartitions(name, count) for name, count in partitions.items()]
    for name, future in client.ask("add partitions", lambda: client.admin.create_partitions(asked)).items():
        client.result(future, "add partitions to topic '%s'" % name)


def _configure(client, changes):
    if not changes:
        return
    resources = []
    for name, configs in changes.items():
        entries = [
            ConfigEntry(key, None if value == "None" else value,
                        incremental_operation=AlterConfigOpType.DELETE if value == "None" else AlterConfigOpType.SET)
            for key, value in configs.items()
        ]
        resources.append(ConfigResource(ResourceType.TOPIC, name, incremental_configs=entries))
    futures = client.ask("alter topic configs", lambda: client.admin.incremental_alter_configs(resources, request_timeout=client.timeout))
    for resource, future in futures.items():
        client.result(future, "alter the configs of topic '%s'" % resource.name)


def await_topics(client, names, present):
    """Wait until the cluster shows that these topics are there, or are not. :raises TimedOutError: it does not within the client's time."""
    end = time.monotonic() + client.timeout
    while True:
        there = set(describe_topics(client, names))
        missing = [name for name in names if (name in there) != present]
        if not missing:
            return
        if time.monotonic() > end:
            raise TimedOutError("%s has not %s %d topics after %s s" % (client.name, "created" if present else "deleted", len(missing), client.timeout),
                                found=", ".join(missing[:5]), remedy="Look at the controller's log and run this again")
        time.sleep(0.1)


def _diff(before, after):
    return {"before": before, "after": after}
