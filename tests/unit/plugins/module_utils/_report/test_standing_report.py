# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a standing proof says no more than the watch knows."""

from __future__ import annotations

import html5lib
import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.page import render
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.standing import report_of
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.reasons import COMPACTED, HIDDEN

from .reports import NOW
from .test_junit import suite

DIFFERENCE = {"id": "orders-0/0/9f2c01ab", "text": "orders-0: missing at 17 <i>", "found_at": 1795285300000}


def standing(**watch):
    """What ``watch_info`` returns of a watch that has proven everything, with other keys of ``report.watch``."""
    return {
        "changed": False,
        "present": True,
        "source_cluster": "source-id",
        "target_cluster": "target-id",
        "topics": ["orders.items"],
        "watch": {
            "mirror": "backup",
            "at": int(NOW * 1000),
            "age_seconds": 2.5,
            "round": 12,
            "proven_through": {"orders.items": {"0": [41, 40], "1": [7, 7]}},
            "records": 48,
            "duplicates": 0,
            "unproven_records": 0,
            "unproven_seconds": 0,
            "never_compared": 0,
            "scrubbed_at": None,
            "differences": [],
            "differences_left_out": 0,
            "differences_accepted": 0,
            "accepted": [],
            "stopped": [],
            "stopped_left_out": 0,
            "topics_not_watched": [],
            **watch,
        },
    }


def report(**watch):
    return report_of(standing(**watch), "backup", 60, 300)


def page(told):
    text = render(told)
    html5lib.HTMLParser(strict=True).parse(text)
    return text


def test_what_is_proven_is_told_with_its_age():
    told = report()
    text = page(told)
    assert told["verdict"] == "proven" and "PROVEN" in text and "2.5 s before this page was made" in text
    assert "read all that the source held" in text and "orders.items" in text and ">41<" in text
    found, states = suite(told)
    assert set(states.values()) == {None} and found.get("name") == "watch.backup"


@pytest.mark.parametrize(
    "watch, verdict, words",
    [
        ({"differences": [DIFFERENCE]}, "not_proven", ["orders-0: missing at 17 &lt;i&gt;", DIFFERENCE["id"]]),
        ({"stopped": [{"topic": "orders", "partition": 3, "reason": "another leader"}]}, "not_proven", ["orders-3"]),
        ({"age_seconds": 61.0}, "not_proven", ["its last round is 61 s old"]),
        ({"unproven_records": 9, "unproven_seconds": 301.0}, "partly_proven", ["9 records are not proven"]),
        ({"unproven_records": 9, "unproven_seconds": 2.0}, "proven", ["9 records that it knew of are not"]),
        ({"topics_not_watched": [{"topic": "keys", "reason": COMPACTED}]}, "proven", ["keys", "it is compacted"]),
        ({"topics_not_watched": [{"topic": "x", "reason": HIDDEN}]}, "partly_proven", ["does not show it"]),
        ({"never_compared": 9, "unproven_records": 9}, "partly_proven", ["9 records that the source may still hold"]),
    ],
    ids=["difference", "stopped", "silent", "behind", "young", "compacted", "hidden", "never compared"],
)
def test_what_keeps_it_from_being_proven(watch, verdict, words):
    told = report(**watch)
    text = page(told)
    assert told["verdict"] == verdict and all(word in text for word in words), text
    failed = [name for name, state in suite(told)[1].items() if state]
    assert len(failed) == (0 if verdict == "proven" else 1), failed


def test_of_a_round_in_the_future_nobody_knows_how_old_what_is_not_proven_is():
    ahead = {"age_seconds": None, "ahead_seconds": 61.0, "unproven_records": 9, "unproven_seconds": None}
    text = page(report(**ahead))
    assert "9 records that it knew of are not" in text and "the oldest" not in text and "not reached" not in text


def test_a_watch_of_no_topic_proves_nothing():
    told = report_of({**standing(proven_through={}, records=0), "topics": []}, "backup", 60, 300)
    assert told["verdict"] == "not_proven" and "no topic is watched" in page(told)


def test_no_round_is_no_proof():
    told = report_of({"present": False, "watch": {}}, "backup", 60, 300)
    assert told["verdict"] == "not_proven" and "Nothing is proven: no round of the watch is known" in page(told)
    assert [name for name, state in suite(told)[1].items() if state] == ["watch-missing"]


@pytest.mark.parametrize("answer", [{}, {"present": True}, {"present": True, "watch": None}])
def test_what_is_no_answer_is_refused(answer):
    with pytest.raises(UsageError, match="no standing proof"):
        report_of(answer, "backup", 60, 300)


def test_the_watch_of_another_mirror_is_refused():
    with pytest.raises(UsageError, match="another mirror than spare"):
        report_of(standing(), "spare", 60, 300)


def test_very_many_partitions_are_told_by_topic_and_what_is_left_out_is_counted():
    many = {f"topic-{number:04}": {"partitions": 10, "records": 7} for number in range(1000)}
    text = page(report(proven_through=many))
    assert "500 more topics are not shown here" in text and "10 partitions, 7 records" in text
    wide = {"wide": {str(number): [number, number] for number in range(2000)}, "x": {"0": [1, 1]}}
    text = page(report(proven_through=wide))
    assert "1 more partitions are not shown here" in text and len(text) < 400_000
