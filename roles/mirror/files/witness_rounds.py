# SPDX-License-Identifier: GPL-3.0-or-later
"""The rounds of the position witness: what is asked, and what is written because of it."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, field

try:
    import witness
    from askable import is_askable
except ImportError:
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import witness
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.askable import is_askable

from confluent_kafka import KafkaException
from witness_source import Offsets, Source
from witness_topic import Row, Target

# All groups are written again this often, so that a reader need not go further back and the topic's compaction keeps
# up.
SNAPSHOT_SECONDS = 300


class AnotherClusterError(Exception):
    """At the source's address another cluster answers."""


class AnotherMirrorError(Exception):
    """The topic holds what another mirror's witness wrote."""


@dataclass
class State:
    """What the topic says, or is about to say. ``ids``: topic id, and when this id was first seen in another's place,
    as ``cluster_since`` for the cluster; ``others`` and ``beside``: with the time when they were listed; None where
    nobody could list them. ``texts``: what groups committed with their positions.
    """

    groups: dict[str, Offsets]
    ends: Offsets | None = None
    further: Offsets | None = None
    ids: dict[str, tuple[str, int]] = field(default_factory=dict)
    cluster: str | None = None
    cluster_since: int = 0
    others: tuple[int, list[str]] | None = None
    beside: dict[str, tuple[int, Offsets]] = field(default_factory=dict)
    texts: dict[str, dict[str, dict[int, str]]] = field(default_factory=dict)


class Witness:
    """What was written last, and what is to be written next.

    :param cluster: the id of the cluster to be watched; empty where the one that was watched before, or that answers
        first, is.
    :param mirror: whose witness it is, as :func:`witness.owner` says it; empty where that is not known.
    :param succeeds: mirrors whose place this one takes, and their records' with it.
    """

    def __init__(
        self, source: Source, target: Target, cluster: str = "", mirror: str = "", succeeds: Collection[str] = ()
    ) -> None:
        self.source, self.target, self.cluster_named = source, target, cluster
        self.mirror, self.succeeds = mirror, succeeds
        self.state: State | None = None
        self.since, self.whole_at = 0, float("-inf")

    def round(self) -> None:
        """Ask once and write what changed; nothing counts as written unless all of it was acknowledged.

        :raises AnotherMirrorError: the topic is another mirror's; nothing was written.
        """
        if self.state is None:
            self.state = self._remembered()
        at = int(time.time() * 1000)
        whole = time.monotonic() - self.whole_at >= SNAPSHOT_SECONDS
        try:
            now = self._ask(self.state, at, whole)
        except Exception:
            self.source.connect()
            raise
        since = self.target.end() if whole else self.since
        rows = _rows(self.state, now, at, whole, self.mirror)
        changed = sum(whole or _moved(self.state, now, name) for name in now.groups)
        rows.append(witness.encode_round(at, since, len(now.groups), changed, self.mirror))
        self._write(rows)
        # Topics that are gone are asked for again, since they may come back as others.
        now.ids = {**self.state.ids, **now.ids}
        self.state, self.since = now, since
        if whole:
            self.whole_at = time.monotonic()

    def _remembered(self) -> State:
        """What an earlier run wrote, so that what went or was re-created meanwhile is seen."""
        known = self.target.known()
        if witness.is_others(known["mirror"], self.mirror) and known["mirror"] not in self.succeeds:
            raise AnotherMirrorError(
                f"the topic {self.target.topic} holds positions of mirror {known['mirror']}, expected those of mirror "
                f"{self.mirror} or none; nothing was written. Set positions_topic of one of the two mirrors in "
                "kafka_dr_mirrors to a topic of its own"
            )
        groups = {name: group for name, group in known["groups"].items() if is_askable(name)}
        watched = {name for name in groups if self.source.watches(name)}
        return State(
            groups={name: groups[name]["positions"] for name in watched},
            ids={name: (topic["id"], topic["recreated"]) for name, topic in known["topics"].items()},
            cluster=known["cluster"],
            cluster_since=known["cluster_since"],
            others=None if known["others"] is None else (known["others_at"], known["others"]),
            beside={name: (group["at"], group["positions"]) for name, group in groups.items() if name not in watched},
            texts={name: group.get("metadata", {}) for name, group in groups.items()},
        )

    def _ask(self, before: State, at: int, whole: bool) -> State:
        """What the source says now. :raises AnotherClusterError: it is another cluster."""
        # An empty cluster takes its time for questions about groups.
        self._recognised(self.source.cluster(), before)
        listed = self.source.groups()
        groups = self._positions(listed, before)
        ends, further = self.source.ends()
        # A topic that is made again takes the groups' positions with it, so that those known before are looked at too;
        # and what was copied of a topic that no group reads says nothing about the next one of its name.
        topics = self.source.topic_ids(
            {topic for positions in groups.values() for topic in positions} | set(ends) | set(before.ids)
        )
        ids = {
            topic: (topic_id, witness.recreated_at(topic_id, at, before.ids.get(topic)))
            for topic, topic_id in topics.items()
        }
        beside, others = self._listed_beside(listed, at) if whole else (None, None)
        # And asked last: whatever answered before it was this cluster, or one that was there before.
        cluster = self._recognised(self.source.cluster(), before)
        return State(
            groups,
            ends,
            further,
            ids,
            cluster,
            at if before.cluster and cluster and cluster != before.cluster else before.cluster_since,
            before.others if others is None else (at, others),
            before.beside if beside is None else beside,
            {name: texts for name, texts in self.source.texts.items() if texts},
        )

    def _positions(self, listed: list[str], before: State) -> dict[str, Offsets]:
        """Positions of all groups that are watched.

        A broker whose coordinator goes, or is not loaded yet, lists its groups as none and calls that no error. So a
        group is gone only where its coordinator, asked for its positions, has none.
        """
        names = [name for name in listed if self.source.watches(name)]
        missed = sorted(name for name in before.groups if name not in set(names) and self.source.watches(name))
        self.source.ask_coordinators(missed)
        found = self.source.positions(names + missed)
        return {name: positions for name, positions in found.items() if positions or name not in missed}

    def _listed_beside(
        self, listed: list[str], at: int
    ) -> tuple[dict[str, tuple[int, Offsets]] | None, list[str] | None]:
        """Who else there is, for a stage to name: positions of groups that are not watched, and groups that are no
        consumer groups; each None where it is not answered, for which the groups that are watched do not wait.
        """
        beside: dict[str, tuple[int, Offsets]] | None = None
        try:
            found = self.source.positions(self.source.beside(listed))
            beside = {name: (at, positions) for name, positions in found.items() if positions}
        except KafkaException:
            pass
        return beside, self.source.others(listed)

    def _recognised(self, cluster: str, before: State) -> str:
        """The id of the cluster that answers. :raises AnotherClusterError: it is not the one that is watched."""
        expected = self.cluster_named or before.cluster
        if expected and cluster and cluster != expected:
            raise AnotherClusterError(
                f"cluster {cluster} answers in the place of {expected}, whose positions stay as they are; the stage "
                "that starts a mirror of the new one begins anew, and so does source_cluster in the configuration"
            )
        return cluster

    def _write(self, rows: list[Row]) -> None:
        try:
            self.target.write(rows)
        except Exception:
            self.whole_at = float("-inf")  # what arrived is not known, so everything is written again
            self.target.connect()
            raise


def _moved(before: State, now: State, name: str) -> bool:
    """Whether a group committed something else since."""
    return (before.groups.get(name), before.texts.get(name) or {}) != (now.groups[name], now.texts.get(name) or {})


def _rows(before: State, now: State, at: int, whole: bool, mirror: str) -> list[Row]:
    """The records that bring the topic from one state to the next; all of them at a whole snapshot."""
    rows = [
        witness.encode_topic(topic, at, *identity)
        for topic, identity in now.ids.items()
        if whole or before.ids.get(topic) != identity
    ]
    rows += [
        witness.encode_group(name, at, positions, metadata=now.texts.get(name))
        for name, positions in now.groups.items()
        if whole or _moved(before, now, name)
    ]
    rows += [witness.encode_group(name, at, None) for name in before.groups if name not in now.groups]
    if whole:
        rows += [witness.encode_group(name, *seen, True, now.texts.get(name)) for name, seen in now.beside.items()]
    if whole or (now.ends, now.further) != (before.ends, before.further):
        rows.append(witness.encode_ends(at, now.ends, now.further))
    if now.cluster and (whole or now.cluster != before.cluster):
        rows.append(witness.encode_cluster(at, now.cluster, now.cluster_since, mirror))
    if whole and now.others is not None:
        rows.append(witness.encode_others(*now.others))
    return rows
