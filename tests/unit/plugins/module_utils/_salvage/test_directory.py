# SPDX-License-Identifier: GPL-3.0-or-later
"""The place of exported files holds all of a run, or nothing of it."""

from __future__ import annotations

import json
import stat

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest.place import private
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage import spans
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage.directory import Directory

MINE = {"asked": "a"}


def fill(directory, *contents):
    files = {}
    for number, content in enumerate(contents):
        name = directory.path_of(number)
        with private(), directory.system.open_output_stream(f"{directory.inside}/{name}") as stream:
            stream.write(content)
        files[name] = {"records": number}
    return files


def held(place):
    return {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}


def run(place, *contents, identity=None):
    directory = Directory(str(place), identity or MINE)
    directory.begin()
    directory.commit(fill(directory, *contents), {"complete": True})
    return directory


def test_a_run_counts_as_a_whole_and_replaces_the_one_before(tmp_path):
    place = tmp_path / "deep" / "out"
    first = run(place, b"one", b"two")
    assert held(place) == {"salvage.json", f"data/{first.run}-00000.parquet", f"data/{first.run}-00001.parquet"}
    second = run(place, b"three")
    assert held(place) == {"salvage.json", f"data/{second.run}-00000.parquet"}
    told = json.loads((place / "salvage.json").read_text())
    assert told["files"] == {f"data/{second.run}-00000.parquet": {"records": 0}}
    assert told["complete"] and told["identity"] == MINE
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in place.rglob("*") if path.is_file()} == {0o600}


def test_an_abandoned_run_leaves_the_place_as_it_was(tmp_path):
    place = tmp_path / "out"
    directory = Directory(str(place), MINE)
    directory.begin()
    fill(directory, b"one")
    directory.abandon()
    assert not place.exists()
    run(place, b"one")
    before = held(place)
    directory = Directory(str(place), MINE)
    directory.begin()
    fill(directory, b"two")
    directory.abandon()
    assert held(place) == before


def test_what_a_killed_run_left_is_cleared_away_by_the_next_one(tmp_path):
    place = tmp_path / "out"
    killed = Directory(str(place), MINE)
    killed.begin()
    fill(killed, b"one", b"two")
    killed.system.create_dir(f"{killed.inside}/data")
    killed.system.move(f"{killed.inside}/{killed.path_of(0)}", f"{killed.inside}/data/{killed.run}-00000.parquet")
    last = run(place, b"three")
    assert held(place) == {"salvage.json", f"data/{last.run}-00000.parquet"}


def test_of_two_runs_only_the_later_one_counts(tmp_path):
    place = tmp_path / "out"
    first, second = Directory(str(place), MINE), Directory(str(place), MINE)
    first.begin()
    files = fill(first, b"one")
    second.begin()
    with pytest.raises(RefusedError, match="Another run has begun"):
        first.commit(files, {})
    first.abandon()
    second.commit(fill(second, b"two"), {})
    assert held(place) == {"salvage.json", f"data/{second.run}-00000.parquet"}


def test_a_run_that_ends_after_the_later_one_is_told_so(tmp_path):
    place = tmp_path / "out"
    first, second = Directory(str(place), MINE), Directory(str(place), MINE)
    first.begin()
    second.begin()
    second.commit(fill(second, b"two"), {})
    before = held(place)
    with pytest.raises(RefusedError, match="Another run has begun"):
        first.commit({}, {})
    first.abandon()
    assert held(place) == before


@pytest.mark.parametrize("found", ["salvage.json", "begun.json", "data/x.parquet", "notes"])
def test_files_of_others_are_left_alone(tmp_path, found):
    place = tmp_path / "out"
    (place / found).parent.mkdir(parents=True)
    (place / found).write_text("{}")
    with pytest.raises(RefusedError, match="holds files of something else"):
        Directory(str(place), MINE).begin()
    assert held(place) == {found}


def test_another_salvage_is_refused(tmp_path):
    run(tmp_path / "out", b"one")
    with pytest.raises(RefusedError, match="another loss, or with other actions"):
        Directory(str(tmp_path / "out"), {"asked": "b"}).begin()


def test_what_a_run_left_that_was_killed_at_its_begin_is_its_own(tmp_path):
    (tmp_path / "out" / "unfinished").mkdir(parents=True)
    run(tmp_path / "out", b"one")
    killed = tmp_path / "killed" / "unfinished"
    killed.mkdir(parents=True)
    (killed / "0123-begun.json").write_text("{")
    run(tmp_path / "killed", b"one")
    assert not killed.exists()


def test_a_directory_gets_the_mode_that_the_files_need(tmp_path):
    place = tmp_path / "out"
    place.mkdir(0o777)
    place.chmod(0o777)
    run(place, b"one")
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


def earlier(**more):
    part = {"exported": 150, "exported_offsets": [[0, 100], [500, 50]], **more}
    return {"orders": {"topic_id": "t", "partitions": {"0": part, "1": {"exported": 0}}}}


def of_a_format_that_named_no_offsets():
    topics = earlier()
    del topics["orders"]["partitions"]["0"]["exported_offsets"]
    return topics


@pytest.mark.parametrize(
    ("before", "now", "gone"),
    [
        (earlier(), {("orders", "0"): ("t", [[0, 100], [500, 50]])}, False),
        (earlier(), {("orders", "0"): ("t", [[0, 600]]), ("bills", "0"): ("u", [])}, False),
        (earlier(), {("orders", "0"): ("t", [[0, 100], [500, 49]])}, True),
        # As many others have taken their place.
        (earlier(), {("orders", "0"): ("t", [[500, 150]])}, True),
        (earlier(), {("orders", "0"): ("u", [[0, 600]])}, True),
        (earlier(), {}, True),
        (of_a_format_that_named_no_offsets(), {("orders", "0"): ("t", [[0, 600]])}, True),
        (earlier(exported=0, exported_offsets=[]), {}, False),
    ],
)
def test_what_an_earlier_run_exported_is_kept_until_all_of_it_is_found_again(tmp_path, before, now, gone):
    place = tmp_path / "out"
    directory = Directory(str(place), MINE)
    directory.begin()
    directory.commit(fill(directory, b"one"), {"topics": before})
    later = Directory(str(place), MINE)
    later.begin()
    found = {where: (topic_id, spans.as_runs(runs)) for where, (topic_id, runs) in now.items()}
    if gone:
        with pytest.raises(RefusedError, match="records that this run does not find any more"):
            later.refuse_gone(found)
    else:
        later.refuse_gone(found)


def test_a_manifest_that_cannot_be_read_is_not_passed_over(tmp_path):
    """A later run was killed at its begin: what it noted says nothing of the files that are there."""
    place = tmp_path / "out"
    run(place, b"one")
    Directory(str(place), MINE).begin()
    (place / "salvage.json").write_text("{")
    before = held(place)
    with pytest.raises(RefusedError, match="holds files of something else"):
        Directory(str(place), MINE).begin()
    assert held(place) == before
