# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenarios of ``make drill``: each a story, told in order."""

from __future__ import annotations

import json
import signal
import time

from .drill import MIRROR, RPO_OBJECTIVE_SECONDS, SOURCE, TARGET, Drill
from .inventory import TOPICS

STRAY = "stray"


def failover(drill: Drill) -> None:
    """A region is lost in the middle of live traffic; applications go on in the other."""
    drill.prepare()
    drill.check_exactly_once()
    manifest = _save_manifest(drill)
    _sabotage(drill)
    drill.live(drill.arguments.live)
    if drill.arguments.freeze:
        drill.say(f"Freezing the mirror for {drill.arguments.freeze:.0f} s, so that something is lost")
        drill.lab.signal(signal.SIGSTOP, MIRROR)
        time.sleep(drill.arguments.freeze)
        # The witness goes on; with the producer still, what it saw last is what was lost.
        drill.lab.signal(signal.SIGSTOP, "departures-producer")
        time.sleep(5)
    drill.say(f"LOSS: every process of {SOURCE} is killed and its data deleted")
    drill.lost_at = drill.lab.lose(SOURCE)
    drill.lab.signal(signal.SIGCONT, "departures-producer")
    if drill.arguments.freeze:
        drill.lab.signal(signal.SIGCONT, MIRROR)
    drill.stage("failover", failover_source=SOURCE, failover_target=TARGET, failover_manifest=manifest)
    drill.rto()
    _claims(drill)
    _source_returns(drill)
    drill.settle(TARGET)
    drill.measure(TARGET, lost_allowed=True)
    data = drill.report.data
    objective = RPO_OBJECTIVE_SECONDS + (drill.arguments.freeze + 5 if drill.arguments.freeze else 0)
    drill.report.check("rpo_objective", data["rpo"]["seconds"] <= objective, f"at most {objective:.0f} s", f"{data['rpo']['seconds']} s")
    claimed = drill.kept["ends"]["lost"]["total"]
    if drill.arguments.freeze:
        drill.report.check("loss_as_claimed", claimed == data["rpo"]["records"] > 0, f"{claimed} records, as the stage claimed", data["rpo"]["records"])
    else:
        unseen = _acknowledged_since(drill, drill.kept["ends"]["witnessed_at"])
        drill.report.check("loss_as_claimed", data["rpo"]["records"] <= claimed + unseen,
                           f"at most {claimed} claimed + {unseen} acknowledged after the last witness", data["rpo"]["records"])
    since = _processed_since(drill, drill.kept["witnessed_at"])
    drill.report.check("reprocessed_bounded", sum(data["reprocessed"].values()) <= since, f"at most the {since} processed since the last witness",
                       sum(data["reprocessed"].values()))


def switchover(drill: Drill) -> None:
    """The planned move: nothing lost, nothing processed twice."""
    drill.prepare()
    drill.check_exactly_once()
    _sabotage(drill)
    drill.live(drill.arguments.live)
    drill.say(f"Planned move from {SOURCE} to {TARGET}")
    drill.lost_at = time.time()
    drill.stage("failover", failover_source=SOURCE, failover_target=TARGET, failover_planned=True)
    drill.rto()
    _proofs(drill)
    drill.settle(TARGET)
    drill.measure(TARGET, lost_allowed=False)


def _save_manifest(drill: Drill) -> str:
    directory = drill.lab.directory / "work" / "manifest"
    drill.stage("manifest", manifest_region=SOURCE, manifest_directory=str(directory), manifest_topics=r"flights\..*")
    return str(directory)


def _sabotage(drill: Drill) -> None:
    if drill.arguments.sabotage == "mirror":
        drill.say("SABOTAGE: the mirror is killed before the loss")
        drill.lab.supervisor.api().stopProcess(MIRROR, True)
        time.sleep(RPO_OBJECTIVE_SECONDS)
    elif drill.arguments.sabotage == "topic":
        from confluent_kafka.admin import AdminClient

        drill.say(f"SABOTAGE: topic {TOPICS[1]} is deleted in {TARGET}")
        drill.lab.supervisor.api().stopProcess(MIRROR, True)
        for future in AdminClient(drill.client(TARGET, "kdr-stages")).delete_topics([TOPICS[1]]).values():
            future.result(30)


def _ledger(drill: Drill) -> list[dict]:
    """Entries of the ledger, read as any consumer would."""
    from confluent_kafka import Consumer, KafkaError, TopicPartition

    consumer = Consumer({**drill.client(TARGET, "kdr-stages"), "group.id": "streamsafe-kafka-dr-drill", "isolation.level": "read_committed",
                         "enable.partition.eof": True, "log_level": 0})
    entries = []
    try:
        consumer.assign([TopicPartition("__kafka_dr_ledger", 0, 0)])
        end = time.monotonic() + 20
        while time.monotonic() < end:
            message = consumer.poll(1)
            if message is None:
                continue
            if message.error() is not None:
                if message.error().code() == KafkaError._PARTITION_EOF:
                    return entries
                continue
            entries.append(json.loads(message.value()))
        raise TimeoutError("the ledger could not be read to its end")
    finally:
        consumer.close()


def _claims(drill: Drill) -> None:
    """What the stage wrote to the ledger about the loss and the positions, and its proof."""
    entries = [one for one in _ledger(drill) if one["stage"] == "failover"]
    drill.kept["ends"] = next(one["found"] for one in entries if one["step"] == "ends")
    positions = next(one["found"] for one in entries if one["step"] == "positions")
    drill.report.data["positions"] = positions
    drill.kept["witnessed_at"] = drill.kept["ends"]["witnessed_at"]
    _proofs(drill)


def _proofs(drill: Drill) -> None:
    for one in _ledger(drill):
        if one["step"] == "proof":
            drill.report.data["proofs"].append({"stage": one["stage"], "verdict": one["found"]["verdict"], "report": one["found"]["report"]})
    verdicts = [one["verdict"] for one in drill.report.data["proofs"]]
    drill.report.check("copy_proven", bool(verdicts) and set(verdicts) == {"PROVEN"}, "PROVEN", ", ".join(verdicts) or "no proof")


def _acknowledged_since(drill: Drill, when: float) -> int:
    return sum(1 for topic, at in drill.journals.acknowledged(SOURCE).values() if at > when - 0.5)


def _processed_since(drill: Drill, when: float) -> int:
    return drill.journals.processed_after(SOURCE, when - 0.5)


def _produce_stray(drill: Drill) -> None:
    """A record that only the returned region has."""
    from confluent_kafka import Producer

    failed = []
    producer = Producer({**drill.client(SOURCE, "departures-producer"), "log_level": 0})
    producer.produce(TOPICS[0], json.dumps({"id": STRAY}).encode(), b"stray", on_delivery=lambda error, message: failed.append(error) if error else None)
    producer.flush(20)
    drill.report.check("returned_source_is_alive", not failed, "it takes a record", str(failed[0]) if failed else "taken")


def _source_returns(drill: Drill) -> None:
    """The lost region comes back by itself, empty; it must not write to the target nor be used."""
    drill.say(f"{SOURCE} comes back by itself")
    drill.stage("lab.return_region", lab_region=SOURCE)
    _produce_stray(drill)
    drill.lab.supervisor.api().startProcess(MIRROR, False)
    refused = drill.lab.playbooks.run("initial_setup", {"initial_setup_source": SOURCE, "initial_setup_target": TARGET}, capture=True, check=False)
    drill.report.check("returning_source_refused", refused.returncode != 0 and "active region" in refused.stdout, "initial_setup refuses to use it",
                       f"exit code {refused.returncode}")
    time.sleep(4)
    stray = drill.stray(TARGET, STRAY)
    drill.report.check("returning_source_writes_nothing", stray == 0, "0 records of the returned region in the target", stray)
    drill.lab.supervisor.api().stopProcess(MIRROR, True)
