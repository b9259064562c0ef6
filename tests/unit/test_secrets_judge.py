# SPDX-License-Identifier: GPL-3.0-or-later
"""The judge ``secrets`` sees a secret in each kind of place and in each form, and is content with what docs/security.md
allows alone.
"""

from __future__ import annotations

import ast
import base64
import json
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse
from pathlib import Path

import pytest

from kafka_dr_lab.pki import new_authority

ROOT = Path(__file__).resolve().parents[2]
JUDGES = ROOT / "tests" / "judges"
SECRET = "Zt7-planted/secret+of a test=1"


@pytest.fixture(scope="module")
def judges():
    """The judge's modules by name."""
    sys.path.append(str(JUDGES))
    import searching
    import secret_leaks
    import secret_places
    import secret_samples
    import secret_topics

    return {
        "searching": searching,
        "places": secret_places,
        "samples": secret_samples,
        "topics": secret_topics,
        "judge": secret_leaks,
    }


@pytest.fixture
def search(judges):
    return judges["searching"].Search({"password of x": SECRET})


@pytest.mark.parametrize("before", ["", "u", "us", "user:"])
@pytest.mark.parametrize("after", ["", "\n", "ab"])
def test_each_form_is_seen_wherever_it_begins(search, before, after):
    whole = (before + SECRET + after).encode()
    for form, content in (
        ("plain", whole),
        ("base64", base64.b64encode(whole)),
        ("base64", base64.urlsafe_b64encode(whole)),
        ("URL-encoded", urllib.parse.quote(whole, safe="").encode()),
        ("URL-encoded", urllib.parse.quote_plus(whole).encode()),
    ):
        search.finds.clear()
        search.look("file", "somewhere", b"x=" + content + b";")
        assert {one.form for one in search.finds} == {form}, content


def test_a_private_key_is_seen_by_each_of_its_lines_and_escaped(judges):
    key = new_authority("one")["key"]
    search = judges["searching"].Search({"key": key})
    for content in (
        key,
        json.dumps(key),
        key.replace("\n", "\\\n"),
        base64.b64encode(key.encode()).decode(),
        key.splitlines()[2],
    ):
        search.finds.clear()
        search.look("file", "somewhere", content.encode())
        assert search.finds, content
    search.finds.clear()
    search.look("file", "somewhere", new_authority("other")["key"].encode())
    assert not search.finds, "what all keys have in common is no secret"


def test_a_file_is_searched_across_portions(judges, search, tmp_path, monkeypatch):
    monkeypatch.setattr(judges["searching"], "PORTION", 64)
    for padding in range(0, 130, 7):
        search.finds.clear()
        (tmp_path / "file").write_bytes(b"." * padding + SECRET.encode())
        search.look_at_file(tmp_path / "file", "file")
        assert search.finds, padding


def test_a_running_process_gives_its_command_line_and_environment_away(judges, search, tmp_path):
    sampler = judges["samples"].Sampler({"lab": tmp_path})
    sleep = [sys.executable, "-c", "import time; time.sleep(20)"]
    running = [
        subprocess.Popen([*sleep, SECRET]),
        subprocess.Popen(sleep, env={"SPOILT": base64.b64encode(SECRET.encode()).decode()}),
    ]
    try:
        time.sleep(0.5)
        # Before the secrets are known.
        sampler.sample()
    finally:
        for one in running:
            one.kill()
            one.wait()
    sampler.search = search
    sampler.sample()
    assert {(one.kind, one.form) for one in search.finds} == {("command line", "plain"), ("environment", "base64")}
    assert not any(SECRET in one.where for one in search.finds), "the judge's own output gives nothing away"


def test_a_file_that_comes_and_goes_is_seen(judges, search, tmp_path):
    sampler = judges["samples"].Sampler({"lab": tmp_path}, 0.01, 0.02)
    sampler.search = search
    sampler.start()
    path = tmp_path / "deep" / "file"
    path.parent.mkdir()
    path.write_text(SECRET)
    end = time.monotonic() + 20
    while not search.finds and time.monotonic() < end:
        time.sleep(0.02)
    path.unlink()
    sampler.stop()
    assert [(one.kind, one.where) for one in search.finds] == [("file", "lab/deep/file")]


def test_a_directory_that_goes_while_it_is_looked_through_is_no_error(judges, search, tmp_path):
    sampler = judges["samples"].Sampler({"lab": tmp_path})
    sampler.search = search
    ended = threading.Event()

    def come_and_go():
        while not ended.is_set():
            (tmp_path / "deep" / "deeper").mkdir(parents=True)
            shutil.rmtree(tmp_path / "deep")

    churn = threading.Thread(target=come_and_go)
    churn.start()
    try:
        end = time.monotonic() + 2
        while time.monotonic() < end:
            sampler.look_at_files()
    finally:
        ended.set()
        churn.join()


def test_what_breaks_the_sampling_breaks_the_judge(judges, search, tmp_path, monkeypatch):
    sampler = judges["samples"].Sampler({"lab": tmp_path}, 0.01)
    monkeypatch.setattr(judges["samples"], "PROC", tmp_path / "absent")
    sampler.start()
    time.sleep(0.3)
    with pytest.raises(FileNotFoundError):
        sampler.stop()


class Message:
    def __init__(self, key=None, value=None, headers=None):
        self.parts = key, value, headers

    error = staticmethod(lambda: None)
    topic = staticmethod(lambda: "orders")
    key = property(lambda self: lambda: self.parts[0])
    value = property(lambda self: lambda: self.parts[1])
    headers = property(lambda self: lambda: self.parts[2])


@pytest.mark.parametrize(
    "message",
    [
        Message(key=SECRET.encode()),
        Message(value=SECRET.encode()),
        Message(headers=[("x", None), ("y", SECRET.encode())]),
        Message(headers=[(SECRET, b"")]),
    ],
)
def test_all_parts_of_a_record_are_searched(judges, search, message):
    judges["topics"].look_at_record(search, "europe", message)
    assert [(one.kind, one.where) for one in search.finds] == [("topic", "europe/orders")]


def test_only_the_places_of_the_page_are_allowed_and_only_while_they_are_private(judges):
    find = judges["searching"].Find
    env = "lab/regions/south_america/departures-producer.env"
    allowed = find("file", env, "password of departures-producer", "plain", True)
    wrong = [
        allowed._replace(private=False),
        allowed._replace(secret="ledger secret"),
        allowed._replace(where="lab/work/x"),
        allowed._replace(kind="topic"),
    ]
    search = judges["searching"].Search({"x": SECRET})
    search.finds.update([allowed, *wrong])
    assert search.leaks(judges["places"].ALLOWED) == sorted(wrong)


def test_every_allowed_place_names_a_section_of_the_page(judges):
    known = judges["searching"].sections((ROOT / "docs" / "security.md").read_text())
    assert not [one for one in judges["places"].ALLOWED if one.section not in known]


def test_a_blind_search_is_told(judges, tmp_path):
    judge = judges["judge"]
    planted = judge.Planted(dict.fromkeys(("lab", "report", "temporary", "output"), tmp_path))
    assert set(planted.unseen(set())) == set(planted.KINDS)
    find = judges["searching"].Find
    seen = {
        find(kind, f"{place}/x" if kind == "file" else "a program", judge.PLANTED, "plain", False)
        for place, kind in planted.KINDS.items()
    }
    assert planted.unseen(seen) == []
    assert planted.unseen({one for one in seen if one.kind != "topic"}) == ["topic"]


def test_what_is_too_short_to_be_looked_for_is_refused(judges):
    with pytest.raises(ValueError, match="too short"):
        judges["searching"].Search({"x": "short"})


@pytest.mark.parametrize("path", sorted(JUDGES.glob("*.py")), ids=lambda path: path.stem)
def test_no_judge_takes_this_one_for_python_s_own_module(path):
    """Where a judge is run, its directory comes first on the path; ``places`` puts it last, before anything else can
    ask for ``secrets``.
    """
    own = {one.stem for one in JUDGES.glob("*.py")}
    code = path.read_text()
    if 'if __name__ == "__main__"' not in code:
        return
    names = [
        name
        for node in ast.parse(code).body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names])
    ]
    before = names[: names.index("places")]
    assert not [
        one
        for one in before
        if one.split(".")[0] not in sys.stdlib_module_names - own and one not in ("__future__", "yaml")
    ], before
    asks = "import sys; sys.path.insert(0, sys.argv[1]); import places, secrets; print(secrets.token_hex(1))"
    done = subprocess.run([sys.executable, "-c", asks, str(JUDGES)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
