# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Names of MirrorMaker 2's topics and of the copies it makes.

Sources: ``DefaultReplicationPolicy``, ``IdentityReplicationPolicy`` (heartbeats keep the prefix even there), KIP-716 (offset-syncs on the target).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .._errors import UsageError

POLICIES = ("identity", "default")


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

    def copy_of(self, topic):
        """The target's name for a topic of the source."""
        return topic if self.policy == "identity" else "%s%s%s" % (self.source, self.separator, topic)

    def original_of(self, topic):
        """The source's name for a topic of the target; None if it is no copy of the source's."""
        if self.policy == "identity":
            return topic
        prefix = "%s%s" % (self.source, self.separator)
        return topic[len(prefix):] if topic.startswith(prefix) and len(topic) > len(prefix) else None

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
        return "%s%sheartbeats" % (self.source, self.separator)

    @property
    def heartbeats_emitted(self):
        """Heartbeats that the mirror itself writes into the target."""
        return "heartbeats"


def check_names(names):
    """The same names, or a :class:`UsageError`."""
    if names.policy not in POLICIES:
        raise UsageError("Replication policy %r is not known here" % names.policy, expected=" or ".join(POLICIES))
    if not names.source or not names.target or names.source == names.target:
        raise UsageError("A mirror needs two different aliases", found="%r and %r" % (names.source, names.target))
    return names


_INTERNAL = re.compile(r"(__.*|.*[.-]internal|mm2-.*|(.*[._-])?heartbeats)")


def is_internal(topic):
    """True for Kafka's, Connect's and MM2's own topics, which are never user data."""
    return _INTERNAL.fullmatch(topic) is not None


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
