# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The whole comparison: freeze bounds, digest both sides, wait for a target that is catching up, examine what differs, look again, report."""

from __future__ import annotations

import time

from .._digest import chunks
from .._errors import NotProvableError
from . import examine, pairs, plan, report, sides, work

ATTEMPTS = 3


class Options:
    """What a comparison is asked: see the command line of the Spark job."""

    def __init__(
        self, topics, rename="identity", ignore_timestamps=False, bounds=None, max_differences=100, wait_seconds=30, settle_seconds=3,
    ):
        self.topics, self.rename, self.ignore_timestamps = topics, rename, ignore_timestamps
        self.bounds, self.max_differences, self.wait_seconds, self.settle_seconds = bounds, max_differences, wait_seconds, settle_seconds


def prepare(source_spec, target_spec, options):
    """Freeze the bounds: a :class:`Comparison`; the source first, so that all that the source held is asked of the target.

    :raises KafkaDrError: a side does not answer, the pattern is wrong or matches nothing.
    """
    return Comparison(source_spec, target_spec, options)


class Comparison:
    """One run. Attributes for a report: ``topics``, ``reasons``, ``only_on_target``."""

    def __init__(self, source_spec, target_spec, options):
        self.source_spec, self.target_spec, self.options = source_spec, target_spec, options
        self.began = time.time()
        rule = pairs.rename(options.rename)
        pairs.check_bounds({} if options.bounds is None else options.bounds)
        self.source, self.target = sides.open_side(source_spec), sides.open_side(target_spec)
        sides.refuse_one_cluster(self.source, self.target)
        names = self.source.topics(options.topics)
        if not names:
            raise NotProvableError("No topic of %s matches %r" % (self.source.name, options.topics), remedy="Correct the pattern; the whole name has to match")
        source_topics = sides.survey_all(self.source, names)
        renamed = {name: rule(name) for name in source_topics}
        target_topics = self.target.survey(sorted(set(renamed.values())))
        self.topics = pairs.make(source_topics, target_topics, renamed, options.bounds, options.ignore_timestamps)
        sides.refuse_same_topics(self.source, self.target, self.topics)
        self.reasons = []
        self.bytes_read = 0
        self.pairs = [pair for topic in self.topics for pair in topic.pairs]
        self.parallelism = 1

    @property
    def records_total(self):
        """Records that the first pass will read at most (by offsets)."""
        return sum(max(0, part[1] - part[0]) for pair in self.pairs for part in (pair.source_range, pair.target_range))

    def run(self, engine):
        """Compare; the report without its engine."""
        self.engine = engine
        self._digest([(pair, side) for pair in self.pairs for side in ("source", "target")])
        self._catch_up()
        for dummy in range(ATTEMPTS):
            again = self._examine([pair for pair in self.pairs if pair.result is None and pair.error is None])
            if not again:
                break
            self._digest([(pair, side) for pair in again for side in ("source", "target")])
        for pair in self.pairs:
            if pair.result is None and pair.error is None:
                pair.error = {"kind": "range_gone", "message": "the partition kept changing while it was compared"}
        self._look_again()
        return report.build(self)

    # -- first pass -------------------------------------------------------------------------------------------------

    def _digest(self, wanted):
        """Read ranges of (pair, side) into chunks; ranges that retention took meanwhile begin where the log begins now."""
        for dummy in range(ATTEMPTS):
            wanted = [(pair, side) for pair, side in wanted if pair.error is None]
            parts, gone = self._digest_once(wanted)
            done = [(pair, side) for pair, side in wanted if (pair, side) not in gone]
            for pair, side in done:
                pieces = sorted(parts.get((pair, side), []), key=lambda one: one[0])
                setattr(pair, "left" if side == "source" else "right", chunks.concatenate([work.decode(piece) for dummy2, piece in pieces]))
            if not gone:
                return
            self._restart(gone)
            wanted = list(gone)
        for pair, side in wanted:
            pair.error = {"kind": "range_gone", "message": "the log of the %s kept being deleted while it was read" % side}

    def _digest_once(self, wanted):
        tasks, owners = [], {}
        ranges = {"source": [], "target": []}
        for pair, side in wanted:
            name = pair.topic.name if side == "source" else pair.topic.target_name
            low, high = getattr(pair, side + "_range")
            ranges[side].append((name, pair.number, low, high, pair.topic.timestamps))
            owners[(side, name, pair.number)] = pair
        total = sum(one[3] - one[2] for side in ranges.values() for one in side)
        for side, listed in ranges.items():
            share = sum(one[3] - one[2] for one in listed)
            width = max(1, round(self.engine.parallelism * share / total)) if total else 1
            for group in plan.split(listed, width):
                spec = self.source_spec if side == "source" else self.target_spec
                tasks.append({"id": len(tasks), "work": "digest", "side": spec, "name": side, "ranges": group})
        parts, gone = {}, {}
        for result in self.engine.map(sorted(tasks, key=lambda task: -sum(one[3] - one[2] for one in task["ranges"])), "read", total):
            task = tasks[result["id"]]
            if "error" in result:
                for one in task["ranges"]:
                    pair = owners[(task["name"], one[0], one[1])]
                    if result["error"]["kind"] == "range_gone":
                        gone[(pair, task["name"])] = True
                    else:
                        pair.error = result["error"]
                continue
            for topic, number, low, piece in result["value"]:
                parts.setdefault((owners[(task["name"], topic, number)], task["name"]), []).append((low, piece))
        return parts, gone

    def _restart(self, gone):
        for side_name, side in (("source", self.source), ("target", self.target)):
            mine = [pair for pair, name in gone if name == side_name]
            names = {pair: (pair.topic.name if side_name == "source" else pair.topic.target_name, pair.number) for pair in mine}
            starts = side.starts(names.values()) if mine else {}
            for pair in mine:
                self._moved(pair, side_name, starts.get(names[pair]))

    def _moved(self, pair, side_name, start):
        area = getattr(pair, side_name + "_range")
        if start is None:
            pair.error = {"kind": "gone", "message": "the topic went away on the %s while it was compared" % side_name}
        elif start > area[0]:
            pair.reasons.append("the %s's log start moved from %d to %d during the run" % (side_name, area[0], start))
            area[0] = start
            area[1] = max(area)
            setattr(pair, side_name + "_started", start)
            if side_name == "target":
                pair.target_moved = True

    # -- a target that is still catching up -----------------------------------------------------------------------------

    def _catch_up(self):
        end = time.monotonic() + self.options.wait_seconds
        quiet_since = time.monotonic()
        while time.monotonic() < end:
            behind = [pair for pair in self.pairs if self._behind(pair)]
            if not behind:
                return
            names = {pair: (pair.topic.target_name, pair.number) for pair in behind}
            ends = self.target.ends(names.values())
            grown = [pair for pair in behind if ends.get(names[pair], 0) > pair.target_range[1]]
            if grown:
                quiet_since = time.monotonic()
                self._read_on(grown, {pair: ends[names[pair]] for pair in grown})
            elif time.monotonic() - quiet_since > self.options.settle_seconds:
                return
            else:
                time.sleep(0.25)

    def _behind(self, pair):
        """Whether the end of the source is not on the target, and the target might still get it."""
        if pair.error or pair.target_bounded or pair.topic.target is None or pair.number not in pair.topic.target["partitions"] or not len(pair.left.rows):
            return False
        if chunks.equal(pair.left, pair.right):
            return False
        if not len(pair.right.rows):
            return True
        # Under live traffic the target runs on beyond the frozen end, and its last chunk is never that of the source.
        if pair.right.count >= pair.left.count:
            return False
        last = pair.left.rows[-1:]
        return not ((pair.right.rows["sum"] == last["sum"]) & (pair.right.rows["count"] == last["count"])).any() and (
            last["last_digest"][0] != pair.right.rows["last_digest"][-1]
        )

    def _read_on(self, grown, ends):
        before = {pair: (pair.right, pair.target_range[0]) for pair in grown}
        for pair in grown:
            pair.target_range = [pair.target_range[1], ends[pair]]
        self._digest([(pair, "target") for pair in grown])
        for pair in grown:
            older, low = before[pair]
            pair.right = chunks.concatenate([older, pair.right])
            pair.target_range[0] = low

    # -- second pass ------------------------------------------------------------------------------------------------

    def _examine(self, open_pairs):
        """Compare; examine what differs. Returns the pairs that changed meanwhile and have to be read again."""
        differing = []
        for pair in open_pairs:
            if chunks.equal(pair.left, pair.right):
                blocks = [(0, 0, pair.left.count)] if pair.left.count else []
                pair.result = {
                    "counts": dict.fromkeys(report.COUNTS, 0), "excused_head": 0, "differences": [], "difference_runs": 0, "reasons": [], "unnamed": False,
                    "offset_map": chunks.offset_map(blocks, pair.left.runs, pair.right.runs).tolist(),
                }
            else:
                differing.append(pair)
        if not differing:
            return []
        weights = [max(1, abs(pair.left.count - pair.right.count) + len(pair.left.rows)) for pair in differing]
        grouped = plan.groups(differing, weights, self.engine.parallelism * 4)
        tasks = [
            {"id": number, "work": "examine", "source": self.source_spec, "target": self.target_spec, "partitions": [self._task(pair) for pair in group]}
            for number, group in enumerate(grouped)
        ]
        by_name = {(pair.topic.name, pair.number): pair for pair in differing}
        gone = {}
        for result in self.engine.map(tasks, "examine", 0):
            if "error" in result:
                for pair in grouped[result["id"]]:
                    pair.error = result["error"]
                continue
            for topic, number, value in result["value"]:
                pair = by_name[(topic, number)]
                if "error" not in value:
                    pair.result = value
                elif value["error"]["kind"] in ("range_gone", "not_provable") and pair.attempts < ATTEMPTS - 1:
                    pair.attempts += 1
                    gone[(pair, "source")] = gone[(pair, "target")] = True
                else:
                    pair.error = value["error"]
        self._restart(gone)
        return sorted({pair for pair, dummy in gone if pair.error is None}, key=lambda pair: (pair.topic.name, pair.number))

    def _task(self, pair):
        return {
            "topic": pair.topic.name, "target_topic": pair.topic.target_name, "partition": pair.number, "mode": pair.topic.mode,
            "timestamps": pair.topic.timestamps, "source_chunks": pair.left.to_bytes(), "target_chunks": pair.right.to_bytes(),
            "source_range": tuple(pair.source_range), "target_range": tuple(pair.target_range), "source_started": pair.source_started,
            "head": pair.head(examine.now_ms()), "mirrored_through": pair.mirrored_through,
            "limit": self.options.max_differences, "target_bounded": pair.target_bounded and pair.source_bounded,
        }

    # -- at the end -------------------------------------------------------------------------------------------------

    def _look_again(self):
        """What changed during the run is said: log starts that moved, topics created anew."""
        for side_name, side in (("source", self.source), ("target", self.target)):
            if not side.live:
                continue
            listed = [topic for topic in self.topics if getattr(topic, side_name)]
            names = [topic.name if side_name == "source" else topic.target_name for topic in listed]
            now = side.survey(names)
            for topic, name in zip(listed, names, strict=True):
                before = getattr(topic, side_name)["topic_id"]
                if name not in now or now[name]["topic_id"] != before:
                    topic.not_provable = True
                    topic.reasons.append("the topic was %s on the %s during the run" % ("deleted" if name not in now else "created anew", side_name))
                    continue
                for pair in topic.pairs:
                    start = now[name]["bounds"].get(pair.number, (0, 0))[0]
                    if start > getattr(pair, side_name + "_range")[0]:
                        pair.reasons.append("the %s's log start moved to %d after it was read" % (side_name, start))
