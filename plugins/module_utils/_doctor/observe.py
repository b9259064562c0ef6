# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything the examination needs, read once, plus a second look after some seconds to see what moves. Nothing is
written.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

from .._errors import KafkaDrError
from .._kafka.client import KafkaClient
from .._kafka.groups import describe_groups, group_positions, list_groups
from .._kafka.mm2_topics import read_checkpoints, read_offset_syncs, read_task_states
from .._kafka.offsets import topic_offsets
from .._kafka.topics import describe_topics, effective_configs
from .._mm2.mirror_config import TRANSIENT_GROUPS
from .._mm2.names import MirrorNames, check_names, compile_filter, status_topic
from .._positions.mirror_progress import mirror_progress
from .._watch.health import standing_proof

CONFIGS = (
    "cleanup.policy",
    "retention.ms",
    "retention.bytes",
    "max.message.bytes",
    "message.timestamp.type",
    "min.insync.replicas",
    "message.timestamp.before.max.ms",
    "message.timestamp.after.max.ms",
)


class Observation:
    """What was seen. A part that could not be read is None (or empty), and ``problems`` says why.

    :ivar mirror: two results of :func:`mirror_progress`, some seconds apart.
    :ivar source, target: ``{topics{name: {id, partitions, replication_factor, configs}}, offsets: (first, second),
        positions{group: {(topic, partition): offset}}, members{group: {state, members}}, brokers}``, or None.
    :ivar tasks: ``[{connector, task (None for the connector itself), state, trace, worker}]``, or None where there is
        no status topic.
    :ivar watch: what the watch says of itself, None where it never ended a round; ``watch_read`` whether it was asked
        for, and ``watch_unreadable`` why it cannot be read.
    :ivar one_cluster: the cluster's id where source and target are one; nothing else is read then.
    :ivar problems: ``[(what, KafkaDrError)]``.
    """

    def __init__(self, names: MirrorNames) -> None:
        self.names = names
        self.mirror: list[dict[str, Any]] = []
        self.source: dict[str, Any] | None = None
        self.target: dict[str, Any] | None = None
        self.syncs: list[Any] | None = None
        self.checkpoints: list[Any] | None = None
        self.tasks: list[dict[str, Any]] | None = None
        self.syncs_at_source = False
        self.one_cluster = ""
        self.watch: dict[str, Any] | None = None
        self.watch_unreadable: str | None = None
        self.watch_read = False
        self.problems: list[tuple[str, KafkaDrError]] = []

    def attempt(self, what: str, read: Callable[[], Any], default: Any = None) -> Any:
        """The answer, or the default with the problem noted."""
        try:
            return read()
        except KafkaDrError as error:
            self.problems.append((what, error))
            return default


def observe(params: dict[str, Any]) -> Observation:
    """An :class:`Observation` of the mirror that ``params`` (``MIRROR_SPEC`` and the doctor's own) describe."""
    names = check_names(
        MirrorNames(params["source_alias"], params["target_alias"], params["policy"], params["separator"])
    )
    seen = Observation(names)
    target = _connect(seen, params, "target", names.target)
    source = _connect(seen, params, "source", names.source) if params["source_client"] else None
    matches = compile_filter(params["topics"], params["topics_exclude"])
    groups = compile_filter(params["groups"], list(params["groups_exclude"] or TRANSIENT_GROUPS), "groups")
    if target is None:
        return seen
    if source and _cluster_id(seen, source) == (target_id := _cluster_id(seen, target)) and target_id:
        seen.one_cluster = target_id
        return seen

    def wanted(topic: str) -> bool:
        return matches(topic) and names.is_data(topic)

    asked = {**params, "source_client": params["source_client"] if source else None, "details": False}
    began = time.monotonic()
    _look(seen, asked, source, target, wanted)
    seen.syncs = seen.attempt("offset syncs", lambda: read_offset_syncs(target, names.offset_syncs))
    seen.checkpoints = seen.attempt("checkpoints", lambda: read_checkpoints(target, names.checkpoints))
    _watch(seen, params, target)
    status = params["status_topic"] or status_topic(names.source)
    seen.tasks = seen.attempt("task states", lambda: read_task_states(target, status))
    for side, client in (("source", source), ("target", target)):
        if client and getattr(seen, side):
            _groups(seen, side, client, groups)
    if source:
        reverse = MirrorNames(names.target, names.source, names.policy, names.separator)
        seen.syncs_at_source = bool(
            seen.attempt("topics of the source", lambda: describe_topics(source, [reverse.offset_syncs]), {})
        )
    time.sleep(max(0.0, params["watch_seconds"] - (time.monotonic() - began)))
    _look(seen, asked, source, target, wanted)
    return seen


def _watch(seen: Observation, params: dict[str, Any], target: KafkaClient) -> None:
    if not params.get("watch"):
        return

    seen.watch, seen.watch_unreadable = standing_proof(target, params["watch"])
    seen.watch_read = True


def _connect(seen: Observation, params: dict[str, Any], side: str, name: str) -> KafkaClient | None:
    def ask() -> KafkaClient:
        client = KafkaClient(params[side + "_client"], params[side + "_client_secrets"], params["timeout"], name)
        client.metadata()
        return client

    return seen.attempt(f"cluster {name}", ask)


def _cluster_id(seen: Observation, client: KafkaClient) -> str:
    """Empty where it is not known; a proxy may hide it."""
    return seen.attempt(f"cluster {client.name}", lambda: client.metadata().cluster_id) or ""


def _look(
    seen: Observation,
    asked: dict[str, Any],
    source: KafkaClient | None,
    target: KafkaClient,
    wanted: Callable[[str], bool],
) -> None:
    result = seen.attempt("source offsets", lambda: mirror_progress(asked))
    if result:
        seen.mirror.append(result)
    for side, client, keep in (
        ("source", source, wanted),
        ("target", target, lambda name: wanted(seen.names.original_of(name) or "\0")),
    ):
        if client:
            read = seen.attempt(
                f"topics of {client.name}", functools.partial(_topics, client, keep, getattr(seen, side))
            )
            if read:
                setattr(seen, side, read)


def _topics(client: KafkaClient, keep: Callable[[str], bool], before: dict[str, Any] | None) -> dict[str, Any]:
    metadata = client.metadata()
    names = sorted(name for name in metadata.topics if keep(name))
    topics: dict[str, Any] = before["topics"] if before else dict(describe_topics(client, names))
    offsets = topic_offsets(client, {name: topic["partitions"] for name, topic in topics.items()})
    if before:
        return {**before, "offsets": before["offsets"] + (offsets,)}
    for name, configs in effective_configs(client, list(topics), CONFIGS).items():
        topics[name]["configs"] = configs
    return {"topics": topics, "offsets": (offsets,), "brokers": len(metadata.brokers), "positions": {}, "members": {}}


def _groups(seen: Observation, side: str, client: KafkaClient, wanted: Callable[[str], bool]) -> None:
    names = [name for name in seen.attempt(f"groups of {client.name}", lambda: list_groups(client), []) if wanted(name)]
    view = getattr(seen, side)
    view["members"] = seen.attempt(
        f"members of groups of {client.name}", lambda: describe_groups(client, names, True), {}
    )
    view["positions"] = seen.attempt(
        f"positions of groups of {client.name}", lambda: group_positions(client, names), {}
    )
