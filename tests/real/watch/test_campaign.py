# SPDX-License-Identifier: GPL-3.0-or-later
"""Under traffic, with everything killed at random, each planted fault is named, nothing else is, and what is proven
never passes one.

The seed is printed, and ``KAFKA_DR_SEED`` gives another one. ``KAFKA_DR_CAMPAIGN_SECONDS`` makes it as long as wanted.
"""

from __future__ import annotations

import os
import random
import threading
import time

import pytest
from confluent_kafka import KafkaException

from tests.real.proof.conftest import BROKER
from tests.real.proof.support import create
from tests.support.kafka import clusters

from .campaign import GONE, MAIN, MARKED, OTHER, Chance, Traffic
from .cutting import leader_epochs
from .oracle import Journal, Oracle
from .planting_logs import LOGS
from .stories import StoryOracle
from .world import World, saved

# Seconds without faults and kills, after which everything has to be named and proven.
AFTER = 300


@pytest.fixture
def regions(tmp_path):
    running = clusters(["source", "target"], tmp_path, BROKER)
    yield running
    for cluster in running.values():
        cluster.kill()


class Snapshots(threading.Thread):
    """What the watch said, again and again."""

    def __init__(self, world):
        super().__init__(daemon=True)
        self.world, self.states = world, []

    def run(self):
        while not self.world.ended.wait(2):
            state = self.world.state()
            if state is not None and (not self.states or self.states[-1].round < state.round):
                self.states.append(state)


def campaign(directory, regions, seconds, logs):
    seed = int(os.environ.get("KAFKA_DR_SEED", random.SystemRandom().randrange(1 << 30)))
    print(f"KAFKA_DR_SEED={seed}", flush=True)
    chance, journal = random.Random(seed), Journal()
    create(regions["source"], {MAIN: (2, {}), MARKED: (1, {}), GONE: (1, {}), OTHER: (1, {})})
    create(regions["target"], {OTHER: (1, {})})
    world = World(directory, regions, exactly_once=bool(seed % 2))
    traffic = Traffic(world, journal, random.Random(seed + 1))
    chances, snapshots = Chance(world, traffic, journal, chance, logs), Snapshots(world)
    try:
        world.mirror.start()
        world.start_watch()
        traffic.steady.set()
        traffic.start()
        snapshots.start()
        await_copied(world, traffic, AFTER)
        traffic.steady.clear()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(chance.uniform(3, 9))
            chances.step()
        return conclude(directory, world, traffic, chances, snapshots)
    finally:
        traffic.stopping.set()
        world.stop()
        print(*chances.did, *(f"{story.place[0]}: {story.words}" for story in journal.stories), sep="\n")


def await_copied(world, traffic, seconds):
    """Until the mirror has copied what is written from now on, of every partition."""
    last = {}
    for topic, count in list(traffic.partitions.items()):
        for number in range(count):
            record = traffic.record()
            traffic.put((topic, number), record)
            last[topic, number] = record["value"]
    end, restart = time.monotonic() + seconds, time.monotonic() + seconds / 2
    while True:
        reasons = []
        for place, value in list(last.items()):
            try:
                if any(int(row[1]) >= int(value) for row in world.newest(place)):
                    del last[place]
            except KafkaException as error:  # the partition is not there yet
                reasons.append(str(error))
        if not last:
            return
        assert time.monotonic() < end, f"not copied: {last}, {reasons}\n{world.mirror.tail()}"
        if time.monotonic() > restart:
            # A dedicated mirror does not start a task that failed again.
            restart = end
            world.revive_mirror()
        time.sleep(0.5)


def conclude(directory, world, traffic, chances, snapshots):
    """Everything runs, nothing more is planted; then both sides are read, and the watch is asked until it has."""
    traffic.steady.set()
    for dummy in range(12):
        if chances.once:
            chances.step()
    assert not chances.once, f"it never came to {chances.once}: {chances.did}"
    end = time.monotonic() + AFTER
    while traffic.later and time.monotonic() < end:
        traffic.come_late()
        time.sleep(0.5)
    await_copied(world, traffic, AFTER)
    traffic.stopping.set()
    traffic.join(150)
    await_copied(world, traffic, AFTER)
    traffic.source.flush(60)
    chances.other(20)
    places = [(topic, number) for topic, count in traffic.partitions.items() for number in range(count)]
    oracle = Oracle(world.pair, traffic.journal, [*places, (OTHER, 0)])
    stories = [StoryOracle(world.pair, story) for story in traffic.journal.stories]
    state = await_named(world, oracle, stories, end + AFTER)
    world.ended.set()
    snapshots.join()
    snapshots.states.append(state)
    assert world.watch.poll() is None and not world.trouble + traffic.failed
    saved(directory, "faults.json", [[fault, *map(list, sides)] for fault, *sides in oracle.faults])
    saved(directory, "differences.json", [vars(difference) for difference in state.differences])
    for side, broker in world.pair.items():
        if any(line.endswith(side) for line in chances.did):
            assert len(leader_epochs(broker, (MAIN, 0))) > 1, f"{side}: the leader's epoch never changed"
    return (oracle, stories), snapshots.states


def await_named(world, oracle, stories, end):
    """The state of a watch that has nothing left to say."""
    ends, copies = ({place: max(rows) + 1 for place, rows in oracle.offsets[side].items()} for side in world.pair)
    while True:
        state = world.state()
        if state is not None and read_whole(state, ends, copies) and all(story.ended(state) for story in stories):
            return state
        left = [story.story for story in stories if state is None or not story.ended(state)]
        assert time.monotonic() < end, f"the watch does not come to the end: {behind(state, ends, copies)}, {left}"
        time.sleep(0.5)


def behind(state, ends, copies):
    parts = state.partitions if state is not None else {}
    return {
        place: (parts[place].examined, parts[place].stopped, ends[place], copies[place]) if place in parts else None
        for place in ends
        if place not in parts or not read_whole(state, {place: ends[place]}, copies)
    }


def read_whole(state, ends, copies):
    return all(
        place in state.partitions
        and not state.partitions[place].waiting
        and state.partitions[place].examined[0] >= end
        and state.partitions[place].examined[1] >= copies[place]
        for place, end in ends.items()
    )


def judge(world_directory, oracles, states):
    (oracle, stories), state = oracles, states[-1]
    assert len(states) > 10, "the watch said too little"
    print(f"{len(oracle.faults)} faults planted, {len(state.differences)} differences,", end=" ")
    print(
        f"{sum(bool(found.accepted) for found in state.differences)} accepted, {len(states)} states, in",
        world_directory,
    )
    passed = [found for known in states for found in oracle.passed(known)]
    assert not passed, passed[:3]
    missed, wrong = oracle.unnamed(state)
    assert not missed, missed[:3]
    assert not wrong, wrong[:3]
    wrongs = [text for story in stories for text in story.wrongs(states)]
    assert not wrongs, wrongs[:5]
    others = {place: part for place, part in state.partitions.items() if place[0] not in oracle.apart}
    stopped = {place: part.stopped for place, part in others.items() if part.stopped}
    assert not stopped
    assert "does not list" in state.not_watched.get(GONE, ""), state.not_watched
    for place, part in others.items():
        clean = not any((found.topic, found.partition) == place and not found.accepted for found in state.differences)
        if clean and place[0] != GONE:
            assert part.through == part.examined, (place, part)


@pytest.mark.full
def test_a_short_campaign(regions, tmp_path):
    judge(tmp_path, *campaign(tmp_path, regions, 45, 1))


@pytest.mark.full
def test_campaign(regions, tmp_path):
    seconds = float(os.environ.get("KAFKA_DR_CAMPAIGN_SECONDS", 600))
    judge(tmp_path, *campaign(tmp_path, regions, seconds, len(LOGS)))
