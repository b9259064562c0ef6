# SPDX-License-Identifier: GPL-3.0-or-later
"""The event source without Kafka: what it refuses, how long a state has lasted, what it never calls a loss."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.eda.health import SOURCE, events, mirror

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def closed():
    """An address that refuses."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{one.getsockname()[1]}"


def test_how_long_and_how_often(source):
    found = events(
        source,
        {"mirrors": [mirror()], "interval": 0.05},
        5,
        ["well", "silent", "silent", "silent", "well", "well", "well"],
    )
    told = [(one["mirror"]["state"], one["mirror"]["looks"]) for one in found]
    assert told == [("well", 1), ("silent", 1), ("silent", 2), ("silent", 3), ("well", 1)]
    assert found[1]["mirror"]["for_seconds"] == 0 < found[3]["mirror"]["for_seconds"]
    assert found[0]["mirror"]["source"] == "a" and found[0]["mirror"]["target"] == "b"


def test_mirrors_are_counted_each_by_itself(source):
    source["main"].__globals__["look"] = lambda one, *dummy: {
        "state": "well" if one["name"] == "x" else "late",
        "reasons": [],
        "heartbeat_age": 1.0,
        "lag": 0,
    }
    found = events(source, {"mirrors": [mirror(name="x"), mirror(name="y")], "interval": 0.05}, 4)
    assert [(one["mirror"]["name"], one["mirror"]["state"], one["mirror"]["looks"]) for one in found] == [
        ("x", "well", 1),
        ("y", "late", 1),
        ("x", "well", 2),
        ("y", "late", 2),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("with_source", [True, False])
def test_a_target_that_does_not_answer_is_no_loss_of_the_source(source, closed, with_source):
    """Nobody can be moved there, and nothing can be seen: unknown, whatever the source does."""
    described = mirror(
        target_client={"bootstrap.servers": closed},
        **({"source_client": {"bootstrap.servers": closed}} if with_source else {}),
    )
    told = events(source, {"mirrors": [described], "timeout": 5}, 1)[0]["mirror"]
    assert told["state"] == "unknown" and told["heartbeat_age"] is None and told["reasons"]


def test_a_client_that_is_wrong_is_no_loss(source):
    described = mirror(target_client={"bootstrap.servers": "127.0.0.1:1", "no.such.key": "x"})
    assert events(source, {"mirrors": [described], "timeout": 3}, 1)[0]["mirror"]["state"] == "unknown"


@pytest.mark.parametrize(
    "args, said",
    [
        ({}, "needs mirrors"),
        ({"mirrors": [{"name": "x"}]}, "lacks source, target"),
        ({"mirrors": [mirror(target_client=None)]}, "lacks target_client"),
        ({"mirrors": [mirror(source_client_file="/nowhere.json")]}, "cannot be read"),
    ],
)
def test_what_is_missing_is_said(source, args, said):
    with pytest.raises(ValueError, match=said):
        events(source, args, 1)


@pytest.mark.parametrize(
    "mode, text, said",
    [
        (0o644, '{"sasl.password": "hunter2"}', "chmod 600"),
        (0o600, '{"sasl.password": "hunter2"', "no JSON"),
        (0o600, '{"sasl.password": "hunter2"}', "no bootstrap.servers"),
    ],
)
def test_a_client_file_that_cannot_be_used_is_refused_without_its_content(source, tmp_path, mode, text, said):
    path = tmp_path / "client.json"
    path.write_text(text)
    os.chmod(path, mode)
    with pytest.raises(ValueError, match=said) as caught:
        events(source, {"mirrors": [mirror(target_client_file=str(path))]}, 1)
    assert "hunter2" not in str(caught.value)


def test_a_client_file_is_used(source, tmp_path):
    path = tmp_path / "client.json"
    path.write_text(json.dumps({"bootstrap.servers": "b:9092", "sasl.password": "hunter2"}))
    os.chmod(path, 0o600)
    assert (
        source["checked"]({"mirrors": [mirror(target_client_file=str(path))]})[0]["asked"]["target_client"][
            "sasl.password"
        ]
        == "hunter2"
    )


def test_a_connection_that_is_not_verified_is_told(source, caplog):
    loose = {"bootstrap.servers": "b:9092", "enable.ssl.certificate.verification": "false"}
    source["checked"]({"mirrors": [mirror(target_client=loose, source_client={"bootstrap.servers": "a:1"})]})
    (said,) = [one.getMessage() for one in caplog.records]
    assert "The connection to b:9092 is not verified (enable.ssl.certificate.verification=false)" in said


def test_it_needs_nothing_of_ansible():
    code = (
        "import runpy, sys; made = runpy.run_path(sys.argv[1]); made['utils']('_positions.mirror_progress'); "
        "sys.exit(any(one.split('.')[0] == 'ansible' for one in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code, str(SOURCE)], check=False, timeout=60).returncode == 0


@pytest.mark.parametrize(
    "kind, state",
    [
        ("UnreachableError", "source_unreachable"),
        ("TimedOutError", "source_unreachable"),
        ("AuthenticationError", "unknown"),
        ("AuthorizationError", "unknown"),
    ],
)
def test_only_silence_of_the_source_is_a_loss(source, kind, state):
    """A password that was changed must never ask for a failover. What a cluster answers is made here; the real ones are
    in tests/real/eda.
    """
    errors = source["utils"]("_errors")

    class Progress:
        """Fails while it is asked for the source too."""

        @staticmethod
        def mirror_progress(asked):
            if asked["source_client"]:
                raise getattr(errors, kind)("Cannot read metadata on a")
            return {"heartbeat": {"age": 70.0}, "lag": 0}

    described = source["checked"]({"mirrors": [mirror(source_client={"bootstrap.servers": "a:1"})]})[0]
    source["look"].__globals__["utils"] = {"_errors": errors, "_positions.mirror_progress": Progress}.__getitem__
    found = source["look"](described, 60.0, None)
    assert found["state"] == state and "Cannot read metadata on a" in found["reasons"][0] and found["lag"] is None


@pytest.mark.parametrize("key", ["name", "source", "target"])
@pytest.mark.parametrize("name", ["../../x", "a b", "{{ x }}", "a\nb", "-e"])
def test_a_name_that_is_no_name_is_refused(source, key, name):
    with pytest.raises(ValueError, match="letters, digits"):
        source["checked"]({"mirrors": [mirror(**{key: name})]})
