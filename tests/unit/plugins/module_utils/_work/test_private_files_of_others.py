# SPDX-License-Identifier: GPL-3.0-or-later
"""Private files where somebody else was first: what others own, or can exchange, is not written into."""

from __future__ import annotations

import contextlib
import os
import pwd
import signal
import stat
import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._host.files import replace
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.private_files import private_files

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs to make files of other users")
OTHER, THIRD = 54321, 54322


def ensure(check_mode=False, **params):
    return private_files({"directories": [], "files": [], "absent": [], "owner": None, **params}, check_mode)


def refused(*words, check_mode=False, **params):
    with pytest.raises(RefusedError) as caught:
        ensure(check_mode, **params)
    assert all(one in str(caught.value) for one in ("expected", "found", *words)), str(caught.value)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_directory_of_another_user(tmp_path, check_mode):
    place = tmp_path / "taken"
    place.mkdir()
    os.chown(place, OTHER, OTHER)
    refused(
        str(place),
        "user 54321",
        check_mode=check_mode,
        directories=[str(place)],
        files=[{"path": str(place / "a"), "content": "hush"}],
    )
    assert os.listdir(place) == [] and place.stat().st_uid == OTHER


def test_a_directory_below_one_of_another_user(tmp_path):
    place = tmp_path / "kafka-dr-operator"
    place.mkdir()
    os.chown(place, OTHER, OTHER)
    refused(str(place), "user 54321", directories=[str(place / "proof" / "run")])
    assert os.listdir(place) == []


@pytest.mark.parametrize("way", ["files", "absent", "directories"])
@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("hops", [1, 2])
def test_a_way_through_a_link_of_another_user(tmp_path, way, check_mode, hops):
    kept, link = tmp_path / "kept", tmp_path / "theirs" / "link"
    kept.mkdir()
    (kept / "a").write_text("before")
    link.parent.mkdir()
    link.symlink_to(kept)
    os.chown(link.parent, OTHER, OTHER)
    os.lchown(link, OTHER, OTHER)
    if hops == 2:
        (tmp_path / "own").symlink_to("theirs/link")
    path = str((tmp_path / "own" if hops == 2 else link) / "a")
    wanted = {"files": [{"path": path, "content": "hush"}], "absent": [path], "directories": [path + "b"]}
    refused(str(link), "user 54321", check_mode=check_mode, **{way: wanted[way]})
    assert os.listdir(kept) == ["a"] and (kept / "a").read_text() == "before"


def test_a_way_through_links_of_ones_own(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "link").symlink_to("kept")
    (tmp_path / "again").symlink_to(tmp_path / "link")
    assert ensure(files=[{"path": str(tmp_path / "again" / "a"), "content": "hush"}])["changed"]
    assert (tmp_path / "kept" / "a").read_text() == "hush"


def test_a_directory_below_one_that_everybody_may_write(tmp_path):
    place = tmp_path / "open"
    place.mkdir()
    place.chmod(0o777)
    refused(str(place), "everybody", directories=[str(place / "run")])
    place.chmod(0o1777)
    assert ensure(directories=[str(place / "run")])["changed"]


def test_a_link_of_another_user(tmp_path):
    aim, link = tmp_path / "aim", tmp_path / "link"
    aim.mkdir()
    link.symlink_to(aim)
    os.chown(link, OTHER, OTHER, follow_symlinks=False)
    refused(str(link), "a link", directories=[str(link)])


def test_a_link_to_a_directory_of_another_user(tmp_path):
    aim, link = tmp_path / "aim", tmp_path / "link"
    aim.mkdir()
    os.chown(aim, OTHER, OTHER)
    link.symlink_to(aim)
    refused("user 54321", directories=[str(link)])


def test_a_link_of_one_s_own_is_followed(tmp_path):
    aim, link = tmp_path / "aim", tmp_path / "link"
    aim.mkdir()
    link.symlink_to(aim)
    ensure(directories=[str(link)], files=[{"path": str(link / "a"), "content": "hush"}])
    assert (aim / "a").read_text() == "hush" and link.is_symlink()


def test_a_file_that_is_a_link_of_another_user(tmp_path):
    aim, link = tmp_path / "aim", tmp_path / "a"
    aim.write_text("hush")
    aim.chmod(0o600)
    link.symlink_to(aim)
    os.chown(link, OTHER, OTHER, follow_symlinks=False)
    refused(str(link), "a link", files=[{"path": str(link), "content": "hush"}])


def test_a_file_of_another_user_is_replaced_although_it_says_the_same(tmp_path):
    path = tmp_path / "a"
    path.write_text("hush")
    path.chmod(0o600)
    os.chown(path, OTHER, OTHER)
    assert ensure(files=[{"path": str(path), "content": "hush"}])["changed"]
    assert path.stat().st_uid == os.geteuid() and stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_owner_s_own_directories_are_taken(tmp_path, monkeypatch):
    """A mirror's directory below its user's home, written as root."""
    monkeypatch.setattr(
        "ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.private_files._owner",
        lambda name: (OTHER, OTHER) if name else None,
    )
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, OTHER, OTHER)
    ensure(
        directories=[str(home / "mirror")],
        files=[{"path": str(home / "mirror" / "a"), "content": "hush"}],
        owner="mirror",
    )
    assert (home / "mirror" / "a").stat().st_uid == OTHER
    os.chown(home, THIRD, THIRD)
    refused("user 54322", directories=[str(home / "mirror")], owner="mirror")


def test_something_that_is_no_directory(tmp_path):
    (tmp_path / "a").write_text("")
    refused("a directory", directories=[str(tmp_path / "a")])


def test_the_owner_to_be_does_not_choose_what_it_is_given(tmp_path):
    """The mirror's user may own the directory that the mirror's is made in, and put a link there."""
    nobody = pwd.getpwnam("nobody")
    base, secret = tmp_path / "base", tmp_path / "etc"
    base.mkdir()
    secret.mkdir(mode=0o755)
    (base / "backup").symlink_to(secret)
    os.chown(base / "backup", nobody.pw_uid, nobody.pw_gid, follow_symlinks=False)
    refused(str(base / "backup"), "nobody", owner="nobody", directories=[str(base / "backup")])
    assert (secret.stat().st_uid, stat.S_IMODE(secret.stat().st_mode)) == (0, 0o755)
    # A directory above it that is theirs is enough to exchange it.
    (base / "backup").unlink()
    os.chown(base, nobody.pw_uid, nobody.pw_gid)
    (base / "old").mkdir()
    refused(str(base / "old"), "nobody", owner="nobody", directories=[str(base / "old")])
    assert (base / "old").stat().st_uid == 0
    for name in ("new", "new/tls"):
        assert ensure(
            owner="nobody", directories=[str(base / name)], files=[{"path": str(base / name / "a"), "content": "x"}]
        )["changed"]
        assert not ensure(
            owner="nobody", directories=[str(base / name)], files=[{"path": str(base / name / "a"), "content": "x"}]
        )["changed"]
    assert {one.stat().st_uid for one in (base / "new", base / "new/tls", base / "new/tls/a")} == {nobody.pw_uid}


def test_what_is_of_root_is_given_to_the_owner(tmp_path):
    (tmp_path / "made").mkdir()
    assert ensure(owner="nobody", directories=[str(tmp_path / "made")])["changed"]
    assert (tmp_path / "made").stat().st_uid == pwd.getpwnam("nobody").pw_uid


def test_the_owner_of_a_directory_does_not_exchange_a_file_before_it_is_given(tmp_path):
    """A process of that user is faster than the naming of the owner: what it put a link to was given to it."""
    place, victim = tmp_path / "place", tmp_path / "victim"
    place.mkdir()
    victim.write_text("root's")
    os.chown(place, OTHER, OTHER)
    child = os.fork()
    if child == 0:
        os.chdir(place)
        os.setgroups([])
        os.setgid(OTHER)
        os.setuid(OTHER)
        while True:
            for name in os.listdir("."):
                if name.endswith(".new"):
                    with contextlib.suppress(OSError):
                        os.unlink(name)
                        os.symlink(victim, name)
    try:
        until = time.monotonic() + 3
        while time.monotonic() < until and victim.stat().st_uid == 0:
            with contextlib.suppress(OSError):
                replace(str(place / "a"), b"x", 0o600, (OTHER, OTHER))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert victim.stat().st_uid == 0 and victim.read_text() == "root's"
