# SPDX-License-Identifier: GPL-3.0-or-later
"""The watch as a service: where it runs, what it is told, its program, and what its state means."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import zipfile

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import watching
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.watch import watch_manifests
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import reasons
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.health import troubles
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.program import watch_program
from kafka_dr_spark.arguments import parser

MIRROR = {"name": "there", "source": "na", "target": "eu", "topics": [r"flights\..*", "o'r$d\"ers"]}


def regions(**target):
    users = [{"name": "kdr-watch", "purpose": "watch", "password": "pw"}]
    base = {"kafka_dr_client": {"bootstrap.servers": "b:9092"}, "kafka_dr_users": users, "kafka_dr_platform": "host"}
    return {
        "na": dict(base),
        "eu": {**base, "kafka_dr_mirror_directory": "/srv", "kafka_dr_watch": {}, **target},
        "m1": {},
        "m2": {"kafka_dr_mirror_user": "kafka"},
    }


def test_it_runs_on_the_first_machine_of_the_mirror():
    node = watching.watch_node(MIRROR, regions(kafka_dr_mirror_hosts=["m1", "m2"], kafka_dr_python="/usr/bin/p"))
    assert (node["name"], node["host"], node["directory"], node["python"]) == (
        "watch-there",
        "m1",
        "/srv/watch/there",
        "/usr/bin/p",
    )
    assert watching.watch_node(MIRROR, regions())["host"] == "eu"


def test_it_runs_where_the_inventory_says():
    described = {"host": "m2", "directory": "/var/lib/w", "python": "/opt/w/bin/python"}
    node = watching.watch_node(MIRROR, regions(kafka_dr_mirror_hosts=["m1", "m2"], kafka_dr_watch=described))
    assert (node["host"], node["directory"], node["python"], node["user"]) == (
        "m2",
        "/var/lib/w/there",
        "/opt/w/bin/python",
        "kafka",
    )


@pytest.mark.parametrize(
    "target, expected",
    [
        ({"kafka_dr_watch": {"host": "m9"}}, "host: one of eu"),
        ({"kafka_dr_mirror_directory": None}, "kafka_dr_mirror_directory"),
        ({"kafka_dr_watch": None}, "describes no watch"),
        ({"kafka_dr_mirror_platform": "deployment"}, "image"),
    ],
)
def test_what_cannot_be_is_refused(target, expected):
    with pytest.raises(UsageError, match=expected):
        watching.watch_node(MIRROR, regions(**target))


def test_without_a_description_there_is_no_watch():
    assert watching.has_watch(MIRROR, regions())
    assert not watching.has_watch(MIRROR, regions(kafka_dr_watch=None))
    assert not watching.has_watch({}, regions()) and not watching.has_watch({**MIRROR, "target": "x"}, regions())


def test_the_program_takes_its_words():
    described = {"metrics": {"port": 9405}, "max_mb_per_second": 50}
    words = watching.watch_words(MIRROR, regions(kafka_dr_watch=described), "/srv/watch/there", 5)
    taken = parser().parse_args(words)
    assert (taken.mirror, taken.metrics, taken.max_mb_per_second) == ("there", "127.0.0.1:9405", 50.0)
    assert (taken.offsets_topic, taken.alias, taken.rename) == ("mm2-offsets.na.internal", "na", "identity:na.")
    assert "o'r$d\"ers" in taken.topics
    assert taken.positions_topic == "__kafka_dr_positions"
    words = watching.watch_words(MIRROR, regions(kafka_dr_positions_topic="__kafka_dr_p"), "/srv", 5)
    assert parser().parse_args(words).positions_topic == "__kafka_dr_p"
    assert "--metrics" not in watching.watch_words(MIRROR, regions(), "/srv", 5)


def test_its_clients_are_its_own_principal():
    files = watching.watch_files(MIRROR, regions(), ["watch"], True)
    assert json.loads(files["source.json"])["sasl.username"] == "kdr-watch"
    assert json.loads(files["target.json"])["sasl.password"] == "pw"
    assert json.loads(files["watch.json"]) == {"words": ["watch"], "begin_anew": True}


def test_the_program_is_one_file_that_runs_without_the_collection(tmp_path):
    packed = watch_program()
    assert packed == watch_program(), "the same code is the same program"
    (tmp_path / "watch.zip").write_bytes(base64.b64decode(packed["watch.zip"]))
    assert zipfile.ZipFile(tmp_path / "watch.zip").testzip() is None
    (tmp_path / "watch.json").write_text(json.dumps({"words": ["watch", "--help"], "begin_anew": False}))
    for word in ("--check", "watch.json"):
        done = subprocess.run(
            [sys.executable, "watch.zip", word], cwd=tmp_path, env={}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert "--begin-anew" in done.stdout


def test_what_is_not_installed_is_named(tmp_path):
    (tmp_path / "watch.zip").write_bytes(base64.b64decode(watch_program()["watch.zip"]))
    done = subprocess.run(
        [sys.executable, "-S", "-E", "watch.zip", "--check"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3 and "prometheus_client" in done.stdout.split()


def test_its_manifests_keep_passwords_in_the_secret():
    files = {"watch.json": "{}", "source.json": '{"sasl.password": "pw"}', "target.json": "{}"}
    config, secret, deployment = watch_manifests(
        "watch-there",
        "ns",
        "image:1",
        files,
        {"watch.zip": "UEs=", "log4j2.properties": "x"},
        {"spec": {"paused": True}},
    )
    assert config["data"] == {"log4j2.properties": "x"} and config["binaryData"] == {"watch.zip": "UEs="}
    assert set(secret["data"]) == set(files) and "pw" not in json.dumps([config, deployment])
    assert deployment["spec"]["paused"] and deployment["spec"]["strategy"] == {"type": "Recreate"}
    assert len(watch_program()["watch.zip"]) * 3 // 4 < 1 << 20, "what a ConfigMap holds"
    # The pod copies its clients there.
    assert {"name": "scratch", "emptyDir": {"medium": "Memory"}} in deployment["spec"]["template"]["spec"]["volumes"]


WELL = {
    "age_seconds": 1.0,
    "unproven_records": 0,
    "unproven_seconds": 0,
    "never_compared": 0,
    "differences": [],
    "differences_left_out": 0,
    "stopped": [],
    "topics_not_watched": [],
}
DIFFERENCE = {"topic": "t", "partition": 0, "kind": "missing", "source_offset": 5, "target_offset": None}
DIFFERENCE["text"] = "t-0/0/01234567: missing x1 at source offset 5"


@pytest.mark.parametrize(
    "change, kinds",
    [
        ({}, []),
        ({"age_seconds": 61.0}, ["watch-stale"]),
        ({"age_seconds": None, "ahead_seconds": 61.0}, ["watch-stale"]),
        ({"vanished_records": 2}, ["watch-vanished"]),
        ({"unproven_seconds": 301, "unproven_records": 4}, ["watch-behind"]),
        # A reader that bears a silent watch for longer.
        ({"age_seconds": 50.0, "unproven_seconds": 350}, ["watch-behind"]),
        ({"age_seconds": None, "ahead_seconds": 61.0, "unproven_seconds": None}, ["watch-stale"]),
        ({"differences": [DIFFERENCE]}, ["watch-differs"]),
        ({"stopped": [{"topic": "t", "partition": 1, "reason": "r"}]}, ["watch-stopped"]),
        ({"never_compared": 2}, ["watch-gap"]),
        ({"topics_not_watched": [{"topic": "t", "reason": "r"}]}, ["watch-leaves-out"]),
        ({"age_seconds": 61.0, "differences": [DIFFERENCE]}, ["watch-stale", "watch-differs"]),
    ],
)
def test_what_is_wrong_is_named(change, kinds):
    assert [trouble.kind for trouble in troubles({**WELL, **change}, 60, 300)] == kinds


@pytest.mark.parametrize("reason, severity", [(reasons.GONE, "info"), (reasons.HIDDEN, "warning")])
def test_what_is_left_out_although_a_watch_could_stand_for_it_is_a_warning(reason, severity):
    rows = [{"topic": "t", "reason": reasons.STAMPED}, {"topic": "u", "reason": reason}]
    (trouble,) = troubles({**WELL, "topics_not_watched": rows}, 60, 300)
    assert trouble.severity == severity


def test_where_no_record_is_known_that_is_not_proven_the_time_is_named():
    (trouble,) = troubles({**WELL, "unproven_seconds": 350}, 3600, 300)
    assert trouble.found == "nothing that the source got in the last 350 s is proven"


def test_an_open_transaction_is_named_where_it_holds_the_watch_back():
    behind = {**WELL, "unproven_seconds": 301, "unproven_records": 4, "undecided_records": 4}
    (trouble,) = troubles(behind, 60, 300)
    assert "4 offsets of the source lie behind a transaction that is open there" in trouble.cause


def test_a_watch_that_never_ended_a_round_is_no_proof():
    assert [trouble.kind for trouble in troubles(None, 60, 300)] == ["watch-missing"]


def test_what_cannot_be_read_is_no_watch_that_is_missing():
    (trouble,) = troubles(None, 60, 300, "a record that no watch wrote")
    assert trouble.kind == "watch-unreadable" and "a record that no watch wrote" in trouble.found


def test_a_difference_is_named_by_its_place():
    assert DIFFERENCE["text"] in next(troubles({**WELL, "differences": [DIFFERENCE]}, 60, 300)).found
