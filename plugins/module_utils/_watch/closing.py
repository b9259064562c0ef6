# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof after a loss of the source, by what a watch kept: what is confirmed stands, open windows are compared.

Where a manifest is given too, it is compared for the topics that the watch does not stand for. Both give one report.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .._digest.shapes import SideSpec, TopicSurvey
from .._errors import KafkaDrError, NotProvableError
from .._mm2.names import these_alone
from .._proof import report, sides
from .._proof.bounds import OF_SOURCE, check_bounds, named
from .._proof.comparison import Comparison, Options
from .._proof.shapes import Engine, Report
from .._values.listing import named as named_few
from . import beside_manifest, closed_report
from .offset_maps import same_logs
from .side import BACK, INSTEAD, keep, specs
from .standing import Standing, stand
from .state import TOPIC, Confirmed, WatchState, by_partition, require_state

# Records of the target in which a further copy is looked for at first; where something is foreign, in more.
NEAR = 50000


@dataclass(frozen=True)
class Wanted:
    """Whose windows: ``mirror``, the ``topic`` of the state, ``source_cluster`` (id that its source has to have; empty
    where nobody knows it), ``seen_at`` (milliseconds at which the source was seen last; 0 where nobody knows it), and
    the description of a ``manifest`` for the topics that the watch does not stand for.
    """

    mirror: str
    topic: str = TOPIC
    source_cluster: str = ""
    seen_at: int = 0
    manifest: SideSpec | None = None


class Closing:
    """A proof by open windows. ``records_total``: records that it will read at most (by offsets).

    :raises KafkaDrError: the target does not answer, or neither the watch nor a manifest can be used.
    """

    def __init__(self, target: SideSpec, wanted: Wanted, options: Options) -> None:
        self.target_spec, self.wanted, self.options = target, wanted, options
        self.began = time.time()
        check_bounds({} if options.bounds is None else options.bounds)
        self.target = sides.KafkaSide(target)
        self.unusable = ""
        self.state = self._state()
        self.copies = self._copies()
        self.standing = self._standing()
        #: What the watch had found to be wrong, by partition.
        self.differences = by_partition(self.state)
        self.manifest, self.left = self._compare_manifest()
        by_manifest = {topic.name for topic in self.manifest.topics} if self.manifest is not None else set()
        #: Topics that are compared by their windows.
        self.topics = [name for name in self.standing.topics if name not in by_manifest]
        self.windows = self._compare_windows(self.topics, NEAR)
        if self.windows is None and self.manifest is None and not self.left:
            raise self._nothing()

    @property
    def records_total(self) -> int:
        """Records that are read at most."""
        return sum(part.records_total for part in (self.windows, self.manifest) if part is not None)

    def run(self, engine: Engine) -> Report:
        """Compare; the report without its engine."""
        found = []
        if self.windows is not None:
            found += self._by_windows(self.windows, engine)
        if self.manifest is not None:
            found.append(self._by_manifest(self.manifest, engine))
        return closed_report.merged(self, found)

    def _nothing(self) -> NotProvableError:
        """Why there is nothing to judge."""
        if self.standing.absent:
            return NotProvableError(
                f"Nothing of the watch of mirror '{self.wanted.mirror}' is left to judge",
                expected=f"a topic that matches {self.options.topics!r} on either side",
                found=f"that both deleted {named_few(self.standing.absent)}",
                remedy="There is nothing to prove; name other topics if there are any",
            )
        return NotProvableError(
            f"No topic of the watch of mirror '{self.wanted.mirror}' matches {self.options.topics!r}",
            remedy="Correct the pattern; the whole name has to match",
        )

    # -- what there is -------------------------------------------------------------------------------------------------

    def _state(self) -> WatchState:
        """The state; an empty one where it cannot be used, and a manifest is there to stand in for it."""
        try:
            return self._read()
        except KafkaDrError as error:
            if self.wanted.manifest is None:
                raise
            self.unusable = str(error)
            return WatchState(self.wanted.mirror, rename=self.options.rename)

    def _read(self) -> WatchState:
        mirror = self.wanted.mirror
        state = require_state(self.target.client, mirror, self.wanted.topic, INSTEAD)
        for what, kept, expected in (
            ("copies to cluster", state.target_cluster, self.target.cluster_id),
            ("reads cluster", state.source_cluster, self.wanted.source_cluster or state.source_cluster),
            ("renames by", state.rename, self.options.rename),
        ):
            if kept != expected:
                raise NotProvableError(
                    f"The watch of the mirror '{mirror}' is of another mirror than the one to prove: it {what} {kept}",
                    expected=expected,
                    found=kept,
                    remedy=INSTEAD,
                )
        keep(state)
        return state

    def _copies(self) -> dict[str, str]:
        """``{topic of the source: copy}`` of all that the target has, by the rule that renames."""
        return sides.copied_of(self.target, self.options.topics, self.options.rename)

    def _standing(self) -> Standing:
        target = self.target.survey(sorted(set(self.copies.values())))
        bounds, known = self.options.bounds or {}, {}
        for name, copy in self.copies.items():
            # Where the end of the copy is given, the target may be in use, and what was added to it is no copy.
            ends = bounds["target"].get(copy, {}) if "target" in bounds else _ends(target.get(copy))
            known[name] = _filled(ends)
        for part in OF_SOURCE:
            for name in named(bounds, part, self.options.topics):
                known[name] = known.get(name, set()) | _filled(bounds[part][name])
        known = {name: numbers for name, numbers in known.items() if numbers}
        standing = stand(self.state, self.options.topics, known, target, int(time.time() * 1000))
        self._look_at_tips(standing, target)
        self._doubt_unseen(standing, target)
        return standing

    def _doubt_unseen(self, standing: Standing, target: Mapping[str, TopicSurvey]) -> None:
        """Of topics that the last rounds could not look at, doubt what may have come since."""
        for place, part in self.state.partitions.items():
            if place[0] in standing.unseen and place not in standing.faults:
                end = _ends(target.get(part.target_topic)).get(place[1], 0)
                doubt = closed_report.unseen(self, place, part, standing.unseen[place[0]], end)
                if doubt is not None:
                    standing.doubts.setdefault(place, []).append(doubt)

    def _look_at_tips(self, standing: Standing, target: Mapping[str, TopicSurvey]) -> None:
        """Read the last record of each copy that the watch had read again: after an unclean election it is another."""
        tips = {
            place: ((part.target_topic, place[1]), part.target_tip)
            for place, part in self.state.partitions.items()
            if place[0] in standing.topics
            and place not in standing.faults
            and part.target_tip is not None
            # What has expired since says nothing.
            and part.target_tip.offset >= target[part.target_topic]["bounds"].get(place[1], (0, 0))[0]
        }
        for place in tips.keys() - same_logs(self.target.client, tips):
            standing.faults[place] = "the record of the target that the watch read last is gone, or another one"

    # -- what is compared ----------------------------------------------------------------------------------------------

    def _compare_windows(self, topics: list[str], back: int) -> Comparison | None:
        if not topics:
            return None
        state, mirror = self.state, self.wanted.mirror
        source, target = specs(self.target_spec, mirror, self.wanted.topic, state, self.standing.deleted, back)
        comparison = Comparison(source, target, replace(self.options, topics=these_alone(topics), wait_seconds=0))
        for topic in comparison.topics:
            # What the watch has not read is not shown to be another number of partitions.
            topic.partition_difference = False
            for pair in topic.pairs:
                fault = self.standing.faults.get((topic.name, pair.number))
                if fault is not None:
                    pair.error = {"kind": "not_watched", "message": fault}
        return comparison

    def _compare_manifest(self) -> tuple[Comparison | None, dict[str, str]]:
        """The comparison of what the watch does not stand for, and what nothing stands for: ``{topic: reason}``."""
        lacking, left = self.standing.lacking(), dict(self.standing.left_out)
        if self.wanted.manifest is None:
            return None, left
        sound = set(self.standing.topics) - set(lacking)
        side = sides.open_side(self.wanted.manifest)
        # Also those that nobody knows: what the manifest has, and neither the watch nor the target, is lost.
        held = [name for name in side.topics(self.options.topics) if name not in sound - self.standing.unseen.keys()]
        parts: dict[str, dict[int, Confirmed]] = {}
        for (name, number), part in self.state.partitions.items():
            parts.setdefault(name, {})[number] = part
        saved = side.survey(held)
        held = [
            name
            for name in held
            if not self._is_past(name, saved[name]["topic_id"], parts.get(name, {}))
            and (name not in sound or beside_manifest.reaches_further(saved[name], parts[name]))
        ]
        if not held:
            return None, left
        options = replace(self.options, topics=these_alone(held), wait_seconds=0)
        comparison = Comparison(self.wanted.manifest, self.target_spec, options)
        return comparison, {name: reason for name, reason in left.items() if name not in held}

    def _is_past(self, name: str, topic_id: str, parts: Mapping[int, Confirmed]) -> bool:
        """Whether a manifest's topic is none to look for: another one came after it, or it was deleted on both sides.

        :param parts: what the watch has of the topic's partitions.
        """
        if any(topic_id in part.former_ids for part in parts.values()):
            return True
        return name in self.standing.absent and any(part.source_id == topic_id for part in parts.values())

    def _by_manifest(self, comparison: Comparison, engine: Engine) -> Report:
        comparison.compare(engine)
        beside_manifest.amend(self, comparison)
        return report.build(comparison)

    def _by_windows(self, comparison: Comparison, engine: Engine) -> list[Report]:
        """Compare. Where records of the target are strange, look further back for what they may be copies of."""
        comparison.compare(engine)
        strange = [
            topic.name
            for topic in comparison.topics
            if any(pair.result is not None and pair.result["counts"]["foreign"] for pair in topic.pairs)
        ]
        compared = [comparison]
        again = self._compare_windows(strange, BACK)
        if again is not None:
            again.compare(engine)
            comparison.topics = [topic for topic in comparison.topics if topic.name not in strange]
            compared.append(again)
        for part in compared:
            for topic in part.topics:
                for pair in topic.pairs:
                    closed_report.amend(self, topic, pair)
        return [report.build(part) for part in compared if part.topics]


def _ends(copy: TopicSurvey | None) -> dict[int, int]:
    return {number: high for number, (dummy, high) in copy["bounds"].items()} if copy is not None else {}


def _filled(ends: Mapping[Any, int]) -> set[int]:
    """Partitions that hold something, or have held it."""
    return {int(number) for number, end in ends.items() if end > 0}
