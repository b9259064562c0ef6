# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmark of a failover: ``python tests/bench/rto.py`` writes build/bench/rto.json.

The lab loses a region during live traffic, once with the stage ``failover`` and once with the floor, round by round.
The floor is what nobody can leave out: kill the mirror, commit MirrorMaker 2's own checkpoints as positions, give the
applications their rights, point them at the other region and start them. It has no gates, no ledger, no fence and no
proof, and its positions are too low by what MirrorMaker 2's checkpoints are. Seconds are those from the loss to the
first record that was both produced and processed in the target. Only the ratio is worth anything.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "lab")]

from confluent_kafka import (  # noqa: E402
    Consumer,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    TopicPartition,
)
from confluent_kafka.admin import (  # noqa: E402
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)

import tests.conftest  # noqa: E402, F401  makes the checkout importable as the collection  # pylint: disable=unused-import
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec import decode_checkpoint  # noqa: E402
from kafka_dr_lab.drill import MIRROR, SOURCE, TARGET, Drill  # noqa: E402
from kafka_dr_lab.inventory import Inventory  # noqa: E402
from kafka_dr_lab.lab import Lab  # noqa: E402
from kafka_dr_lab.landscape import APPLICATION_USERS, APPLICATIONS_REGION  # noqa: E402
from tests.bench.figures import PLACE, say, surroundings, write  # noqa: E402
from tests.support.ending import end_with_children  # noqa: E402

CHECKPOINTS = f"{SOURCE}.checkpoints.internal"
# What is written to an application's file before the loss, as somebody who has no tool would keep it at hand.
Prepared = dict[Path, str]


def prepare(inventory: Inventory) -> Prepared:
    """Environment files, and the CAs beside them, that point the applications at the target."""
    hosts, passwords = inventory.load()["all"]["hosts"], inventory.load_secrets()["lab_passwords"]
    client, files = hosts[TARGET]["kafka_dr_client"], {}
    for application in hosts[APPLICATIONS_REGION]["kafka_dr_applications"]:
        path, user = Path(application["environment_file"]), application["principals"][0]
        values = {
            "KAFKA_BROKERS": client["bootstrap.servers"],
            "KAFKA_SECURITY_PROTOCOL": client["security.protocol"],
            "KAFKA_SASL_MECHANISM": client["sasl.mechanism"],
            "KAFKA_USER": user,
            "KAFKA_PWD": passwords[user],
            "KAFKA_CERT": f"{path}.ca.pem",
            "KAFKA_REGION": TARGET,
            **(application.get("environment") or {}),
        }
        files[path] = "".join(f"{key}={shlex.quote(value)}\n" for key, value in values.items())
        files[Path(f"{path}.ca.pem")] = client["ssl.ca.pem"]
    return files


def checkpoints(client: dict[str, Any]) -> dict[str, list[TopicPartition]]:
    """The positions by group that MirrorMaker 2 wrote last."""
    # Where the log ends is said by itself: its last offset may be of no record, or it may have none.
    consumer = Consumer({**client, "group.id": "kdr-bench", "enable.auto.commit": False, "enable.partition.eof": True})
    found: dict[tuple[str, str, int], int] = {}
    try:
        consumer.assign([TopicPartition(CHECKPOINTS, 0, 0)])
        ended = False
        while not ended:
            for message in consumer.consume(1000, 0.2):
                if (error := message.error()) is None:
                    row = decode_checkpoint(message.key(), message.value())
                    found[(row.group, row.topic, row.partition)] = row.downstream
                elif error.code() == KafkaError._PARTITION_EOF:
                    ended = True
                else:
                    raise KafkaException(error)
    finally:
        consumer.close()
    positions: dict[str, list[TopicPartition]] = {}
    for (group, topic, partition), offset in found.items():
        positions.setdefault(group, []).append(TopicPartition(topic, partition, offset))
    return positions


def rights() -> list[AclBinding]:
    """What the applications may do in the active region, and not yet in the target."""
    return [
        AclBinding(
            ResourceType[acl["resource"].upper()],
            acl["name"],
            ResourcePatternType[acl["pattern"].upper()],
            f"User:{user['name']}",
            "*",
            AclOperation[operation],
            AclPermissionType.ALLOW,
        )
        for user in APPLICATION_USERS
        for acl in user["acls"]
        for operation in acl["operations"]
    ]


def floor(drill: Drill, prepared: Prepared) -> None:
    """Fail over with nothing that shows whether it is safe."""
    lab, client = drill.lab, drill.client(TARGET, "kdr-stages")
    lab.signal(signal.SIGKILL, MIRROR)
    names = [path.stem for path in prepared if path.suffix == ".env"]
    for name in (MIRROR, *names):
        lab.supervisor.rest(name)
    admin = AdminClient(client)
    for group, positions in checkpoints(client).items():
        wanted = [ConsumerGroupTopicPartitions(group, positions)]
        admin.alter_consumer_group_offsets(wanted)[group].result(30)
    for future in admin.create_acls(rights()).values():
        future.result(30)
    for path, content in prepared.items():
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(content)
    for name in names:
        lab.revive(name)


def stage(drill: Drill, prepared: Prepared) -> None:
    """Fail over as the collection's users do."""
    drill.stage("failover", failover_source=SOURCE, failover_target=TARGET)


def failed_over(directory: Path, asked: argparse.Namespace, way: Callable[[Drill, Prepared], None]) -> dict[str, Any]:
    """Seconds of one failover in a lab of its own; of the stage also the parts of them."""
    options = {"history": asked.history, "rate": asked.rate, "records": 0, "watch": False, "machines": False}
    arguments = argparse.Namespace(scenario="failover", platform="host", command="drill", lab=directory)
    lab = Lab(directory)
    drill = Drill(lab, arguments, options)
    try:
        drill.prepare()
        drill.live(asked.live)
        prepared = prepare(lab.inventory)
        drill.lost_at = lab.lose(SOURCE)
        way(drill, prepared)
        drill.rto()
        return {key: drill.report.data[key] for key in ("rto_seconds", "rto_parts")}
    finally:
        drill.sampler.stop()
        lab.down()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--history", type=int, default=20000)
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--live", type=float, default=8.0)
    asked = parser.parse_args()
    end_with_children()
    began, parts = time.monotonic(), []
    seconds: dict[str, list[float]] = {"stage": [], "floor": []}
    with tempfile.TemporaryDirectory(prefix="kafka-dr-rto-") as place:
        for number in range(asked.rounds):
            measured = failed_over(Path(place) / f"stage{number}", asked, stage)
            seconds["stage"].append(measured["rto_seconds"])
            parts.append(measured["rto_parts"])
            seconds["floor"].append(failed_over(Path(place) / f"floor{number}", asked, floor)["rto_seconds"])
            say(f"round {number + 1}: stage {seconds['stage'][-1]} s, floor {seconds['floor'][-1]} s")
    middle = {name: statistics.median(values) for name, values in seconds.items()}
    figures = {
        "to_floor": round(middle["stage"] / middle["floor"], 2),
        "stage_seconds": seconds["stage"],
        "floor_seconds": seconds["floor"],
        "stage_parts": parts,
        "platform": "host",
        **surroundings(began, asked),
    }
    path = write(figures, PLACE / "rto.json")
    say(f"{path}: to_floor {figures['to_floor']}")


if __name__ == "__main__":
    main()
