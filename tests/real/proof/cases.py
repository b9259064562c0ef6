# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that must be told apart, one topic each, compared in one run."""

from __future__ import annotations

from .support import NOW, Case, some

BASE = some(40)
HOUR = 3600 * 1000
OLD = some(40, start=NOW - 10 * HOUR)


def changed(index, **changes):
    """BASE with one record changed."""
    return [record.but(**changes) if at == index else record for at, record in enumerate(BASE)]


def without(records, *indices):
    return [record for at, record in enumerate(records) if at not in indices]


TWINS = [*BASE[:10], BASE[9], *BASE[10:]]
COMPACT = {"cleanup.policy": "compact"}
GROUPS = [record.but(group=at // 4) for at, record in enumerate(BASE)]
ABORTED = [record.but(value=b"aborted-%d" % at, group=-1) for at, record in enumerate(BASE[:3])]
KEYED = [
    BASE[0].but(key=b"a", value=b"a1"),
    BASE[1].but(key=b"b", value=b"b1"),
    BASE[2].but(key=b"a", value=b"a2"),
    BASE[3].but(key=b"c", value=b"c1"),
    BASE[4].but(key=b"b", value=b"b2"),
    BASE[5].but(key=b"d", value=b"d1"),
]


def altered(name, index, field, **changes):
    return Case(
        name,
        BASE,
        changed(index, **changes),
        "DIFFERENT",
        {"altered": 1},
        differences=[("altered", index, index, field)],
    )


CASES = [
    Case("identical", BASE, BASE, "PROVEN"),
    Case("empty", [], [], "PROVEN", reason="empty"),
    Case("missing_middle", BASE, without(BASE, 20), "LOSS", {"missing": 1}, differences=[("missing", 20, None, None)]),
    Case(
        "missing_first",
        BASE,
        BASE[1:],
        "LOSS",
        {"missing_head": 1},
        "would not have deleted",
        [("missing_head", 0, None, None)],
    ),
    Case("missing_tail", BASE, BASE[:-2], "LOSS", {"missing_tail": 2}, differences=[("missing_tail", 38, None, None)]),
    Case("missing_all", BASE, [], "LOSS", {"missing_tail": 40}),
    Case(
        "head_retention",
        OLD,
        OLD,
        "PROVEN",
        {"missing_head": 5},
        "older than the source's own retention",
        source_config={"retention.ms": HOUR},
        delete_target_to=5,
    ),
    Case(
        "head_not_excused",
        OLD,
        OLD,
        "LOSS",
        {"missing_head": 5},
        "would not have deleted",
        source_config={"retention.ms": -1},
        delete_target_to=5,
    ),
    Case("all_eaten", OLD, OLD, "LOSS", {"missing_head": 40}, source_config={"retention.ms": -1}, delete_target_to=40),
    Case("source_head_gone", BASE, BASE, "PROVEN", {"beyond": 7}, "beyond the source's bounds", delete_source_to=7),
    Case("twin_lost", TWINS, BASE, "LOSS", {"missing": 1}),
    Case("twin_legitimate", TWINS, TWINS, "PROVEN"),
    Case("duplicated_run", BASE, [*BASE[:20], *BASE[12:20], *BASE[20:]], "DUPLICATES", {"duplicated": 8}),
    Case("swapped", BASE, [*BASE[:10], BASE[11], BASE[10], *BASE[12:]], "DIFFERENT", {"reordered": 1}),
    altered("altered_value", 10, "value", value=b"v-1x"),
    altered("altered_key", 10, "key", key=b"other"),
    altered("altered_header_value", 10, "headers", headers=(("type", b"b"), ("trace", b"x"))),
    altered("altered_header_order", 10, "headers", headers=(("trace", b"x"), ("type", b"a"))),
    altered("altered_header_dropped", 10, "headers", headers=(("type", b"a"),)),
    altered("altered_timestamp", 10, "timestamp", timestamp=NOW + 5000),
    altered("altered_first", 0, "value", value=b"else"),
    altered("altered_last", 39, "value", value=b"else"),
    Case(
        "null_empty_key",
        changed(10, key=None),
        changed(10, key=b""),
        "DIFFERENT",
        {"altered": 1},
        differences=[("altered", 10, 10, "key")],
    ),
    Case(
        "null_empty_value",
        changed(10, value=None),
        changed(10, value=b""),
        "DIFFERENT",
        {"altered": 1},
        differences=[("altered", 10, 10, "value")],
    ),
    Case(
        "null_empty_header",
        changed(10, headers=(("type", None),)),
        changed(10, headers=(("type", b""),)),
        "DIFFERENT",
        {"altered": 1},
        differences=[("altered", 10, 10, "headers")],
    ),
    Case(
        "shifted_boundary",
        changed(10, key=b"ab", value=b"c", headers=()),
        changed(10, key=b"a", value=b"bc", headers=()),
        "DIFFERENT",
        {"altered": 1},
        differences=[("altered", 10, 10, "key,value")],
    ),
    Case("tombstones", changed(10, value=None), changed(10, value=None), "PROVEN"),
    Case(
        "balanced",
        BASE,
        [*without(BASE, 20)[:30], BASE[29], *without(BASE, 20)[30:]],
        "LOSS",
        {"missing": 1, "duplicated": 1},
    ),
    Case("balanced_in_place", BASE, [*BASE[:20], BASE[19], *BASE[21:]], "LOSS", {"missing": 1, "duplicated": 1}),
    Case(
        "moved_partition",
        BASE,
        [*without(BASE, 20), BASE[20].but(partition=1)],
        "LOSS",
        {"missing": 1, "foreign": 1},
        partitions=2,
    ),
    Case(
        "aborted_copied",
        [*GROUPS[:20], *ABORTED, *GROUPS[20:]],
        [*BASE[:20], *ABORTED, *BASE[20:]],
        "DIFFERENT",
        {"aborted": 3},
        transactional=("source",),
    ),
    Case("aborted_not_copied", [*GROUPS[:20], *ABORTED, *GROUPS[20:]], BASE, "PROVEN", transactional=("source",)),
    Case("markers_on_source", GROUPS, BASE, "PROVEN", transactional=("source",)),
    Case("markers_on_target", BASE, GROUPS, "PROVEN", transactional=("target",)),
    Case(
        "markers_on_both",
        GROUPS,
        [record.but(group=at // 3) for at, record in enumerate(BASE)],
        "PROVEN",
        transactional=("source", "target"),
    ),
    Case("markers_and_a_loss", GROUPS, without(GROUPS, 17), "LOSS", {"missing": 1}, transactional=("source", "target")),
    Case("compacted_survivors", KEYED, without(KEYED, 0, 1), "PROVEN", config=COMPACT),
    Case("compacted_more_on_target", without(KEYED, 0), KEYED, "PROVEN", config=COMPACT),
    Case(
        "compacted_wrong_latest",
        KEYED,
        [*KEYED[:4], KEYED[4].but(value=b"b9"), KEYED[5]],
        "DIFFERENT",
        {"altered": 1},
        config=COMPACT,
    ),
    Case("compacted_stale_latest", KEYED, without(KEYED, 4), "LOSS", {"missing": 1}, config=COMPACT),
    Case("compacted_key_lost", KEYED, without(KEYED, 3), "LOSS", {"missing": 1}, config=COMPACT),
    Case(
        "compacted_tombstone_gone",
        [*KEYED, KEYED[3].but(value=None), KEYED[5].but(key=b"z")],
        [*without(KEYED, 3), KEYED[5].but(key=b"z")],
        "PROVEN",
        config=COMPACT,
    ),
    Case(
        "compacted_reordered",
        KEYED,
        [KEYED[0], KEYED[1], KEYED[2], KEYED[4], KEYED[3], KEYED[5]],
        "DIFFERENT",
        {"reordered": 1},
        config=COMPACT,
    ),
    Case(
        "compacted_foreign",
        KEYED,
        [*KEYED[:3], KEYED[0].but(key=b"zz"), *KEYED[3:]],
        "DIFFERENT",
        {"foreign": 1},
        config=COMPACT,
    ),
    Case("compact_delete", KEYED, without(KEYED, 0), "PROVEN", config={"cleanup.policy": "compact,delete"}),
    Case(
        "log_append_time",
        BASE,
        BASE,
        "NOT_PROVABLE",
        reason="LogAppendTime",
        target_config={"message.timestamp.type": "LogAppendTime"},
    ),
    Case(
        "log_append_time_loss",
        BASE,
        without(BASE, 5),
        "LOSS",
        {"missing": 1},
        reason="LogAppendTime",
        target_config={"message.timestamp.type": "LogAppendTime"},
    ),
    Case("topic_missing", BASE, None, "LOSS", {"missing_tail": 40}, "missing on the target"),
    Case("empty_topic_missing", [], None, "NOT_PROVABLE", {}, "missing on the target"),
    Case(
        "more_partitions",
        BASE,
        BASE,
        "DIFFERENT",
        {},
        "1 partitions on the source, 2 on the target",
        target_partitions=2,
    ),
    Case(
        "fewer_partitions",
        [*BASE, *some(3, partition=1)],
        BASE,
        "LOSS",
        {"missing_tail": 3},
        "missing on the target",
        partitions=2,
        target_partitions=1,
    ),
    Case(
        "foreign",
        BASE,
        [*BASE[:10], BASE[0].but(key=b"stranger", value=b"stranger", timestamp=NOW - 7), *BASE[10:]],
        "DIFFERENT",
        {"foreign": 1},
    ),
    Case(
        "foreign_tail",
        BASE,
        [*BASE, BASE[0].but(key=b"stranger", value=b"stranger", timestamp=NOW - 7)],
        "DIFFERENT",
        {"foreign": 1},
    ),
    Case(
        "all_other",
        BASE,
        some(40, prefix="w", start=NOW + 10**6, headers=()),
        "LOSS",
        {"missing_tail": 40, "foreign": 40},
    ),
    Case("equal_records", [BASE[0]] * 30, [BASE[0]] * 30, "PROVEN"),
    Case("equal_records_one_lost", [BASE[0]] * 30, [BASE[0]] * 29, "LOSS", {"missing_tail": 1}),
]
