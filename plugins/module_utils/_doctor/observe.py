# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Everything the examination needs, read once, plus a second look after some seconds to see what moves. Nothing is written."""

from __future__ import annotations

import json
import time

from .._errors import KafkaDrError
from .._kafka.client import KafkaClient
from .._kafka.cluster import describe_topics, topic_offsets
from .._kafka.effective import effective_configs
from .._kafka.groups import group_members, group_positions, list_groups
from .._kafka.mm2_topics import read_checkpoints, read_offset_syncs, read_rows
from .._mirror_offsets import mirror_offsets
from .._mm2.mirror_config import TRANSIENT_GROUPS
from .._mm2.names import MirrorNames, check_names, compile_filter, status_topic

CONFIGS = ("cleanup.policy", "retention.ms", "retention.bytes", "max.message.bytes", "message.timestamp.type", "min.insync.replicas",
           "message.timestamp.before.max.ms", "message.timestamp.after.max.ms")


class Observation:
    """What was seen. A part that could not be read is None (or empty), and ``problems`` says why.

    :ivar mirror: two results of ``mirror_offsets``, some seconds apart.
    :ivar source, target: ``{topics{name: {id, partitions, replication_factor, configs}}, offsets: (first, second), positions{group: {(topic, partition):
        offset}}, members{group: {state, members}}, brokers}``, or None.
    :ivar tasks: ``[{connector, task (None for the connector itself), state, trace, worker}]``, or None where there is no status topic.
    :ivar problems: ``[(what, KafkaDrError)]``.
    """

    def __init__(self, names):
        self.names = names
        self.mirror, self.source, self.target = [], None, None
        self.syncs = self.checkpoints = self.tasks = None
        self.syncs_at_source = False
        self.problems = []

    def attempt(self, what, read, default=None):
        """The answer, or the default with the problem noted."""
        try:
            return read()
        except KafkaDrError as error:
            self.problems.append((what, error))
            return default


def observe(params):
    """An :class:`Observation` of the mirror that ``params`` (``MIRROR_SPEC`` and the doctor's own) describe."""
    names = check_names(MirrorNames(params["source_alias"], params["target_alias"], params["policy"], params["separator"]))
    seen = Observation(names)
    target = _connect(seen, params, "target", names.target)
    source = _connect(seen, params, "source", names.source) if params["source_client"] else None
    matches = compile_filter(params["topics"], params["topics_exclude"])
    groups = compile_filter(params["groups"], list(params["groups_exclude"] or TRANSIENT_GROUPS), "groups")
    if target is None:
        return seen

    def wanted(topic):
        return matches(topic) and names.is_data(topic)

    asked = {**params, "source_client": params["source_client"] if source else None, "until_caught_up": False, "until_heartbeat": False,
             "until_witness": False, "details": False}
    began = time.monotonic()
    _look(seen, asked, source, target, wanted)
    seen.syncs = seen.attempt("offset syncs", lambda: read_offset_syncs(target, names.offset_syncs))
    seen.checkpoints = seen.attempt("checkpoints", lambda: read_checkpoints(target, names.checkpoints))
    status = params["status_topic"] or status_topic(names.source)
    seen.tasks = seen.attempt("task states", lambda: task_states(target, status))
    for side, client in (("source", source), ("target", target)):
        if getattr(seen, side):
            _groups(seen, side, client, groups)
    if source:
        seen.syncs_at_source = bool(seen.attempt("topics of the source", lambda: describe_topics(
            source, [MirrorNames(names.target, names.source, names.policy, names.separator).offset_syncs]), {}))
    time.sleep(max(0.0, params["watch_seconds"] - (time.monotonic() - began)))
    _look(seen, asked, source, target, wanted)
    return seen


def _connect(seen, params, side, name):
    def ask():
        client = KafkaClient(params[side + "_client"], params[side + "_client_secrets"], params["timeout"], name)
        client.metadata()
        return client

    return seen.attempt("cluster %s" % name, ask)


def _look(seen, asked, source, target, wanted):
    result = seen.attempt("source offsets", lambda: mirror_offsets(asked, False))
    if result:
        seen.mirror.append(result)
    for side, client, keep in (("source", source, wanted), ("target", target, lambda name: wanted(seen.names.original_of(name) or "\0"))):
        if client:
            read = seen.attempt("topics of %s" % client.name, lambda c=client, k=keep, s=side: _topics(c, k, getattr(seen, s)))
            if read:
                setattr(seen, side, read)


def _topics(client, keep, before):
    metadata = client.metadata()
    names = sorted(name for name in metadata.topics if keep(name))
    topics = before["topics"] if before else describe_topics(client, names)
    offsets = topic_offsets(client, {name: one["partitions"] for name, one in topics.items()})
    if before:
        return {**before, "offsets": before["offsets"] + (offsets,)}
    for name, configs in effective_configs(client, list(topics), CONFIGS).items():
        topics[name]["configs"] = configs
    return {"topics": topics, "offsets": (offsets,), "brokers": len(metadata.brokers), "positions": {}, "members": {}}


def _groups(seen, side, client, wanted):
    names = [name for name in seen.attempt("groups of %s" % client.name, lambda: list_groups(client), []) if wanted(name)]
    view = getattr(seen, side)
    view["members"] = seen.attempt("members of groups of %s" % client.name, lambda: group_members(client, names), {})
    view["positions"] = seen.attempt("positions of groups of %s" % client.name, lambda: group_positions(client, names), {})


def task_states(client, topic):
    """States of connectors and tasks as Connect keeps them (``KafkaStatusBackingStore``); None where the topic does not exist."""
    rows = read_rows(client, topic, _decode_status)
    if rows is None:
        return None
    last = {}
    for row in rows:
        last[(row.value["connector"], row.value["task"])] = row.value
    return [one for dummy, one in sorted(last.items(), key=lambda item: (item[0][0], -1 if item[0][1] is None else item[0][1]))
            if one["state"] not in (None, "DESTROYED")]


def _decode_status(key, value):
    words = (key or b"").decode("utf-8", "replace")
    for prefix, is_task in (("status-task-", True), ("status-connector-", False)):
        if words.startswith(prefix):
            name = words[len(prefix):]
            connector, number = name.rpartition("-")[::2] if is_task else (name, "")
            if is_task and not number.isdigit():
                return None
            try:
                state = json.loads(value) if value else {}
            except ValueError:
                state = {}
            return {"connector": connector, "task": int(number) if is_task else None, "state": state.get("state"), "trace": state.get("trace"),
                    "worker": state.get("worker_id")}
    return None
