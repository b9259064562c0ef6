# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of MirrorMaker 2's topics and of the copies it makes: the one place that knows which topics a mirror copies,
and under which names.

Equal to MirrorMaker 2's own classes (``DefaultReplicationPolicy``, ``IdentityReplicationPolicy``,
``DefaultTopicFilter``, ``MirrorSourceConnector``), which a test asks about hundreds of names. Two of their rules
surprise: a policy calls few topics internal, so that ``x.internal``, ``x-internal`` and ``mm2-x`` are copied like any
other; and the identity policy renames every topic whose name ends in ``heartbeats``.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .._errors import UsageError

POLICIES = ("identity", "default")
HEARTBEATS = "heartbeats"
# Numbers of groups change where patterns are joined.
GROUP_REFERENCE = re.compile(r"(?<!\\)(?:\\\\)*\\[1-9]|\(\?P=")
# Groups by name, comments, conditions, and the flags a and x (Java skips blanks in sets too).
PYTHONS_OWN = re.compile(r"(?<!\\)(?:\\\\)*\(\?(?:P<|#|\(|[a-z]*[ax][a-z]*[:)-])")
# What a brace may not stand in: escapes, and sets of characters.
ESCAPES_AND_SETS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
# Java refuses a brace that counts nothing; Python takes it for itself, or for a count from none.
NO_COUNT = re.compile(r"\{(?![0-9]+(?:,[0-9]*)?\})")
COUNTS = re.compile(r"[{,]([0-9]+)(?=[,}])")
LARGEST_COUNT = (1 << 31) - 1
# A bracket or an intersection in a set, and a backspace, which is no character there for Java.
IN_A_SET = re.compile(r"(?:^|[^\\])(?:\\\\)*(?:\[|&&|\\b)")
# Java wants digits after it, up to three of them; for Python it is the character of that number, of two digits.
OCTAL = re.compile(r"(?<!\\)(?:\\\\)*\\0(?:(?![0-7])|[0-3][0-7][0-7])")
# Python alone has the first, and Java takes the other for all that separates lines.
ESCAPES = re.compile(r"(?<!\\)(?:\\\\)*\\[Uv]")


def workers_group(source: str) -> str:
    """The group of a dedicated mirror's workers, in the target (``MirrorMakerConfig.workerConfig``)."""
    return f"{source}-mm2"


def configs_topic(source: str) -> str:
    """Connect's topic with the settings of a dedicated mirror's connectors and tasks, in the target."""
    return f"mm2-configs.{source}.internal"


def status_topic(source: str) -> str:
    """Connect's topic with the states of a dedicated mirror's connectors and tasks, in the target."""
    return f"mm2-status.{source}.internal"


class MirrorNames(NamedTuple):
    """How one mirror names things on its target.

    :param internal_separator: False where ``replication.policy.internal.topic.separator.enabled`` is: internal topics
        keep the dot.
    """

    source: str
    target: str
    policy: str = "identity"
    separator: str = "."
    internal_separator: bool = True

    def _dot(self) -> str:
        return self.separator if self.internal_separator else "."

    def _prefix(self) -> str:
        return f"{self.source}{self.separator}"

    def copy_of(self, topic: str) -> str:
        """The target's name for a topic of the source."""
        return topic if self.policy == "identity" and not topic.endswith(HEARTBEATS) else self._prefix() + topic

    def original_of(self, topic: str) -> str | None:
        """The source's name for a topic of the target; None if it is no copy of the source's."""
        if self.policy == "identity" and not topic.endswith(HEARTBEATS):
            return topic
        prefix = self._prefix()
        return topic[len(prefix) :] if topic.startswith(prefix) and len(topic) > len(prefix) else None

    def topic_source(self, topic: str) -> str | None:
        """The alias that a policy reads out of a name; None if it reads none."""
        if self.policy == "identity" and not topic.endswith(HEARTBEATS):
            return self.source
        parts = topic.split(self.separator)
        while parts and not parts[-1]:  # as Java's Pattern.split has it
            parts.pop()
        return parts[0] if len(parts) > 1 else None

    def upstream_of(self, topic: str) -> str | None:
        """The name before the last mirror that a policy reads out of a name; None if there was none."""
        if self.policy == "identity" and not topic.endswith(HEARTBEATS):
            return topic
        alias = self.topic_source(topic)
        return None if alias is None else topic[len(alias) + len(self.separator) :]

    def is_internal(self, topic: str) -> bool:
        """True for what a policy never copies: Kafka's, Connect's and MirrorMaker 2's own topics."""
        dot = self._dot()
        return (
            topic.startswith(("__", "."))
            or (topic.startswith("mm2") and topic.endswith(dot + "internal"))
            or topic.endswith(f"{dot}checkpoints{dot}internal")
        )

    def is_heartbeats(self, topic: str) -> bool:
        """True for what a policy takes for heartbeats, from wherever they came; they are copied whatever the patterns
        of the mirror say.
        """
        upstream = self.upstream_of(topic)
        return topic == HEARTBEATS if upstream in (None, topic) else self.is_heartbeats(upstream)

    def is_cycle(self, topic: str) -> bool:
        """True for a topic that came from the target, and does not go back there."""
        if self.topic_source(topic) == self.target:
            return True
        upstream = self.upstream_of(topic)
        return upstream not in (None, topic) and self.is_cycle(upstream)

    def is_data(self, topic: str) -> bool:
        """Whether a topic of the source that the mirror's patterns match is users' data: neither internal, nor
        heartbeats, nor from the target.
        """
        return topic != HEARTBEATS and not self.is_internal(topic) and not self.is_cycle(topic)

    def data_pattern(self, include: Any, exclude: Any) -> str:
        """One regular expression for the whole names, on the source, of the users' topics that the mirror copies.

        :param include: expressions, any of which a name has to match. :param exclude: expressions, none of which it may
            match.
        """
        dot = re.escape(self._dot())
        never = ["__.*", r"\..*", f"mm2.*{dot}internal", f".*{dot}checkpoints{dot}internal", HEARTBEATS]
        # A policy reads a name from the left, alias by alias; the identity policy reads only those that end in
        # heartbeats.
        separator = re.escape(self.separator)
        came = f"(?:(?:(?!{separator}).)*{separator})*{re.escape(self.target)}{separator}(?!(?:{separator})*\\Z).+"
        # It never reads an alias that holds the separator, and copies what seems to come from there.
        if f"{self.target}{self.separator}".find(self.separator) == len(self.target):
            never.append(came if self.policy == "default" else f"(?=.*{HEARTBEATS}\\Z){came}")
        return f"(?!(?:{_either([*never, *exclude])})\\Z)(?:{_either(include)})"

    def copies_pattern(self, include: Any, exclude: Any) -> str:
        """As :meth:`data_pattern`, for the names of the copies on the target."""
        data, prefix = self.data_pattern(include, exclude), re.escape(self._prefix())
        if self.policy != "identity":
            return prefix + data
        return f"(?!.*{HEARTBEATS}\\Z){data}|{prefix}(?=.*{HEARTBEATS}\\Z){data}"

    @property
    def offset_syncs(self) -> str:
        """On the target, as ``offset-syncs.topic.location=target`` has it: named after the source."""
        return f"mm2-offset-syncs{self._dot()}{self.source}{self._dot()}internal"

    @property
    def checkpoints(self) -> str:
        return f"{self.source}{self._dot()}checkpoints{self._dot()}internal"

    @property
    def source_offsets(self) -> str:
        """Connect's offset topic in dedicated mode, where the separator never applies (``MirrorMakerConfig``)."""
        return f"mm2-offsets.{self.source}.internal"

    @property
    def heartbeats_copied(self) -> str:
        """The source's heartbeats after they came through the mirror."""
        return self._prefix() + HEARTBEATS

    @property
    def heartbeats_emitted(self) -> str:
        """Heartbeats that the mirror itself writes into the target."""
        return HEARTBEATS


def check_names(names: MirrorNames) -> MirrorNames:
    """The same names, or a :class:`UsageError`."""
    if names.policy not in POLICIES:
        raise UsageError(f"Replication policy {names.policy!r} is not known here", expected=" or ".join(POLICIES))
    if not names.source or not names.target or names.source == names.target:
        raise UsageError("A mirror needs two different aliases", found=f"{names.source!r} and {names.target!r}")
    return names


_KAFKA = MirrorNames("", "", "default")
# How patterns begin that name all they leave out.
KNOWS_WHAT_IS_INTERNAL = (r"(?!(?:(?:__.*)|(?:\..*)|", r"(?!\Z)")
EVERY_TOPIC = r"(?!\Z).+"


def is_own(topic: str) -> bool:
    """True for what is nobody's data in any region, whatever its mirrors are called: internal topics, and heartbeats as
    they are emitted.
    """
    return topic == HEARTBEATS or _KAFKA.is_internal(topic)


def left_out_beside(pattern: str) -> Callable[[str], bool]:
    """Which topics nobody means who gives this pattern of names: :func:`is_own`; none where the pattern was made by
    :meth:`MirrorNames.data_pattern`, :func:`these_alone` or as :data:`EVERY_TOPIC`. What is internal depends on a
    mirror's separator, which the pattern knows and this function does not.
    """
    return _never if pattern.startswith(KNOWS_WHAT_IS_INTERNAL) else is_own


def written_by_itself(prefix: str) -> Callable[[str], bool]:
    """Which topics of its target a mirror writes by itself, and copies none to: its checkpoints, and those of Connect
    (``MirrorMakerConfig``).

    :param prefix: what it puts before names, an alias and a separator; nothing is known of it where it is empty.
    """
    topics: set[str] = set()
    for at in range(1, len(prefix)):
        names = MirrorNames(prefix[:at], "", separator=prefix[at:])
        topics |= {names.checkpoints, names.source_offsets, configs_topic(names.source), status_topic(names.source)}
    return topics.__contains__


def _never(dummy: str) -> bool:
    return False


def these_alone(names: Iterable[str]) -> str:
    """The pattern that means these topics, and leaves out none of them."""
    return rf"(?!\Z)(?:{'|'.join(re.escape(name) for name in sorted(names))})"


def unreadable(pattern: str) -> str:
    """Why an expression does not mean the same here as in Java, alone or joined to others; empty where it does."""
    if GROUP_REFERENCE.search(pattern):
        return "a reference to a group"
    if PYTHONS_OWN.search(pattern):
        return "a group that Java does not know"
    outside = ESCAPES_AND_SETS.sub("", pattern)
    if NO_COUNT.search(outside):
        return "a brace that Java refuses: it counts nothing, and has no backslash before it"
    if any(int(count) > LARGEST_COUNT for count in COUNTS.findall(outside)):
        return "a count that Java refuses"
    if any(IN_A_SET.search(part[1:]) for part in ESCAPES_AND_SETS.findall(pattern) if part.startswith("[")):
        return "a set within a set, which Java reads in another way"
    if OCTAL.search(pattern):
        return "an octal number that Java reads with other digits"
    if ESCAPES.search(pattern):
        return "an escape that Java reads in another way"
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        try:
            re.compile(pattern)
            # The comment keeps what Python's cache holds, and warns of nothing, from being taken.
            re.compile(f"(?:{pattern})(?#read as Java does)")
        except FutureWarning:
            return "a set within a set, which Java reads in another way"
        except (re.error, OverflowError, RecursionError) as error:
            return str(error)
    return ""


def _either(expressions: Iterable[str]) -> str:
    return "|".join(f"(?:{expression})" for expression in expressions)


def compile_filter(include: Any, exclude: Any = None, what: str = "topics") -> Callable[[str], bool]:
    """A predicate on names from regular expressions as MM2 takes them: alternatives separated by commas or bars, each
    matched whole.
    """
    try:
        wanted = [re.compile(part.strip()) for part in _parts(include)]
        unwanted = [re.compile(part.strip()) for part in _parts(exclude)]
    except re.error as error:
        raise UsageError(
            f"The expression for {what} is not valid",
            expected="a regular expression",
            found=f"{error} in {error.pattern!r}",
        ) from error
    return lambda name: (
        any(pattern.fullmatch(name) for pattern in wanted) and not any(pattern.fullmatch(name) for pattern in unwanted)
    )


def _parts(expression: Any) -> list[str]:
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
