# SPDX-License-Identifier: GPL-3.0-or-later
"""A difference that somebody has explained lets the proof go on, by itself and no other one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import rounds
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.summary import summarise
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.watch_accept import watch_accept
from kafka_dr_lab.playbook import collections_path
from tests.real.proof.support import create, some

from .watching import Watching

pytestmark = pytest.mark.real

ROWS = some(3000, headers=())


@pytest.fixture
def watching(pair, request, monkeypatch):
    monkeypatch.setattr(rounds, "ACCEPTED_SECONDS", 0)
    name = f"w.accept.{request.node.name[5:30].strip('_')}"
    for cluster in pair.values():
        create(cluster, {name: (1, {})})
    return Watching(pair, name)


def accept(watching, *ids, check_mode=False, **more):
    params = {"client": watching.pair["target"].client, "client_secrets": {}, "timeout": 30, "mirror": watching.name}
    params |= {"differences": list(ids), "by": "ann", "reason": "a test wrote it"}
    return watch_accept({**params, "state_topic": "__kafka_dr_windows", **more}, check_mode)


def spoil(watching):
    """A copy that lacks record 700, and has a strange one before record 1500; the state."""
    watching.write("source", ROWS[:2000])
    watching.write("target", [*ROWS[:700], *ROWS[701:1500], ROWS[0].but(value=b"x"), *ROWS[1500:2000]])
    return watching.rounds()


def ids_of(state):
    return {found.kind: found.id(state.mirror) for found in state.differences}


def through(state, watching):
    return state.partitions[watching.name, 0].through


def test_one_after_the_other(watching):
    state = spoil(watching)
    ids = ids_of(state)
    assert set(ids) == {"missing", "foreign"} and through(state, watching) == (700, 700)
    dry = accept(watching, ids["missing"], check_mode=True)
    assert dry["changed"] and dry["open"] == 1 and ids["missing"] in dry["diff"]["after"]
    assert through(watching.rounds(), watching) == (700, 700), "check mode wrote"
    told = accept(watching, ids["missing"])
    assert (told["changed"], told["open"], told["proven_goes_on"]) == (True, 1, [])
    state = watching.rounds()
    assert through(state, watching) == (1500, 1499) and state.partitions[watching.name, 0].records == 1499
    assert not accept(watching, ids["missing"])["changed"]
    told = accept(watching, f" {ids['foreign']} ", by="bob")
    assert (told["open"], told["proven_goes_on"]) == (0, [f"{watching.name}-0"])
    state = watching.rounds()
    assert through(state, watching) == (2000, 2000) and state.partitions[watching.name, 0].records == 1999
    found = summarise(state)
    assert found["differences"] == [] and [row["accepted"]["by"] for row in found["accepted"]] == ["ann", "bob"]
    # Later faults are not accepted with them, and a watch that is started again knows who has explained what.
    watching.write("source", ROWS[2000:])
    watching.write("target", ROWS[2001:])
    state = watching.open().rounds()
    assert [found.kind for found in state.differences if found.accepted is None] == ["missing"]
    assert through(state, watching) == (2000, 2000)


def test_what_is_not_there_is_refused_and_nothing_else_is_accepted(watching):
    state = spoil(watching)
    ids = ids_of(state)
    with pytest.raises(RefusedError, match="none of that number"):
        accept(watching, ids["missing"], f"{watching.name}-0/9/00000000")
    with pytest.raises(UsageError, match="reason"):
        accept(watching, ids["missing"], reason=" ")
    with pytest.raises(RefusedError, match="No watch of the mirror"):
        accept(watching, ids["missing"], mirror="other")
    # The watch forgets all and finds the same faults again; who explained the former ones did not see these.
    watching.open(begin_anew=True)
    again = watching.rounds()
    assert set(ids_of(again)) == set(ids) and not set(ids_of(again).values()) & set(ids.values())
    with pytest.raises(RefusedError, match="another one of that number"):
        accept(watching, ids["missing"])
    assert all(found.accepted is None for found in watching.rounds().differences)
    assert through(watching.rounds(), watching) == (700, 700)


def test_an_acceptance_that_is_late_accepts_nothing(watching):
    """It is written while the watch begins anew, after the id was looked up."""
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import rows

    found = spoil(watching).differences[0]
    watching.open(begin_anew=True).rounds()
    client = KafkaClient(watching.pair["target"].client)
    write(client, "__kafka_dr_windows", [(0, *rows.accepted_row(watching.name, found, "ann", "late", 1))])
    state = watching.rounds()
    assert through(state, watching) == (700, 700)
    assert all(difference.accepted is None for difference in state.differences)


def play(watching, directory, *words, playbook="watch_accept"):
    regions = {
        name: {"ansible_connection": "local", "kafka_dr_platform": "managed", "kafka_dr_client": cluster.client}
        for name, cluster in (("america", watching.pair["source"]), ("europe", watching.pair["target"]))
    }
    mirror = {"name": watching.name, "source": "america", "target": "europe", "topics": [f"{watching.name}.*"]}
    mirror["policy"] = "identity"
    everywhere = {"ansible_python_interpreter": sys.executable, "kafka_dr_mirrors": [mirror]}
    (directory / "inventory").write_text(yaml.safe_dump({"all": {"hosts": regions, "vars": everywhere}}))
    env = {key: value for key, value in os.environ.items() if not key.startswith("ANSIBLE_")}
    done = subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), "-i", str(directory / "inventory")]
        + [f"streamsafe.kafka_dr.{playbook}", "-e", "watch_source=america", "-e", "watch_target=europe", *words],
        env={**env, "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def test_the_page_of_the_standing_proof_names_them(watching, tmp_path):
    ids = ids_of(spoil(watching))
    asked = ["-e", "report_region=europe", "-e", f"report_mirror={watching.name}"]
    code, said = play(watching, tmp_path, *asked, "-e", f"report_directory={tmp_path / 'page'}", playbook="report")
    assert code == 0 and f"NOT_PROVEN: {tmp_path / 'page' / 'report.html'}" in said, said
    text = (tmp_path / "page" / "report.html").read_text()
    assert all(name in text for name in ids.values()) and "700 records are proven" in text
    told = json.loads((tmp_path / "page" / "report.json").read_text())
    assert told["watch"]["proven_through"] == {watching.name: {"0": [700, 700]}}


def test_the_playbook_names_them_and_accepts(watching, tmp_path):
    ids = ids_of(spoil(watching))
    code, said = play(watching, tmp_path)
    assert (
        code == 0 and "names 2 differences that nobody accepted" in said and all(name in said for name in ids.values())
    )
    who = ["-e", "watch_accept_by=ann", "-e", "{'watch_accept_reason': 'a test wrote it'}"]
    code, said = play(watching, tmp_path, "-e", f"watch_accept={ids['missing']}")
    assert code == 2 and "watch_accept_by (who has explained them)" in said
    code, said = play(watching, tmp_path, "-e", f"watch_accept={ids['missing'][:-1]}x", *who)
    assert code == 2 and "another one of that number" in said, said
    code, said = play(watching, tmp_path, "-e", f"watch_accept={ids['missing']},{ids['foreign']}", *who)
    assert code == 0 and "0 other differences" in said and "names 0 differences that nobody accepted." in said, said
    assert through(watching.rounds(), watching) == (2000, 2000)
