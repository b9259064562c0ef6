# SPDX-License-Identifier: GPL-3.0-or-later
"""Two regions hold the same records that the active one never got: what the salvage of one has replayed, that of the
other does not replay again.
"""

from __future__ import annotations

import uuid

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from tests.support.kafka import clusters

from . import support
from .salvaging import fields, held, salvage_here
from .support import NOW, some

pytestmark = pytest.mark.real

ROWS = some(60)
# Two records that nothing tells apart.
ROWS[55] = ROWS[45]
LATER = some(10, prefix="later", start=NOW + 90000)
REPLAY = [{"topics": ".*", "action": "replay"}]


@pytest.fixture(scope="module")
def third(tmp_path_factory):
    broker = clusters(["third"], tmp_path_factory.mktemp("third"))["third"]
    yield broker
    broker.stop()


def fill(*filled, config=None):
    """A topic with these records in each cluster; its name."""
    name = f"svf.{uuid.uuid4().hex[:8]}"
    for cluster, rows in filled:
        support.create(cluster, {name: (1, config or {})})
        support.write(cluster, {name: rows})
    return name


def salvage(source, target, name, out, actions=None):
    return salvage_here(
        source, target, name, {"target": {name: {"0": 40}}}, out, REPLAY if actions is None else actions
    )


def appended(target, name):
    """What stands behind what the applications wrote, without the headers of salvages."""
    rows = held(target, name)[0][40 + len(LATER) :]
    return [(*row[1:4], [header for header in row[4] if header[0] != "kafka-dr-salvaged"]) for row in rows]


@pytest.mark.parametrize("first", ["more", "less"])
def test_what_another_region_has_replayed_is_not_replayed_again(pair, third, tmp_path, first):
    """One region holds 60 records, the other the first 56 of them."""
    regions = {"more": (pair["source"], ROWS), "less": (third, ROWS[:56])}
    name = fill(*regions.values(), (pair["target"], [*ROWS[:40], *LATER]))
    order = [first, *({"more", "less"} - {first})]
    found = [salvage(regions[which][0], pair["target"], name, tmp_path / which) for which in order]
    assert appended(pair["target"], name) == fields(ROWS[40:])
    assert [report["replayed"] for report in found] == ([20, 0] if first == "more" else [16, 4])
    assert [report["already"] for report in found] == [0, 16]
    assert all(report["complete"] for report in found)
    again = salvage(regions[order[1]][0], pair["target"], name, tmp_path / order[1])
    assert (again["already"], again["complete"]) == (16, True)
    assert appended(pair["target"], name) == fields(ROWS[40:])


def test_what_an_application_wrote_alike_counts_for_nothing(pair, third, tmp_path):
    """Only the entries of transactions tell what a salvage wrote."""
    name = fill((third, ROWS[:50]), (pair["target"], [*ROWS[:40], *LATER, *ROWS[40:45]]))
    report = salvage(third, pair["target"], name, tmp_path / "out")
    assert (report["replayed"], report["already"]) == (10, 0)


def test_where_times_of_records_are_not_kept_nothing_is_taken_for_the_same(pair, third, tmp_path):
    config = {"message.timestamp.type": "LogAppendTime"}
    name = fill((pair["source"], ROWS), (third, ROWS), (pair["target"], [*ROWS[:40], *LATER]), config=config)
    salvage(pair["source"], pair["target"], name, tmp_path / "source")
    before = held(pair["target"], name)
    with pytest.raises(KafkaDrError, match="Another region's salvage has replayed records"):
        salvage(third, pair["target"], name, tmp_path / "third")
    assert held(pair["target"], name) == before
    exported = salvage(third, pair["target"], name, tmp_path / "export", [])
    assert (exported["exported"], exported["complete"]) == (20, True)
