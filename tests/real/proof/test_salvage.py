# SPDX-License-Identifier: GPL-3.0-or-later
"""What a region that is back holds and the active one never got is taken, whole and once."""

from __future__ import annotations

import json

import pytest

from . import support
from .cases import COMPACT
from .salvaging import HEADER, Salvaging, fields, held
from .support import NOW, some

pytestmark = pytest.mark.real

ROWS = some(500)
DAY = 86400000
LATER = some(40, prefix="later", start=NOW + 90000)
TWIN = some(1, prefix="twin")[0]
TWINS = [ROWS[0], TWIN, TWIN, TWIN, ROWS[1]]
# One transaction in three was aborted.
GROUPED = [
    row.but(group=-number if number % 3 == 2 else number) for at, row in enumerate(ROWS) for number in [at // 30 + 1]
]
KEPT = [row for row in GROUPED if row.group > 0]
KEYED = [row.but(key=b"k%d" % (at % 50)) for at, row in enumerate(some(200, headers=()))]
NULLS = [row.but(key=None if at % 2 else row.key, value=None if at % 3 else row.value) for at, row in enumerate(ROWS)]
# name: (what the source holds, the copy, up to where the mirror had come, offsets of the source to salvage)
TOPICS = {
    "sv.tail": (ROWS, ROWS[:300], 300, range(300, 500)),
    "sv.flush": (ROWS, ROWS[:300], 250, range(300, 500)),
    "sv.unknown": (ROWS, ROWS[:300], None, range(300, 500)),
    "sv.hole": (ROWS, [*ROWS[:100], *ROWS[110:300]], 300, [*range(100, 110), *range(300, 500)]),
    "sv.equal": (ROWS, ROWS, 500, []),
    "sv.empty": (ROWS, [], 0, range(500)),
    "sv.absent": (ROWS, None, None, range(500)),
    "sv.twins": (TWINS, TWINS[:2], 2, [2, 3, 4]),
    "sv.moved": (ROWS, [*ROWS[1:300], ROWS[0]], 300, range(300, 500)),
    "sv.nulls": (NULLS, NULLS[:300], 300, range(300, 500)),
    "sv.groups": (GROUPED, KEPT[:90], 120, None),
}
WIDE = [row.but(partition=at % 3) for at, row in enumerate(ROWS)]


@pytest.fixture(scope="module")
def bounds(pair):
    """Every topic on both sides, and what applications wrote to the copies since."""
    source, target = pair["source"], pair["target"]
    support.create(source, {name: (1, {}) for name in TOPICS} | {"sv.wide": (3, {})})
    support.create(target, {name: (1, {}) for name, one in TOPICS.items() if one[1] is not None} | {"sv.wide": (3, {})})
    plain = {name: one[0] for name, one in TOPICS.items() if name != "sv.groups"}
    support.write(source, {**plain, "sv.wide": WIDE})
    support.write(source, {"sv.groups": GROUPED}, transactional=True)
    copies = {name: one[1] for name, one in TOPICS.items() if one[1]}
    support.write(target, {**copies, "sv.wide": WIDE[:301]})
    support.write(target, {name: LATER for name, one in TOPICS.items() if one[1] is not None})
    through = {name: {"0": one[2]} for name, one in TOPICS.items() if one[2] is not None}
    ends = {name: {"0": len(one[1])} for name, one in TOPICS.items() if one[1] is not None}
    return {"target": {**ends, "sv.wide": {"0": 101, "1": 100, "2": 100}}, "mirrored_through": through}


@pytest.fixture
def salvaging(pair, spark, tmp_path):
    return Salvaging(support.Job(tmp_path, pair["source"], pair["target"], spark))


def rest(name):
    """What is to be salvaged of a topic: offsets and records."""
    source, dummy, dummy2, offsets = TOPICS[name]
    return list(offsets), fields([source[offset] for offset in offsets])


def test_everything_is_exported_by_default(pair, bounds, salvaging):
    code, summary, told = salvaging.run(r"sv\..*", bounds)
    assert code == 0, told
    assert summary["complete"]
    found = salvaging.exported()
    for name in TOPICS.keys() - {"sv.groups"}:
        offsets, records = rest(name)
        rows = found.get((name, 0), [])
        assert [row[0] for row in rows] == offsets, name
        assert [row[1:] for row in rows] == records, name
        part = summary["topics"][name]["partitions"]["0"]
        assert (part["salvaged"], part["exported"], part["replayed"], part["skipped"]) == (len(offsets),) * 2 + (0, 0)
        assert (part["first"], part["last"]) == ((offsets[0], offsets[-1]) if offsets else (None, None))
    assert [row[1:] for row in found[("sv.groups", 0)]] == fields(KEPT[90:])
    wide = sorted(row[1:] for number in range(3) for row in found[("sv.wide", number)])
    assert wide == sorted(fields(WIDE[301:]))
    assert summary["salvaged"] == sum(map(len, found.values()))
    manifest = json.loads((salvaging.job.directory / "out" / "salvage.json").read_text())
    assert sum(one["records"] for one in manifest["files"].values()) == summary["salvaged"]
    names = {path.name for path in (salvaging.job.directory / "out").iterdir()}
    assert names == {"data", "salvage.json"}


def test_where_no_ledger_tells_the_ends_of_the_copy_those_of_now_serve(bounds, salvaging):
    """What applications wrote to the copies since is nothing that the source has."""
    names = [name for name, one in TOPICS.items() if one[1] is not None and name not in ("sv.groups", "sv.moved")]
    now = {name: {"0": len(TOPICS[name][1]) + len(LATER)} for name in names}
    code, summary, told = salvaging.run("|".join(names), {"target": now})
    assert code == 0 and summary["complete"], told
    found = salvaging.exported()
    assert {name: [row[0] for row in found.get((name, 0), [])] for name in names} == {
        name: rest(name)[0] for name in names
    }


@pytest.mark.parametrize("action", ["side_topic", "replay"])
def test_records_are_written_once_however_often_it_runs(pair, spark, salvaging, action):
    name, side = f"once.{action}", f"once.{action}.salvaged"
    wide = [row.but(partition=at % 3) for at, row in enumerate(some(9000, prefix=action))]
    for cluster, rows in ((pair["source"], wide), (pair["target"], wide[:6000])):
        support.create(cluster, {name: (3, {"retention.ms": 86400000})})
        support.write(cluster, {name: rows})
    ends = {"target": {name: {str(number): 2000 for number in range(3)}}}
    support.write(pair["target"], {name: [row.but(partition=0) for row in LATER]})
    for dummy in range(2):
        code, summary, told = salvaging.run(name, ends, [{"topics": "once.*", "action": action}])
        assert code == 0, told
        counts = [summary[key] for key in ("salvaged", action.replace("replay", "replayed"), "exported", "skipped")]
        assert counts == [3000, 3000, 0, 0]
    found = held(pair["target"], side if action == "side_topic" else name, 3)
    for number in range(3):
        lost = [(offset, row) for offset, row in enumerate(wide[number::3]) if offset >= 2000]
        expected = [
            (
                *one[:3],
                [*one[3], (HEADER, f"north/{name}-{number}@{offset}".encode())] if action == "replay" else one[3],
            )
            for (offset, dummy), one in zip(lost, fields([row for dummy, row in lost]), strict=True)
        ]
        before = 0 if action == "side_topic" else 2000 + (len(LATER) if number == 0 else 0)
        assert [row[1:] for row in found[number]][before:] == expected


def test_a_compacted_topic_keeps_what_its_applications_wrote_since(pair, salvaging):
    """Keys that B has written since are exported, the others are replayed."""
    support.create(pair["source"], {"sv_compact": (1, COMPACT)})
    support.create(pair["target"], {"sv_compact": (1, COMPACT)})
    support.write(pair["source"], {"sv_compact": KEYED})
    since = [row.but(key=b"k7", value=b"newer") for row in LATER[:1]]
    support.write(pair["target"], {"sv_compact": [*KEYED[:150], *since]})
    ends = {"target": {"sv_compact": {"0": 150}}, "mirrored_through": {"sv_compact": {"0": 150}}}
    replay = [{"topics": ".*", "action": "replay"}]
    # A key that was deleted longer ago than delete.retention.ms may have left no trace.
    for ended in ({}, {"ended_at": NOW - 2 * DAY}):
        code, summary, told = salvaging.run("sv_compact", {**ends, **ended}, replay, out=f"early{len(ended)}")
        assert (code, summary["replayed"], summary["exported"]) == (0, 0, 50), told
    ends["ended_at"] = NOW - 3600000
    for dummy in range(2):
        code, summary, told = salvaging.run("sv_compact", ends, replay)
        assert code == 0, told
        assert [summary[key] for key in ("salvaged", "replayed", "exported")] == [50, 49, 1]
        assert [row[1] for row in salvaging.exported()[("sv_compact", 0)]] == [b"k7"]
    rows = held(pair["target"], "sv_compact")[0]
    assert dict((row[1], row[2]) for row in rows)[b"k7"] == b"newer"
    assert [row[1:4] for row in rows[151:]] == [row[:3] for row in fields(KEYED[150:]) if row[0] != b"k7"]


def test_what_would_expire_at_once_is_exported(pair, salvaging):
    """A region was away for longer than its topics keep records, and was started with deletion held off."""
    rows = some(300) + some(60, prefix="old", start=NOW - 8 * DAY)
    for cluster, config in ((pair["source"], {"retention.ms": -1}), (pair["target"], {"retention.ms": 7 * DAY})):
        support.create(cluster, {"sv_old": (1, config)})
    support.write(pair["source"], {"sv_old": [*rows, *LATER]})
    support.write(pair["target"], {"sv_old": rows[:300]})
    ends = {"target": {"sv_old": {"0": 300}}, "mirrored_through": {"sv_old": {"0": 300}}}
    code, summary, told = salvaging.run("sv_old", ends, [{"topics": ".*", "action": "replay"}])
    assert (code, summary["replayed"], summary["exported"]) == (0, 40, 60), told
    assert [row[0] for row in salvaging.exported()[("sv_old", 0)]] == list(range(300, 360))


def test_a_topic_that_came_since_is_taken_and_not_replayed(pair, salvaging):
    """It was created just before the loss, and by the applications of the region that works afterwards."""
    for name in ("sv_new", "sv_none", "sv_known"):
        for cluster in pair.values():
            support.create(cluster, {name: (1, {})})
    support.write(pair["source"], {"sv_new": ROWS[:20], "sv_known": ROWS})
    support.write(pair["target"], {"sv_new": LATER, "sv_none": LATER, "sv_known": ROWS})
    ends = {"target": {"sv_known": {"0": 500}}, "mirrored_through": {"sv_known": {"0": 500}}}
    code, dummy, told = salvaging.run("sv_(new|none|known)", ends)
    assert code == 2 and "sv_new-0" in told and "do not say where the copy" in told
    ends["complete"] = True
    code, summary, told = salvaging.run("sv_(new|none|known)", ends)
    assert (code, summary["complete"], summary["exported"]) == (0, True, 20), told
    code, dummy, told = salvaging.run("sv_(new|none|known)", ends, [{"topics": ".*", "action": "replay"}], out="other")
    assert code == 2 and "was not there when the region was left" in told


def test_nothing_is_done_where_nothing_is_asked(pair, bounds, salvaging):
    code, summary, told = salvaging.run("sv.tail", bounds, [{"topics": "sv.*", "action": "none"}])
    assert code == 0, told
    assert [summary[key] for key in ("salvaged", "skipped", "exported")] == [0, 200, 0]


def test_the_copys_own_retention_is_no_loss(pair, salvaging):
    """What the mirror had copied and B has deleted since is not salvaged; it is named."""
    aged = some(500, start=NOW - 8 * DAY)
    support.create(pair["source"], {"sv_aged": (1, {"retention.ms": -1})})
    support.create(pair["target"], {"sv_aged": (1, {"retention.ms": 7 * DAY})})
    support.write(pair["source"], {"sv_aged": aged})
    # Records that are young keep the segment.
    support.write(pair["target"], {"sv_aged": [*aged[:300], *LATER]})
    support.delete_before(pair["target"], "sv_aged", 0, 100)
    ends = {"target": {"sv_aged": {"0": 300}}, "mirrored_through": {"sv_aged": {"0": 300}}}
    code, summary, told = salvaging.run("sv_aged", ends)
    assert (code, summary["salvaged"], summary["expired"]) == (0, 200, 100), told
    support.delete_before(pair["target"], "sv_aged", 0, 310)
    code, summary, told = salvaging.run("sv_aged", ends)
    assert (code, summary["salvaged"], summary["expired"]) == (0, 200, 300), told
    assert "may have been copied" in told
    code, summary, told = salvaging.run("sv_aged", ends, [{"topics": ".*", "action": "replay"}], out="other")
    assert code == 2
    assert "cannot be replayed" in told
    assert len(held(pair["target"], "sv_aged")[0]) == 30
