# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be missing from a copy because the source's own policy, compaction or retention, took it away. Whole
comparisons in memory.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import stretches
from tests.support.compared import DAY, NOW, Side, copied, found, judged, log

pytestmark = pytest.mark.usefixtures("short_chunks")

ROWS = log(range(1000))
MANIFEST = Side(ROWS, "the manifest", live=False)
KEYED = [
    (0, NOW, b"a", b"a1", None),
    (1, NOW, b"b", b"b1", None),
    (2, NOW, b"a", b"a2", None),
    (3, NOW, b"c", b"c1", None),
    (4, NOW, b"b", b"b2", None),
]


@pytest.mark.parametrize(
    ("target", "through", "verdict", "counts"),
    [
        (KEYED[:3], 3, "PROVEN", {"lost": 2}),
        (KEYED[:3], None, "LOSS", {"missing_tail": 2}),
        (KEYED[:3], 5, "LOSS", {"missing_tail": 2}),
        (KEYED[:3], 4, "LOSS", {"missing_tail": 1, "lost": 1}),
        ([], 3, "LOSS", {"missing_tail": 1, "lost": 2}),
        (KEYED[1:3], 3, "PROVEN", {"lost": 2}),
    ],
)
def test_compacted_topics_lose_what_was_not_copied(target, through, verdict, counts):
    config = {"cleanup.policy": "compact"}
    known = {} if through is None else {"through": through}
    report, part = judged(Side(KEYED, "the manifest", live=False, **config), Side(target, "target", **config), **known)
    assert (report["verdict"], found(part)) == (verdict, counts), part


def test_an_older_value_that_the_source_compacted_away_is_no_altered_one():
    config = {"cleanup.policy": "compact"}
    source = Side([KEYED[2], KEYED[4]], "the manifest", live=False, **config)
    target = Side([KEYED[1], KEYED[2]], "target", **config)
    assert found(judged(source, target, through=3)[1]) == {"lost": 1}
    assert judged(source, target, through=5)[0]["verdict"] == "DIFFERENT"


LATER = [(5, NOW + 9, b"a", b"a3", None), (6, NOW + 9, b"d", b"d1", None), (7, NOW + 9, b"c", None, None)]
# Values that were overwritten in the source before its manifest was saved, so that the manifest does not know them.
OLD = [(at, NOW - 9, b"b", b"b0", None) for at in range(9)]


@pytest.mark.parametrize(
    ("target", "ends", "verdict", "counts"),
    [
        # The source wrote on after its manifest was saved, and the mirror copied that.
        ([*KEYED, *LATER], {}, "PROVEN", {"beyond": 3}),
        ([KEYED[4], *LATER], {}, "PROVEN", {"beyond": 3}),
        (LATER + [(8, NOW + 9, b"b", b"b3", None)], {}, "NOT_PROVABLE", {"beyond": 4}),
        # What lies before a record that both have was not written later.
        ([*KEYED[:3], LATER[2], KEYED[4]], {}, "DIFFERENT", {"altered": 1}),
        ([*KEYED[:3], LATER[1], *KEYED[3:]], {}, "DIFFERENT", {"foreign": 1}),
        # Nor is another value of the same time, or an older one, which a copy ends with that stops short.
        ([*KEYED[:4], (4, NOW, b"b", b"x", None)], {}, "DIFFERENT", {"altered": 1}),
        ([*KEYED[2:4], OLD[4]], {}, "DIFFERENT", {"altered": 1}),
        # Keys that are gone are missing, whatever came later.
        ([*KEYED[2:4], *LATER], {}, "LOSS", {"missing_tail": 1, "beyond": 3}),
        # Both ends were given: there is nothing later.
        ([*KEYED, *LATER], {"ends_source": 5, "ends_target": 8}, "DIFFERENT", {"altered": 2, "foreign": 1}),
    ],
)
def test_what_a_source_wrote_after_its_manifest_is_no_difference_in_a_compacted_topic(target, ends, verdict, counts):
    config = {"cleanup.policy": "compact"}
    target = [(at, *row[1:]) for at, row in enumerate(target)]
    report, part = judged(Side(KEYED, "the manifest", live=False, **config), Side(target, "target", **config), **ends)
    assert (report["verdict"], found(part)) == (verdict, counts), part


KEYLESS = [(at, NOW, None, b"v%d" % at, None) for at in range(20)]


@pytest.mark.parametrize(
    ("target", "verdict"),
    [(KEYLESS[:2], "NOT_PROVABLE"), ([], "NOT_PROVABLE"), (KEYLESS[1:], "NOT_PROVABLE"), (KEYLESS, "PROVEN")],
)
def test_records_without_a_key_are_not_one_key(target, verdict):
    """A topic that was compacted later on holds records that the cleaner drops, without one that follows."""
    config = {"cleanup.policy": "compact"}
    keyed = [(at + 20, *row[1:]) for at, row in enumerate(KEYED)]
    report, dummy = judged(Side([*KEYLESS, *keyed], "source", **config), Side([*target, *keyed], "target", **config))
    assert report["verdict"] == verdict, report["reasons"]


@pytest.mark.parametrize(
    ("target", "known", "verdict"),
    [
        (ROWS[:778], {"through": 700}, "NOT_PROVABLE"),
        (ROWS[:778], {"through": 777}, "NOT_PROVABLE"),
        (ROWS[:778], {"through": 900}, "LOSS"),
        (ROWS[:778], {}, "LOSS"),
        (ROWS, {"through": 700}, "PROVEN"),
    ],
)
def test_a_chunk_that_is_there_in_part_is_no_difference(target, known, verdict):
    source = Side(ROWS, "the manifest", live=False)
    source.detailed = lambda topic: False
    report, part = judged(source, Side(target, "target"), **known)
    assert report["verdict"] == verdict, part


WEEK = {"retention.ms": str(7 * DAY)}
AGED = log(range(500), time=lambda at: NOW - 8 * DAY + at) + log(range(500, 800), first=500)


@pytest.mark.parametrize(
    ("cut", "starts", "at", "config", "verdict"),
    [
        # Nothing is really missing: the source's own policy had expired it, and the region that was restored begins at
        # 0.
        (500, 500, NOW, WEEK, "PROVEN"),
        (500, 0, NOW, WEEK, "PROVEN"),
        (300, 300, NOW, WEEK, "PROVEN"),
        (0, 0, NOW, WEEK, "PROVEN"),
        # One record was younger, or was not expired when deletion was held off, or nothing is known of the backup's
        # log, or no policy deletes.
        (501, 501, NOW, WEEK, "LOSS"),
        (500, 500, NOW - 2 * DAY, WEEK, "LOSS"),
        (500, None, NOW, WEEK, "LOSS"),
        (500, 500, NOW, {}, "LOSS"),
        (500, 500, NOW, {"retention.ms": "-1"}, "LOSS"),
        # Nothing came back: never proven.
        (800, 800, NOW + 9 * DAY, WEEK, "NOT_PROVABLE"),
        (800, 800, NOW, WEEK, "LOSS"),
        # By size: only what was deleted, and only where what is left may fill it.
        (500, 500, NOW, {"retention.bytes": "1000"}, "PROVEN"),
        (500, 0, NOW, {"retention.bytes": "1000"}, "LOSS"),
        (500, 499, NOW, {"retention.bytes": "1000"}, "LOSS"),
        (500, 500, NOW, {"retention.bytes": "100000000"}, "LOSS"),
        (500, 500, NOW, {"retention.bytes": "-1"}, "LOSS"),
    ],
)
def test_a_head_is_excused_only_by_the_sources_own_policy(cut, starts, at, config, verdict):
    given_bounds = {} if starts is None else {"starts": starts, "at": at}
    report, part = judged(
        Side(AGED, "the manifest", live=False, **config), Side(copied(AGED[cut:]), "target"), **given_bounds
    )
    assert report["verdict"] == verdict, (found(part), part["reasons"])


def test_a_hold_excuses_nothing_that_was_deleted_from_the_copy_itself():
    """The restored region's own log start is nobody's policy: deletion was held off there."""
    report, part = judged(
        Side(AGED, "the backup", **{"retention.ms": "-1"}), Side(copied(AGED)[500:], "target", start=500), starts=0
    )
    assert report["verdict"] == "LOSS", part


@pytest.mark.parametrize(
    ("cut", "days", "verdict"), [(500, 7, "PROVEN"), (501, 7, "LOSS"), (500, 9, "LOSS"), (500, None, "LOSS")]
)
def test_a_source_whose_deletion_is_held_off_is_judged_by_its_limits_before_that(cut, days, verdict):
    """As when a region is back: it kept what had expired in the copy."""
    limits = {"retention.ms": -1 if days is None else days * DAY, "retention.bytes": -1}
    report, part = judged(
        Side(AGED, "source", **{"retention.ms": "-1"}), Side(copied(AGED)[cut:], "target", start=cut), limits=limits
    )
    assert report["verdict"] == verdict, part


def test_a_record_without_a_timestamp_is_not_called_expired():
    rows = log(range(100), time=lambda at: -1) + log(range(100, 200), first=100)
    assert (
        judged(Side(rows, "the manifest", live=False, **WEEK), Side(copied(rows[100:]), "target"), starts=100)[0][
            "verdict"
        ]
        == "LOSS"
    )


def test_a_live_copy_under_a_size_policy_may_have_deleted_more_than_its_source():
    rows = log(range(2000))
    size = {"retention.bytes": str(64 * 1024)}
    assert judged(Side(rows, "source", **size), Side(copied(rows)[500:], "target", start=500))[0]["verdict"] == "PROVEN"
    assert (
        judged(Side(rows, "source", **size), Side(copied(rows)[1990:], "target", start=1990))[0]["verdict"] == "LOSS"
    ), "so little never filled it"
    assert judged(Side(rows, "source", **size), Side(copied(rows[500:]), "target"))[0]["verdict"] == "LOSS", (
        "nothing was deleted there"
    )


def test_both_ends_at_once():
    target = Side(copied(AGED[500:700]), "target")
    report, part = judged(Side(AGED, "the manifest", live=False, **WEEK), target, starts=500, through=690)
    assert (report["verdict"], found(part)) == ("PROVEN", {"missing_head": 500, "lost": 100}), part["reasons"]
    report, part = judged(Side(AGED, "the manifest", live=False, **WEEK), target, starts=500, through=701)
    assert (report["verdict"], found(part)) == ("LOSS", {"missing_head": 500, "missing_tail": 1, "lost": 99})


def test_one_cluster_is_not_compared_with_itself():
    with pytest.raises(RefusedError, match="are one cluster"):
        judged(Side(ROWS, "source", cluster_id="same"), Side(ROWS, "target", cluster_id="same"))
    with pytest.raises(RefusedError, match="made of target itself"):
        judged(
            Side(ROWS, "the manifest", live=False, cluster_id="same", topic_id="id"),
            Side(ROWS, "target", cluster_id="same", topic_id="id"),
        )


def test_a_region_that_was_made_again_keeps_its_id_and_is_compared_with_its_manifest():
    again = Side(copied(ROWS), "target", cluster_id="same", topic_id="new")
    assert (
        judged(Side(ROWS, "the manifest", live=False, cluster_id="same", topic_id="old"), again)[0]["verdict"]
        == "PROVEN"
    )


@pytest.mark.parametrize(
    ("held", "counts", "verdict"),
    [
        (range(1603, 2000), {"missing_head": 1603}, "PROVEN"),
        # What was copied of the far end shows that the rest was not deleted at the head.
        ([*range(5), *range(1603, 2000)], {"missing": 1598}, "LOSS"),
        ([*range(1200, 1205), *range(1603, 2000)], {"missing_head": 1200, "missing": 398}, "LOSS"),
    ],
)
def test_a_long_expired_head_is_told_by_its_end(monkeypatch, held, counts, verdict):
    """A copy's log begins in the midst of a chunk, and a segment that expired holds more than is read again."""
    monkeypatch.setattr(stretches, "LONG", 100)
    monkeypatch.setattr(stretches, "MOST", 1500 if verdict == "PROVEN" else 2000)
    rows = log(range(2000), time=lambda at: NOW - (8 if at < 1700 else 1) * DAY)
    source = Side(rows, "the manifest", live=False, **{"retention.ms": str(7 * DAY)})
    report, part = judged(source, Side(copied([rows[at] for at in held]), "target"), starts=1603)
    assert (report["verdict"], found(part)) == (verdict, counts), report["reasons"]


def test_a_record_without_a_timestamp_is_not_excused_in_a_stretch_that_is_not_read(monkeypatch):
    monkeypatch.setattr(stretches, "LONG", 100)
    rows = log(range(2000), time=lambda at: -1 if at == 700 else NOW - 8 * DAY)
    source = Side(rows, "the manifest", live=False, **{"retention.ms": str(7 * DAY)})
    report, part = judged(source, Side(copied(rows[1603:]), "target"), starts=1603)
    assert (report["verdict"], found(part)) == ("LOSS", {"missing_head": 1603}), report["reasons"]
