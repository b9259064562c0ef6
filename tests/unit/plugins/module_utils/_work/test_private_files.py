# SPDX-License-Identifier: GPL-3.0-or-later
"""Private files on a real file system."""

from __future__ import annotations

import os
import stat

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.private_files import private_files


def ensure(check_mode=False, **params):
    return private_files({"directories": [], "files": [], "absent": [], "owner": None, **params}, check_mode)


def test_files_are_written_once_and_privately(tmp_path):
    place, path = str(tmp_path / "deep" / "er"), str(tmp_path / "deep" / "er" / "x")
    first = ensure(directories=[place], files=[{"path": path, "content": "hush"}])
    assert first["changed"] and first["changed_paths"] == [place, path] and "hush" not in str(first)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600 and stat.S_IMODE(os.stat(place).st_mode) == 0o700
    assert not ensure(directories=[place], files=[{"path": path, "content": "hush"}])["changed"]


def test_what_differs_alone_is_replaced(tmp_path):
    paths = [str(tmp_path / name) for name in "ab"]
    ensure(files=[{"path": path, "content": "1"} for path in paths])
    again = ensure(files=[{"path": paths[0], "content": "1"}, {"path": paths[1], "content": "2"}])
    assert again["changed_paths"] == [paths[1]] and (tmp_path / "b").read_text() == "2"
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_a_file_that_others_can_read_is_a_change(tmp_path):
    (tmp_path / "a").write_text("1")
    (tmp_path / "a").chmod(0o644)
    assert ensure(files=[{"path": str(tmp_path / "a"), "content": "1"}])["changed"]
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600


def test_check_mode_says_and_does_nothing(tmp_path):
    (tmp_path / "old").write_text("")
    told = ensure(
        True,
        directories=[str(tmp_path / "d")],
        files=[{"path": str(tmp_path / "d" / "a"), "content": "1"}],
        absent=[str(tmp_path / "old")],
    )
    assert len(told["changed_paths"]) == 3 and os.listdir(tmp_path) == ["old"]


def test_absent_deletes_files_and_directories_and_no_target_of_a_link(tmp_path):
    (tmp_path / "d" / "e").mkdir(parents=True)
    (tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    paths = [str(tmp_path / name) for name in ("d", "link", "none")]
    assert ensure(absent=paths)["changed_paths"] == paths[:2]
    assert os.listdir(tmp_path) == ["kept"]


@pytest.mark.parametrize(
    "wrong, said",
    [
        ({"directories": ["relative"]}, "is relative"),
        ({"files": [{"path": "/x", "content": ""}], "absent": ["/x"]}, "is to be there and to be absent"),
        ({"owner": "no-such-user-here"}, "is unknown on this host"),
    ],
)
def test_bad_input_changes_nothing(wrong, said):
    with pytest.raises(UsageError, match=said):
        ensure(**wrong)


def test_what_the_system_refuses_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(KafkaDrError, match="cannot be written"):
        ensure(files=[{"path": str(tmp_path / "file" / "below"), "content": ""}])


def test_a_mark_stands_beside_a_changed_file_until_it_is_deleted(tmp_path):
    path = str(tmp_path / "a")
    asked = {"files": [{"path": path, "content": "1"}], "marks": True}
    assert ensure(True, **asked)["restart_due"] == [path + ".restart-due"] and not os.listdir(tmp_path)
    assert ensure(**asked)["restart_due"] == [path + ".restart-due"]
    # As after a run that was cut off before the restart.
    again = ensure(**asked)
    assert again["restart_due"] == [path + ".restart-due"] and not again["changed"]
    ensure(absent=again["restart_due"])
    assert ensure(**asked)["restart_due"] == [] and os.listdir(tmp_path) == ["a"]
    assert ensure(files=[{"path": path, "content": "2"}])["restart_due"] == []
