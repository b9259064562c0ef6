# SPDX-License-Identifier: GPL-3.0-or-later
"""One truth over three real clusters: moves there and back, a region that was away, two movers at a time, and two
stories that a person decides between.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.append import append
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.ledger import read_ledger
from kafka_dr_lab.playbook import collections_path
from tests.support.kafka import Kafka, own_clusters

from .entries import SECRETS, begin, entry, put, write

pytestmark = pytest.mark.real
MIRRORS = [
    {"name": name, "source": "america", "target": name, "topics": [".*"], "policy": "identity"}
    for name in ("europe", "asia")
]
FIRST = {"epoch": 0, "region": "", "hash": ""}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with own_clusters(tmp_path_factory.mktemp("world"), ("america", "europe", "asia")) as made:
        yield made


PLAY = {"name": "Move", "hosts": "localhost", "connection": "local", "gather_facts": False}


def steps(given: dict[str, Any], region: str) -> list[dict]:
    """What every stage does, and nothing between: gates, begin, the other ledgers once more, the move, the end."""
    end = {"ledger_region": given["ledger_region"], "ledger_step": "stage", "ledger_state": "done"}
    played: list[tuple[str, str, dict]] = [
        ("ledger", "read.yml", {}),
        ("preflight", "gates.yml", {}),
        ("ledger", "begin.yml", {}),
        ("preflight", "begun.yml", {}),
        ("ledger", "activate.yml", {"ledger_active": region}),
        ("ledger", "record.yml", end),
    ]
    return [
        {
            "name": f"Play {file}",
            "ansible.builtin.include_role": {"name": f"streamsafe.kafka_dr.{role}", "tasks_from": file},
            "vars": {**given, **more},
            **({"when": "ledger_known.active_region != region"} if file == "activate.yml" else {}),
        }
        for role, file, more in played
    ]


class World:
    """Three regions with a ledger of their own each, and stages that do nothing but move the applications."""

    def __init__(self, brokers: dict[str, Kafka], directory: Path) -> None:
        self.brokers, self.directory, self.topic = brokers, directory, f"__kafka_dr_ledger-{directory.name}"
        regions = {
            name: {"ansible_connection": "local", "kafka_dr_platform": "managed", "kafka_dr_client": broker.client}
            for name, broker in brokers.items()
        }
        everywhere = {
            "ansible_python_interpreter": sys.executable,
            "kafka_dr_mirrors": MIRRORS,
            "kafka_dr_ledger_topic": self.topic,
            "kafka_dr_positions_topic": f"__kafka_dr_positions-{directory.name}",
            "kafka_dr_ledger_secret": list(SECRETS),
            "kafka_dr_no_log": False,
        }
        (directory / "inventory").write_text(yaml.safe_dump({"all": {"hosts": regions, "vars": everywhere}}))

    def move(self, left: str, here: str, region: str, *words: str, **given: Any) -> tuple[bool, str]:
        """Name a region active, as a stage does that owns the ledger of ``here``. Whether it ended, and its words."""
        given = {
            "preflight_stage": "failover",
            "preflight_left": left,
            "preflight_ledger_region": here,
            "preflight_left_answers": self.brokers[left].alive(),
            "ledger_region": here,
            "ledger_stage": "failover",
            "ledger_about": f"{left} to {here}",
            **given,
        }
        path = self.directory / f"{left}-{here}.yml"
        path.write_text(yaml.safe_dump([{**PLAY, "vars": {"region": region}, "tasks": steps(given, region)}]))
        return self.play(str(path), *words)

    def play(self, *words: str) -> tuple[bool, str]:
        env = {key: value for key, value in os.environ.items() if not key.startswith("ANSIBLE_")}
        done = subprocess.run(
            [str(Path(sys.executable).parent / "ansible-playbook"), "-i", str(self.directory / "inventory"), *words],
            env={**env, "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), "ANSIBLE_NOCOLOR": "1"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return done.returncode == 0, " ".join((done.stdout + done.stderr).split()).replace("\\", "")

    def moved(self, *words: str, **given: Any) -> str:
        done, said = self.move(*words, **given)
        assert done, said
        return said

    def client(self, region: str) -> KafkaClient:
        return KafkaClient(self.brokers[region].client, timeout=20)

    def says(self, region: str) -> dict:
        return fold(read_ledger(self.client(region), self.topic, SECRETS).entries)

    def stories(self) -> dict[str, list[tuple[int, str]]]:
        return {
            name: [(move["epoch"], move["region"]) for move in self.says(name)["moves"]]
            for name, broker in self.brokers.items()
            if broker.alive()
        }


@pytest.fixture
def regions(world, tmp_path):
    yield World(world, tmp_path)
    for broker in world.values():
        if not broker.alive():
            broker.start()


def test_there_and_back_twice(regions):
    regions.moved("america", "europe", "america")
    said = regions.moved("america", "europe", "europe", "--check")
    assert "NOT TOLD" not in said and set(map(len, regions.stories().values())) == {1}
    for left, here in (("america", "europe"), ("europe", "america"), ("america", "europe")):
        regions.moved(left, here, here)
    told = [(1, "america"), (2, "europe"), (3, "america"), (4, "europe")]
    assert regions.stories() == dict.fromkeys(regions.brokers, told)
    for name in regions.brokers:
        says = regions.says(name)
        assert (says["active_region"], says["epoch"]) == ("europe", 4)
        moves = says["moves"]
        assert [one["from"]["hash"] for one in moves[1:]] == [one["hash"] for one in moves[:-1]]
        assert read_ledger(regions.client(name), regions.topic, SECRETS).authentic
    done, said = regions.play("streamsafe.kafka_dr.ledger", "-e", "ledger_region=asia")
    assert done and "Active region: europe (epoch 4)" in said and "Verified." in said, said


@pytest.mark.full
def test_a_region_that_was_away_is_named_and_told_by_the_next_stage(regions, world):
    regions.moved("america", "europe", "america")
    world["asia"].stop()
    done, said = regions.move("america", "europe", "europe")
    assert not done and "asia its ledger cannot be read" in said, said
    assert '"failover_accept_elsewhere": ["asia"]' in said, said
    world["america"].kill()
    regions.moved("america", "europe", "europe", preflight_accept_elsewhere=["asia"])
    world["america"].start()
    world["asia"].start()
    assert regions.stories()["america"] == [(1, "america")], "its own ledger is old"
    done, said = regions.move(
        "asia",
        "america",
        "asia",
        preflight_gates=[
            {"name": "active_region", "message": "x", "holds": "{{ ledger_known.active_region == 'america' }}"}
        ],
    )
    assert not done, "a stage of the region that came back knows who is active: " + said
    regions.moved("america", "europe", "europe")
    assert regions.stories() == {name: [(1, "america"), (2, "europe")] for name in regions.brokers}


def test_of_two_movers_to_different_regions_at_most_one_moves(regions):
    regions.moved("america", "europe", "america")
    outcomes: dict[str, tuple[bool, str]] = {}

    def mover(here: str) -> None:
        outcomes[here] = regions.move("america", here, here)

    threads = [threading.Thread(target=mover, args=(here,)) for here in ("europe", "asia")]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    moved = [here for here, (done, dummy) in outcomes.items() if done]
    assert len(moved) <= 1, outcomes
    assert {len(story) for story in regions.stories().values()} == {1 + len(moved)}, regions.stories()
    for here, (done, said) in outcomes.items():
        assert done or "moved by another stage" in said or "has not ended" in said or "another move" in said, (
            here,
            said,
        )


@pytest.mark.full
def test_two_stories_are_refused_until_a_person_decides(regions, world):
    regions.moved("america", "europe", "america")
    world["asia"].stop()
    regions.moved("america", "europe", "europe", preflight_accept_elsewhere=["asia"], preflight_left_answers=False)
    world["asia"].start()
    world["europe"].stop()
    regions.moved("america", "asia", "asia", preflight_accept_elsewhere=["europe"], preflight_left_answers=False)
    regions.moved("america", "asia", "none", preflight_accept_elsewhere=["europe"], preflight_left_answers=False)
    world["europe"].start()
    for here in ("europe", "asia", "america"):
        left = "asia" if here == "america" else "america"
        done, said = regions.move(left, here, here)
        assert not done and "The ledgers tell two stories" in said and "epoch 2: " in said, said
        assert "europe since 20" in said and "asia since 20" in said and "failover_accept_split_brain=<region>" in said
    done, said = regions.move("america", "europe", "europe", preflight_accept_split_brain="australia")
    assert not done and "The ledgers tell two stories" in said
    said = regions.moved("america", "europe", "europe", preflight_accept_split_brain="europe")
    assert "Overridden: split_brain (europe)" in said
    for here in ("europe", "asia", "america"):
        assert regions.stories()[here][-1] == (4, "europe"), regions.stories()
    regions.moved("europe", "america", "america")
    assert {story[-1] for story in regions.stories().values()} == {(5, "america")}


def test_a_forged_epoch_moves_nobody(regions, world):
    regions.moved("america", "europe", "america")
    forged = entry("9", "active_region", "active", region="asia", fenced=False, epoch=9)
    forged.update(epoch_from={"epoch": 8, "region": "asia", "hash": "a" * 64}, format=2, previous="", at="")
    put(world["asia"], regions.topic, json.dumps(forged).encode())
    done, said = regions.move("america", "europe", "europe")
    assert not done and "asia its ledger cannot be read" in said and "is not signed" in said, said
    regions.moved("america", "europe", "europe", preflight_accept_elsewhere=["asia"])
    assert regions.says("america")["active_region"] == "europe" and regions.says("america")["epoch"] == 2


def test_a_ledger_of_an_older_version_goes_on(regions):
    client = regions.client("europe")
    known = begin(client, regions.topic, "1")
    known = write(client, regions.topic, entry("1", "active_region", "active", region="america"), known)
    write(client, regions.topic, entry("1", "stage"), known)
    old = regions.says("europe")["moves"][0]["hash"]
    regions.moved("america", "europe", "europe")
    assert regions.stories() == {name: [(1, "europe")] for name in regions.brokers}
    assert regions.says("asia")["moves"][0]["from"] == {"epoch": 0, "region": "europe", "hash": old}


def test_of_several_entries_of_one_epoch_the_ledger_takes_one(regions):
    outcomes = []

    def mover(number: int) -> None:
        one = entry(str(number), "active_region", "active", region=f"region-{number}", fenced=False)
        try:
            append(regions.client("asia"), regions.topic, dict(one, epoch=1, epoch_from=FIRST), False, 1, SECRETS)
            outcomes.append("written")
        except RefusedError as error:
            assert "was told of another move meanwhile" in str(error), error
            outcomes.append("refused")

    threads = [threading.Thread(target=mover, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["refused"] * 3 + ["written"] and len(regions.says("asia")["moves"]) == 1


def test_a_run_that_names_a_region_meets_what_the_ledger_was_told(regions):
    """Its own entries are fenced; what other regions tell is not, and counts all the same."""
    client = regions.client("asia")
    known = begin(client, regions.topic, "1")
    told = entry("2", "active_region", "active", region="america", fenced=False, epoch=1, epoch_from=FIRST)
    append(client, regions.topic, told, False, secrets=SECRETS)
    mine = entry("1", "active_region", "active", region="asia", epoch=1, epoch_from=FIRST)
    with pytest.raises(RefusedError, match=r"expected an epoch below 1.*found epoch 1, america since"):
        write(client, regions.topic, mine, known)
    with pytest.raises(RefusedError, match="expected an epoch below 1"):
        append(client, regions.topic, mine, True, secrets=SECRETS, after=known)
