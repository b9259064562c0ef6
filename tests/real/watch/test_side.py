# SPDX-License-Identifier: GPL-3.0-or-later
"""After a loss of the source, open windows close the proof in this process, and the target alone is asked."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import worker
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.comparison import Options, prepare
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.side import specs
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import TOPIC
from tests.real.proof.support import create, some

from .watching import Watching, side, watch_of

pytestmark = pytest.mark.real

ROWS = some(2000, headers=())


def close(watching, state, bounds=None):
    """The report of a comparison of what the windows hold with the target."""
    source, target = specs(side(watching.pair["target"], "target"), watching.name, TOPIC, state)
    options = Options(f"{watching.name}.*", rename=state.rename, bounds=bounds, wait_seconds=0)
    return prepare(source, target, options).run(worker.InProcess())


@pytest.mark.parametrize(
    ("name", "first", "then", "through", "verdict", "counts"),
    [
        ("whole", ROWS[:1500], ROWS[1500:], None, "PROVEN", {}),
        ("idle", ROWS, [], None, "PROVEN", {}),
        ("lost", ROWS[:1500], ROWS[1500:1700], 1600, "PROVEN", {"lost": 300}),
        ("cut", ROWS[:1500], ROWS[1500:1700], 1800, "LOSS", {"lost": 200, "missing_tail": 100}),
        ("hole", ROWS[:1500], [*ROWS[1500:1600], *ROWS[1601:]], None, "LOSS", {"missing": 1}),
        ("at_once", ROWS[:1500], ROWS[1501:], None, "LOSS", {"missing": 1}),
        ("copies", ROWS[:1500], [*ROWS[1200:1500], *ROWS[1500:]], None, "DUPLICATES", {"duplicated": 300}),
        ("swap", ROWS[:1500], [ROWS[1501], ROWS[1500], *ROWS[1502:]], None, "DIFFERENT", {"reordered": 1}),
        ("strange", ROWS[:1500], [ROWS[0].but(value=b"x"), *ROWS[1500:]], None, "DIFFERENT", {"foreign": 1}),
        ("later", ROWS[:1500], [*ROWS[1500:], ROWS[0].but(value=b"x")], None, "PROVEN", {"beyond": 1}),
        ("never", [], [], None, "LOSS", {"missing_tail": 2000}),
    ],
)
def test_windows_close_the_proof(pair, name, first, then, through, verdict, counts):
    topic = f"w.side.{name}"
    watching = watch_of(pair, topic)
    watching.write("source", ROWS)
    watching.write("target", first)
    state = watching.rounds()
    assert state.partitions[topic, 0].waiting == len(ROWS) - len(first)
    watching.write("target", then)
    report = close(watching, state, None if through is None else {"mirrored_through": {topic: {"0": through}}})
    (part,) = report["topics"][0]["partitions"]
    assert report["verdict"] == verdict, report["reasons"]
    assert {kind: part[kind] for kind in counts} == counts
    # Only what was open is read: the last matched record, and what follows.
    assert part["records_source"] == len(ROWS) - max(0, len(first) - 1)


def test_what_a_comparison_cannot_tell_is_in_the_state(pair):
    topic = "w.side.short"
    for cluster in pair.values():
        create(cluster, {topic: (1, {}), f"{topic}.table": (1, {"cleanup.policy": "compact"})})
    watching = Watching(pair, topic)
    watching.write("source", ROWS)
    watching.write("target", [*ROWS[:100], *ROWS[101:]])
    state = watching.rounds()
    (difference,) = state.differences
    assert (difference.kind, difference.count, difference.accepted) == ("missing", 1, None)
    assert "is compacted" in state.not_watched[f"{topic}.table"]
    assert close(watching, state)["verdict"] == "PROVEN"
