# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole comparison: freeze bounds, digest both sides, wait for a target that is catching up, examine what differs,
look again, report.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._manifest.side import ManifestSide

from .._digest.shapes import SideSpec, TopicSurvey
from .._errors import NotProvableError
from .._mm2.names import EVERY_TOPIC
from . import bounds, catching_up, first_pass, look_again, pairs, renaming, report, second_pass, sides
from .shapes import Bounds, Engine, Report, SideName


@dataclass(frozen=True)
class Options:
    """What a comparison is asked: see the command line of the Spark job."""

    topics: str
    rename: str = "identity"
    ignore_timestamps: bool = False
    bounds: Bounds | None = None
    max_differences: int = 100
    wait_seconds: float = 30
    settle_seconds: float = 3


def prepare(source_spec: SideSpec, target_spec: SideSpec, options: Options) -> Comparison:
    """Freeze the bounds; the source first, so that all that the source held is asked of the target.

    :raises KafkaDrError: a side does not answer, the pattern is wrong or matches nothing.
    """
    return Comparison(source_spec, target_spec, options)


class Comparison:
    """One run. Attributes for a report: ``topics``, ``reasons``, ``not_provable``; ``hidden`` lists the topics that the
    source does not show.
    """

    engine: Engine

    def __init__(self, source_spec: SideSpec, target_spec: SideSpec, options: Options) -> None:
        self.source_spec, self.target_spec, self.options = source_spec, target_spec, options
        self.began = time.time()
        rule = renaming.rename(options.rename)
        bounds.check_bounds({} if options.bounds is None else options.bounds)
        self.source, self.target = sides.open_side(source_spec), sides.open_side(target_spec)
        sides.refuse_one_cluster(self.source, self.target)
        names = self._names()
        if not names:
            raise NotProvableError(
                f"No topic of {self.source.name} matches {options.topics!r}",
                remedy="Correct the pattern; the whole name has to match",
            )
        source_topics = sides.survey_all(self.source, names)
        renamed = {name: rule(name) for name in source_topics}
        target_topics = self.target.survey(sorted(set(renamed.values())))
        self.reasons: list[str] = []
        self.not_provable = False
        self.deleted: set[str] = set()
        manifest = sides.manifest_of(self.source)
        if manifest is not None:
            self._leave_out_deleted(manifest, source_topics, target_topics, renamed)
        self.topics = pairs.make(
            source_topics, target_topics, renamed, options.bounds, options.ignore_timestamps, saved=manifest is not None
        )
        sides.refuse_same_topics(self.source, self.target, self.topics)
        self._name_unheld(source_topics, rule)
        self.pairs = [pair for topic in self.topics for pair in topic.pairs]

    def _names(self) -> list[str]:
        """Topics of the source that the pattern means, and bounds speak of, or that nobody would take for internal."""
        listed = set(self.source.topics(self.options.topics))
        given = self.options.bounds or {}
        more = set().union(*(bounds.named(given, part, self.options.topics) for part in bounds.OF_SOURCE)) - listed
        return sorted(listed | (more & {*self.source.topics(EVERY_TOPIC)} if more else listed))

    def _leave_out_deleted(
        self,
        manifest: ManifestSide,
        source_topics: dict[str, TopicSurvey],
        target_topics: dict[str, TopicSurvey],
        renamed: dict[str, str],
    ) -> None:
        """Name topics that were deleted in the source before its manifest was saved last, and in the target as well."""
        for name in [name for name in source_topics if manifest.deleted(name) and renamed[name] not in target_topics]:
            del source_topics[name]
            self.deleted.add(name)
            self.reasons.append(
                f"{name}: it was deleted before the manifest was saved last, and is not listed on either side since"
            )

    def _name_unheld(self, source_topics: dict[str, TopicSurvey], rule: Callable[[str], str]) -> None:
        """Name the topics that the source hides, and those that bounds speak of and that the source lacks; one that the
        target lacks too may have been deleted long ago.
        """
        given, copied = bounds.unheld(self.options.bounds or {}, self.options.topics, source_topics)
        copied = [name for name in copied if name not in self.deleted]
        hidden = self.hidden = sides.hidden(
            self.source, self.target, self.options.topics, self.options.rename, source_topics, [*given, *copied]
        )
        for name in hidden:
            self.not_provable = True
            self.reasons.append(
                f"{name}: {self.source.name} does not show it to this principal, so that nobody knows what its copy "
                "lacks; give it DESCRIBE and READ"
            )
        given, copied = ([name for name in names if name not in hidden] for names in (given, copied))
        kept = self.target.survey([rule(name) for name in copied]) if copied else {}
        for name in given + copied:
            if name in given or rule(name) in kept:
                self.not_provable = True
                self.reasons.append(f"{name}: the bounds speak of it, and {self.source.name} does not have it")
            else:
                self.reasons.append(f"{name}: a mirror had copied it, and neither side has it now")

    def side(self, name: SideName) -> sides.Side:
        """One of the two sides."""
        return self.source if name == "source" else self.target

    def spec(self, name: SideName) -> SideSpec:
        """The description of one of the two sides."""
        return self.source_spec if name == "source" else self.target_spec

    @property
    def records_total(self) -> int:
        """Records that the first pass will read at most (by offsets)."""
        return sum(max(0, part[1] - part[0]) for pair in self.pairs for part in (pair.source_range, pair.target_range))

    def run(self, engine: Engine) -> Report:
        """Compare; the report without its engine."""
        self.compare(engine)
        return report.build(self)

    def compare(self, engine: Engine) -> None:
        """Give each pair its result or error."""
        self.engine = engine
        first_pass.digest(self, first_pass.both_sides(self.pairs))
        catching_up.wait(self)
        for dummy in range(second_pass.ATTEMPTS):
            again = second_pass.examine(self, [pair for pair in self.pairs if pair.open])
            if not again:
                break
            first_pass.digest(self, first_pass.both_sides(again))
        for pair in self.pairs:
            if pair.open:
                pair.error = {"kind": "range_gone", "message": "the partition kept changing while it was compared"}
        look_again.name_changes(self)
