# SPDX-License-Identifier: GPL-3.0-or-later
"""A salvage is complete where everything is known that the target may lack, and nowhere else."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import MirrorNames
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import worker
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.comparison import Options, prepare
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage.run import Salvage
from tests.real.ledger.guarded import guarded, let_read
from tests.support.sides import side

from . import support
from .salvaging import salvage_here
from .support import create, drop, some, write

pytestmark = pytest.mark.real
ROWS = some(500)
KEEPS = {"retention.ms": 604800000}


def test_a_topic_that_the_source_hides_may_hold_what_its_copy_lacks(pair, tmp_path):
    source, of_user = guarded(tmp_path, "hides", ["stages"])
    try:
        for cluster in (source, pair["target"]):
            create(cluster, {"h.shown": (1, {}), "h.hidden": (1, {})})
        write(source, {"h.shown": ROWS, "h.hidden": ROWS})
        write(pair["target"], {"h.shown": ROWS, "h.hidden": ROWS[:300]})
        let_read(source, "stages", "h.shown")
        ends = {"h.shown": {"0": 500}, "h.hidden": {"0": 300}}
        bounds = {"target": ends, "mirrored_through": ends}
        shown = SimpleNamespace(client=of_user("stages"), name="north")
        found = salvage_here(shown, pair["target"], r"h\..*", bounds, tmp_path / "out")
        assert not found["complete"] and "h.hidden" in str(found["reasons"])
    finally:
        source.stop()


def test_a_topic_that_is_gone_hinders_nobody(pair, tmp_path):
    """MirrorMaker 2 keeps the copy of a deleted topic, and its offset."""
    create(pair["source"], {"g.kept": (1, {})})
    create(pair["target"], {"g.kept": (1, {}), "g.old": (1, {})})
    write(pair["source"], {"g.kept": ROWS})
    write(pair["target"], {"g.kept": ROWS[:490], "g.old": ROWS})
    ends = {"g.kept": {"0": 490}, "g.old": {"0": 500}}
    bounds = {"target": ends, "mirrored_through": ends}
    found = salvage_here(pair["source"], pair["target"], r"g\..*", bounds, tmp_path / "out")
    assert (found["complete"], found["exported"]) == (True, 10) and "g.old" in str(found["reasons"])


@pytest.mark.parametrize("deleted", [0, 10])
def test_nothing_has_expired_in_a_copy_that_did_not_begin_with_its_source(pair, tmp_path, deleted):
    """The copy was made again: it holds records 200 to 299 alone, of which some were deleted since."""
    name = f"e.again{deleted}"
    for cluster in pair.values():
        create(cluster, {name: (1, KEEPS)})
    write(pair["source"], {name: ROWS})
    write(pair["target"], {name: ROWS[200:300]})
    if deleted:
        support.delete_before(pair["target"], name, 0, deleted)
    bounds = {"target": {name: {"0": 100}}, "mirrored_through": {name: {"0": 300}}}
    found = salvage_here(pair["source"], pair["target"], name, bounds, tmp_path / "out")
    assert (found["complete"], found["exported"], found["expired"]) == (True, 400 + deleted, 0)
    if deleted:
        assert "210 records before offset 210 may have been copied" in str(found["reasons"])
        replay = [{"topics": ".*", "action": "replay"}]
        with pytest.raises(RefusedError, match="to know which of them had been copied"):
            salvage_here(pair["source"], pair["target"], name, bounds, tmp_path / "again", replay)


def test_nor_does_the_marker_of_a_transaction_count_as_a_record_that_has(pair, tmp_path):
    """Each record of the copy, 200 to 299, has a transaction of its own."""
    for cluster in pair.values():
        create(cluster, {"e.marked": (1, KEEPS)})
    write(pair["source"], {"e.marked": ROWS})
    alone = [row.but(group=number) for number, row in enumerate(ROWS[200:300])]
    write(pair["target"], {"e.marked": alone}, transactional=True)
    support.delete_before(pair["target"], "e.marked", 0, 100)
    bounds = {"target": {"e.marked": {"0": 200}}, "mirrored_through": {"e.marked": {"0": 300}}}
    found = salvage_here(pair["source"], pair["target"], "e.marked", bounds, tmp_path / "out")
    assert (found["complete"], found["exported"], found["expired"]) == (True, 450, 0)


@pytest.mark.parametrize("config", [KEEPS, {"retention.ms": -1}], ids=["young", "kept for good"])
def test_nor_has_what_is_too_young_for_the_copys_retention(pair, tmp_path, config):
    """The source was made again while its mirror stood still, which skipped what the new one held by then. What is gone
    at the head of the copy was the former topic's.
    """
    name, young = f"e.young{config['retention.ms']}", some(500, start=int(time.time() * 1000) - 3600000)
    create(pair["source"], {name: (1, KEEPS)})
    create(pair["target"], {name: (1, config)})
    write(pair["source"], {name: young})
    write(pair["target"], {name: some(200, prefix="former") + young[200:300]})
    support.delete_before(pair["target"], name, 0, 200)
    bounds = {"target": {name: {"0": 300}}, "mirrored_through": {name: {"0": 300}}}
    out = tmp_path / "out"
    found = salvage_here(pair["source"], pair["target"], name, bounds, out)
    assert (found["complete"], found["exported"], found["expired"]) == (True, 400, 0)
    assert "its retention does not explain that they are gone" in str(found["reasons"])
    replay = [{"topics": ".*", "action": "replay"}]
    with pytest.raises(RefusedError, match="to know which of them had been copied"):
        salvage_here(pair["source"], pair["target"], name, bounds, tmp_path / "again", replay)
    # The rest of the copy goes too.
    support.delete_before(pair["target"], name, 0, 300)
    found = salvage_here(pair["source"], pair["target"], name, bounds, out)
    assert (found["complete"], found["exported"], found["expired"]) == (True, 500, 0)


def test_what_counts_as_expired_by_now_does_not_replace_what_was_saved(pair, tmp_path):
    """Its files may be all that is left of these records."""
    for cluster in pair.values():
        create(cluster, {"e.aging": (1, KEEPS)})
    # The source's head is older than what the copy's owner keeps by the second run.
    young = some(500, start=int(time.time() * 1000) - 3600000)
    write(pair["source"], {"e.aging": young})
    write(pair["target"], {"e.aging": young[:300]})
    support.delete_before(pair["target"], "e.aging", 0, 100)
    bounds = {"target": {"e.aging": {"0": 300}}, "mirrored_through": {"e.aging": {"0": 300}}}
    out = tmp_path / "out"
    assert salvage_here(pair["source"], pair["target"], "e.aging", bounds, out)["exported"] == 300
    files = sorted((out / "data").iterdir())
    support.configure(pair["target"], "e.aging", {"retention.ms": "1800000"})
    with pytest.raises(RefusedError, match="records that this run does not find any more"):
        salvage_here(pair["source"], pair["target"], "e.aging", bounds, out)
    assert sorted((out / "data").iterdir()) == files
    found = salvage_here(pair["source"], pair["target"], "e.aging", bounds, tmp_path / "other")
    assert (found["exported"], found["expired"]) == (200, 100)


def test_nor_does_what_was_written_behind_the_copy(pair, tmp_path):
    """Applications wrote on where the copy ended, and its topic has expired to the middle of that."""
    for cluster in pair.values():
        create(cluster, {"e.used": (1, KEEPS)})
    write(pair["source"], {"e.used": ROWS})
    write(pair["target"], {"e.used": ROWS[200:300] + some(250)})
    support.delete_before(pair["target"], "e.used", 0, 350)
    bounds = {"target": {"e.used": {"0": 100}}, "mirrored_through": {"e.used": {"0": 300}}}
    found = salvage_here(pair["source"], pair["target"], "e.used", bounds, tmp_path / "out")
    assert (found["complete"], found["exported"], found["expired"]) == (True, 500, 0)


@pytest.mark.parametrize("again", [True, False], ids=["made again", "gone"])
def test_a_copy_that_goes_away_meanwhile_leaves_nothing_complete(pair, tmp_path, monkeypatch, again):
    name = f"w.{again}"
    for cluster in pair.values():
        create(cluster, {name: (1, {})})
    write(pair["source"], {name: ROWS})
    write(pair["target"], {name: ROWS[:490]})
    bounds = {"target": {name: {"0": 490}}, "mirrored_through": {name: {"0": 490}}}
    export = Salvage._export

    def removed_first(salvage: Salvage) -> None:
        drop(pair["target"], [name])
        if again:
            create(pair["target"], {name: (1, {})})
        export(salvage)

    monkeypatch.setattr(Salvage, "_export", removed_first)
    found = salvage_here(pair["source"], pair["target"], name, bounds, tmp_path / "out")
    assert not found["complete"] and f"{name} was deleted or created anew on target" in str(found["reasons"])


def test_a_name_that_looks_internal_is_data_where_a_mirror_copied_it(pair):
    """With another separator than a dot MirrorMaker 2 copies it."""
    names = ("s.other", "s.checkpoints.internal")
    for cluster in pair.values():
        create(cluster, {name: (1, {}) for name in names})
        write(cluster, {"s.other": ROWS, names[1]: ROWS[: 500 if cluster is pair["source"] else 100]})
    copied = {"mirrored_through": {name: {"0": 500} for name in names}}
    of_a_mirror = MirrorNames("na", "eu", separator="_").data_pattern([r"s\..*"], [])
    both = [side(pair[name].client, name) for name in ("source", "target")]
    for pattern, bounds in ((r"s\..*", copied), (of_a_mirror, copied), (of_a_mirror, None)):
        found = prepare(*both, Options(pattern, bounds=bounds))
        report = found.run(worker.InProcess())
        verdicts = {topic["topic"]: topic["verdict"] for topic in report["topics"]}
        assert verdicts == {names[0]: "PROVEN", names[1]: "LOSS"}, pattern
    found = prepare(*both, Options(r"s\..*")).run(worker.InProcess())
    assert (found["verdict"], [topic["topic"] for topic in found["topics"]]) == ("PROVEN", ["s.other"])
