# SPDX-License-Identifier: GPL-3.0-or-later
"""What may be missing from a copy: only what the mirror had not reached. Whole comparisons in memory."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import comparison, stretches, worker
from tests.support.compared import NOW, Side, copied, found, judged, log

pytestmark = pytest.mark.usefixtures("short_chunks")

ROWS = log(range(1000))
MANIFEST = Side(ROWS, "the manifest", live=False)


@pytest.mark.parametrize(
    ("held", "through", "verdict", "counts"),
    [
        (600, None, "LOSS", {"missing_tail": 400}),
        (0, None, "LOSS", {"missing_tail": 1000}),
        (600, 600, "PROVEN", {"lost": 400}),
        (600, 1000, "LOSS", {"missing_tail": 400}),
        (600, 5000, "LOSS", {"missing_tail": 400}),
        (600, 601, "LOSS", {"missing_tail": 1, "lost": 399}),
        (650, 600, "PROVEN", {"lost": 350}),
        (0, 1000, "LOSS", {"missing_tail": 1000}),
        (0, 1, "LOSS", {"missing_tail": 1, "lost": 999}),
        (0, 0, "NOT_PROVABLE", {"lost": 1000}),
        (1000, 600, "PROVEN", {}),
        (1000, 1000, "PROVEN", {}),
    ],
)
def test_only_what_the_mirror_had_not_reached_may_be_missing(held, through, verdict, counts):
    report, part = judged(
        MANIFEST, Side(copied(ROWS[:held]), "target"), **({} if through is None else {"through": through})
    )
    assert (report["verdict"], found(part)) == (verdict, counts), report["reasons"]
    assert report["complete"] is (verdict == "PROVEN")
    if counts.get("lost"):
        assert part["mirrored_through"] == through
        assert f"{counts['lost']} records at or beyond offset {through} had not been copied and are lost" in " ".join(
            part["reasons"]
        )
        run = next(one for one in part["differences"] if one["kind"] == "lost")
        assert (run["source_offset"], run["count"]) == (1000 - counts["lost"], counts["lost"])


def test_a_hole_is_a_loss_wherever_the_known_end_stands():
    """What was copied after it shows that the mirror had been there."""
    report, part = judged(MANIFEST, Side(copied(ROWS[:700] + ROWS[705:900]), "target"), through=600)
    assert (report["verdict"], found(part)) == ("LOSS", {"missing": 5, "lost": 100})


@pytest.mark.parametrize(
    ("copy", "counts"),
    [
        # Long stretches are cut short, and what the copy has of the far end is told from what it has twice all the
        # same.
        ([*range(300), *range(1990, 2000)], {"missing": 1690}),
        ([*range(300), *range(1500, 1510)], {"missing": 1200, "lost": 490}),
        ([*range(300), *range(1000, 2000)], {"missing": 700}),
        ([*range(300), *range(290, 300)], {"duplicated": 10, "lost": 1700}),
        (range(300), {"lost": 1700}),
    ],
)
def test_a_long_hole_is_a_loss_too(monkeypatch, copy, counts):
    monkeypatch.setattr(stretches, "LONG", 100)
    rows = log(range(2000))
    report, part = judged(
        Side(rows, "the manifest", live=False), Side(copied([rows[at] for at in copy]), "target"), through=300
    )
    assert (report["complete"], found(part)) == ("missing" not in counts, counts), report["reasons"]


def test_a_long_hole_that_nobody_can_hold_is_not_complete(monkeypatch):
    monkeypatch.setattr(stretches, "LONG", 100)
    monkeypatch.setattr(stretches, "MOST", 500)
    rows = log(range(2000))
    assert not judged(
        Side(rows, "the manifest", live=False), Side(copied(rows[:300] + rows[1990:]), "target"), through=300
    )[0]["complete"]


def test_what_a_copy_held_and_lost_is_not_called_never_copied():
    """Without exactly-once the known end trails the copies; the copy's own end, as it was when the mirror stopped,
    tells.
    """
    report, part = judged(MANIFEST, Side(copied(ROWS[:600]), "target"), through=500, ends_target=1000)
    assert (report["verdict"], found(part)) == ("LOSS", {"missing_tail": 400}), report["reasons"]
    assert "the target ends at 600, before the bound 1000" in part["reasons"]
    report, part = judged(MANIFEST, Side(copied(ROWS[:600]), "target"), through=500, ends_target=600)
    assert (report["verdict"], found(part)) == ("PROVEN", {"lost": 400})


def test_a_copy_that_lost_what_lies_beyond_the_manifest_is_not_complete():
    """The manifest is older than the loss, and the copy has all of it; of the rest nobody knows what it was."""
    report, part = judged(MANIFEST, Side(copied(ROWS), "target"), through=1500, ends_target=1500)
    assert (report["verdict"], found(part)) == ("NOT_PROVABLE", {}), report["reasons"]
    assert report["reasons"] == ["t: partition 0: the target ends at 1000, before the bound 1500"]
    assert judged(Side([], "source"), Side([], "target"), ends_target=7)[0]["verdict"] == "NOT_PROVABLE"


def test_two_sides_that_lost_the_same_tail_prove_nothing():
    report, part = judged(
        Side(ROWS[:900], "source"), Side(copied(ROWS[:900]), "target"), ends_source=1000, ends_target=1000
    )
    assert report["verdict"] == "NOT_PROVABLE" and "the source ends at 900, before the bound 1000" in part["reasons"]
    assert "empty" not in " ".join(report["reasons"])


@pytest.mark.parametrize(
    ("bounds", "held", "verdict"),
    [
        ({"source": {"gone": {"0": 5}}}, ("t",), "NOT_PROVABLE"),
        ({"mirrored_through": {"gone": {"0": 5}}}, ("t", "gone"), "NOT_PROVABLE"),
        # Deleted long ago on both sides; or not asked for.
        ({"mirrored_through": {"gone": {"0": 5}}}, ("t",), "PROVEN"),
        ({"source": {"other": {"0": 5}, "__consumer_offsets": {"0": 5}}}, ("t",), "PROVEN"),
    ],
)
def test_a_topic_that_bounds_speak_of_is_not_passed_over(bounds, held, verdict):
    """As with a manifest that was made before the topic was, or a source that lost it."""
    target = Side(copied(ROWS), "target")
    target.held = held
    report = comparison.prepare(
        {"side": MANIFEST}, {"side": target}, comparison.Options("t|gone|__.*", bounds=bounds, wait_seconds=0)
    ).run(worker.InProcess())
    assert report["verdict"] == verdict
    assert any(reason.startswith("gone: ") for reason in report["reasons"]) is ("gone" in str(bounds))


def test_what_an_open_transaction_holds_back_is_said():
    source = Side(ROWS, "source")
    source.whole_end = 1400
    report, dummy = judged(source, Side(copied(ROWS), "target"))
    assert (report["verdict"], report["reasons"]) == (
        "PROVEN",
        [
            "t: partition 0: an open transaction holds back 400 offsets of the source from 1000 on, "
            "which were not judged"
        ],
    )
    assert not judged(source, Side(copied(ROWS[:900]), "target"), ends_source=900)[0]["reasons"]


def test_a_tail_that_an_open_transaction_of_the_target_hides_is_told_from_one_that_is_gone():
    target = Side(copied(ROWS[:900]), "target")
    target.whole_end = 1001
    report, part = judged(Side(ROWS, "source"), target)
    assert (report["verdict"], found(part)) == ("LOSS", {"missing_tail": 100})
    assert report["reasons"] == [
        "t: partition 0: an open transaction holds back 101 offsets of the target from 900 on, "
        "which nobody can read yet"
    ]
    target = Side(copied(ROWS), "target")
    target.whole_end = 1200
    assert not judged(Side(ROWS, "source"), target)[0]["reasons"], "the next records are being copied"
    # What applications write beyond the bound is no part of it.
    target = Side(copied(ROWS), "target")
    target.whole_end = 1200
    assert not judged(Side(ROWS[:900], "source"), target, ends_target=900)[0]["reasons"]


def test_keys_that_expired_at_the_source_are_not_foreign():
    """compact,delete: the copy's segments expire at other times than the source's."""
    rows = [(row[0], row[1], b"key %d" % row[0], *row[3:]) for row in ROWS]
    config = {"cleanup.policy": "compact,delete"}
    report, part = judged(Side(rows[500:], "source", start=500, **config), Side(copied(rows), "target", **config))
    assert (report["verdict"], found(part)) == ("PROVEN", {"beyond": 500})
    strange = [*copied(rows)[:900], (900, NOW, b"strange", b"", None), *copied(rows[900:], 901)]
    assert (
        judged(Side(rows[500:], "source", start=500, **config), Side(strange, "target", **config))[0]["verdict"]
        == "DIFFERENT"
    )
    assert (
        judged(Side(rows[500:], "source", **config), Side(copied(rows), "target", **config))[0]["verdict"]
        == "DIFFERENT"
    ), "nothing expired there"


def test_a_copy_that_stops_short_is_a_loss_in_long_stretches_too(monkeypatch):
    monkeypatch.setattr(stretches, "MOST", 50)
    report, part = judged(MANIFEST, Side([], "target"), through=333)
    assert (report["verdict"], found(part)) == ("LOSS", {"missing_tail": 333, "lost": 667})
    assert [(one["kind"], one["source_offset"], one["count"]) for one in part["differences"]] == [
        ("missing_tail", 0, 333),
        ("lost", 333, 667),
    ]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 3), min_size=1, max_size=60), st.data())
def test_a_prefix_that_reaches_the_known_end_is_proven_and_no_shorter_one(values, data):
    """Twins of what was copied lie beyond it, also with equal times; offsets have the gaps of transactions."""
    rows = [(2 * row[0] + (row[0] > 7), *row[1:]) for row in log(values, time=lambda at: NOW)]
    held = data.draw(st.integers(0, len(rows)))
    through = data.draw(st.integers(0, rows[-1][0] + 2))
    report, part = judged(
        Side(rows, "the manifest", live=False), Side(copied(rows[:held], 7), "target", start=7), through=through
    )
    below = sum(1 for row in rows[held:] if row[0] < through)
    if below:
        assert report["verdict"] == "LOSS", found(part)
    elif held:
        assert (report["verdict"], part["lost"]) == ("PROVEN", len(rows) - held), found(part)
    else:
        assert report["verdict"] == "NOT_PROVABLE"
    assert sum(found(part).values()) == len(rows) - held
