# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Names of MirrorMaker 2's topics and of the copies it makes: the one place that knows which topics a mirror copies, and under which names.

Equal to MirrorMaker 2's own classes (``DefaultReplicationPolicy``, ``IdentityReplicationPolicy``, ``DefaultTopicFilter``, ``MirrorSourceConnector``), which
a test asks about hundreds of names. Two of their rules surprise: a policy calls few topics internal, so that ``x.internal``, ``x-internal`` and ``mm2-x`` are
copied like any other; and the identity policy renames every topic whose name ends in ``heartbeats``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .._errors import UsageError

POLICIES = ("identity", "default")
HEARTBEATS = "heartbeats"


def workers_group(source):
    """The group of a dedicated mirror's workers, in the target (``MirrorMakerConfig.workerConfig``)."""
    return "%s-mm2" % source


def configs_topic(source):
    """Connect's topic with the settings of a dedicated mirror's connectors and tasks, in the target."""
    return "mm2-configs.%s.internal" % source


def status_topic(source):
    """Connect's topic with the states of a dedicated mirror's connectors and tasks, in the target."""
    return "mm2-status.%s.internal" % source


class MirrorNames(NamedTuple):
    """How one mirror names things on its target.

    :param internal_separator: False where ``replication.policy.internal.topic.separator.enabled`` is: internal topics keep the dot.
    """

    source: str
    target: str
    policy: str = "identity"
    separator: str = "."
    internal_separator: bool = True

    def _dot(self):
        return self.separator if self.internal_separator else "."

    def _prefix(self):
        return "%s%s" % (self.source, self.separator)

    def copy_of(self, topic):
        """The target's name for a topic of the source."""
        return topic if self.policy == "identity" and not topic.endswith(HEARTBEATS) else self._prefix() + topic

    def original_of(self, topic):
        """The source's name for a topic of the target; None if it is no copy of the source's."""
        if self.policy == "identity" and not topic.endswith(HEARTBEATS):
            return topic
        prefix = self._prefix()
        return topic[len(prefix):] if topic.startswith(prefix) and len(topic) > len(prefix) else None

    def topic_source(self, topic):
        """The alias that a policy reads out of a name; None if it reads none."""
        if self.policy == "identity" and not topic.endswith(HEARTBEATS):
            return self.source
        parts = topic.split(self.separator)
        while parts and not parts[-1]:  # as Java's Pattern.split has it
            parts.pop()
        return parts[0] if len(parts) > 1 else None

    def upstream_of(self, topic):
        """The name before the last mirror that a policy reads out of a name; None if there was none."""
        if self.policy == "identity" and not topic.endswith(HEARTBEATS):
            return topic
        alias = self.topic_source(topic)
        return None if alias is None else topic[len(alias) + len(self.separator):]

    def is_internal(self, topic):
        """True for what a policy never copies: Kafka's, Connect's and MirrorMaker 2's own topics."""
        dot = self._dot()
        return (topic.startswith(("__", ".")) or (topic.startswith("mm2") and topic.endswith(dot + "internal"))
                or topic.endswith("%scheckpoints%sinternal" % (dot, dot)))

    def is_heartbeats(self, topic):
        """True for what a policy takes for heartbeats, from wherever they came; they are copied whatever the patterns of the mirror say."""
        upstream = self.upstream_of(topic)
        return topic == HEARTBEATS if upstream in (None, topic) else self.is_heartbeats(upstream)

    def is_cycle(self, topic):
        """True for a topic that came from the target, and does not go back there."""
        if self.topic_source(topic) == self.target:
            return True
        upstream = self.upstream_of(topic)
        return upstream not in (None, topic) and self.is_cycle(upstream)

    def is_copied(self, topic, matches):
        """Whether MirrorMaker 2 copies a topic of the source.

        :param matches: a predicate on names as :func:`compile_filter` makes them from the mirror's patterns.
        """
        return (matches(topic) or self.is_heartbeats(topic)) and not self.is_internal(topic) and not self.is_cycle(topic)

    def is_data(self, topic):
        """Whether a topic of the source that the mirror's patterns match is users' data: neither internal, nor heartbeats, nor from the target."""
        return topic != HEARTBEATS and not self.is_internal(topic) and not self.is_cycle(topic)

    def data_pattern(self, include, exclude):
        """One regular expression for the whole names, on the source, of the users' topics that the mirror copies.

        :param include: expressions, any of which a name has to match. :param exclude: expressions, none of which it may match.
        """
        dot = re.escape(self._dot())
        never = ["__.*", r"\..*", "mm2.*%sinternal" % dot, ".*%scheckpoints%sinternal" % (dot, dot), HEARTBEATS]
        # A policy reads a name from the left, alias by alias; the identity policy reads only those that end in heartbeats.
        separator = re.escape(self.separator)
        came = r"(?:(?:(?!%s).)*%s)*%s%s(?!(?:%s)*\Z).+" % (separator, separator, re.escape(self.target), separator, separator)
        never.append(came if self.policy == "default" else r"(?=.*%s\Z)%s" % (HEARTBEATS, came))
        return r"(?!(?:%s)\Z)(?:%s)" % (_either([*never, *exclude]), _either(include))

    def copies_pattern(self, include, exclude):
        """As :meth:`data_pattern`, for the names of the copies on the target."""
        data, prefix = self.data_pattern(include, exclude), re.escape(self._prefix())
        if self.policy != "identity":
            return prefix + data
        return r"(?!.*%s\Z)%s|%s(?=.*%s\Z)%s" % (HEARTBEATS, data, prefix, HEARTBEATS, data)

    @property
    def offset_syncs(self):
        """On the target, as ``offset-syncs.topic.location=target`` has it: named after the source."""
        return "mm2-offset-syncs%s%s%sinternal" % (self._dot(), self.source, self._dot())

    @property
    def checkpoints(self):
        return "%s%scheckpoints%sinternal" % (self.source, self._dot(), self._dot())

    @property
    def source_offsets(self):
        """Connect's offset topic in dedicated mode, where the separator never applies (``MirrorMakerConfig``)."""
        return "mm2-offsets.%s.internal" % self.source

    @property
    def heartbeats_copied(self):
        """The source's heartbeats after they came through the mirror."""
        return self._prefix() + HEARTBEATS

    @property
    def heartbeats_emitted(self):
        """Heartbeats that the mirror itself writes into the target."""
        return HEARTBEATS


def check_names(names):
    """The same names, or a :class:`UsageError`."""
    if names.policy not in POLICIES:
        raise UsageError("Replication policy %r is not known here" % names.policy, expected=" or ".join(POLICIES))
    if not names.source or not names.target or names.source == names.target:
        raise UsageError("A mirror needs two different aliases", found="%r and %r" % (names.source, names.target))
    return names


_KAFKA = MirrorNames("", "", "default")


def is_own(topic):
    """True for what is nobody's data in any region, whatever its mirrors are called: internal topics, and heartbeats as they are emitted."""
    return topic == HEARTBEATS or _KAFKA.is_internal(topic)


def _either(expressions):
    return "|".join("(?:%s)" % one for one in expressions)


def compile_filter(include, exclude=None, what="topics"):
    """A predicate on names from regular expressions as MM2 takes them: alternatives separated by commas or bars, each matched whole."""
    try:
        wanted = [re.compile(part.strip()) for part in _parts(include)]
        unwanted = [re.compile(part.strip()) for part in _parts(exclude)]
    except re.error as error:
        raise UsageError("The expression for %s is not valid" % what, expected="a regular expression", found="%s in %r" % (error, error.pattern)) from error
    return lambda name: any(one.fullmatch(name) for one in wanted) and not any(one.fullmatch(name) for one in unwanted)


def _parts(expression):
    if not expression:
        return []
    if isinstance(expression, (list, tuple)):
        return [part for part in expression if part]
    parts, depth, current = [], 0, ""
    for letter in expression:  # a comma inside {2,3} or [,] separates nothing
        depth += letter in "{[("
        depth -= letter in "}])"
        if letter == "," and depth <= 0:
            parts.append(current)
            current = ""
        else:
            current += letter
    return [part for part in parts + [current] if part.strip()]
