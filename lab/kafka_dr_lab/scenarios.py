# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenarios of ``make drill``: each a story, told in order."""

from __future__ import annotations

import json
import signal
import time

from .dead_host import catch_up, check_named
from .drill import MIRROR, RPO_OBJECTIVE_SECONDS, SOURCE, TARGET, Drill
from .errors import LabError
from .inventory import TOPICS
from .journals import topic_ids
from .playbook import collection
from .waiting import until

STRAY = "stray"


def failover(drill: Drill) -> None:
    """A region is lost in the middle of live traffic; applications go on in the other."""
    drill.prepare()
    manifest = _save_manifest(drill)
    _sabotage(drill)
    drill.live(drill.arguments.live)
    drill.await_expiry()
    if drill.arguments.freeze:
        drill.say(f"Freezing the mirror for {drill.arguments.freeze:.0f} s, so that something is lost")
        drill.lab.signal(signal.SIGSTOP, MIRROR)
        time.sleep(drill.arguments.freeze)
        # The witness goes on; with the producer still, what it saw last is what was lost.
        drill.lab.signal(signal.SIGSTOP, "departures-producer")
        time.sleep(5)
    drill.say(f"LOSS: {drill.lab.loss.format(region=SOURCE)}")
    drill.lost_at = drill.lab.lose(SOURCE)
    drill.lab.signal(signal.SIGCONT, "departures-producer")
    if drill.arguments.freeze:
        drill.lab.signal(signal.SIGCONT, MIRROR)
    drill.stage("failover", failover_source=SOURCE, failover_target=TARGET, failover_manifest=manifest)
    drill.rto()
    _claims(drill, "failover")
    if drill.arguments.dead_host:
        check_named(drill)
        catch_up(drill)
    _source_returns(drill)
    drill.settle(TARGET)
    held = drill.measure(TARGET, lost_allowed=True)
    drill.check_exactly_once(held=held)
    stray = sum(counter[STRAY] for counter in held.values())
    drill.report.check("returning_source_writes_nothing", stray == 0, "0 records of the returned region in the target", stray)
    _check_loss_and_repetition(drill)


def _check_loss_and_repetition(drill: Drill) -> None:
    """The journals against the objective and against what the stage itself claimed."""
    data = drill.report.data
    objective = RPO_OBJECTIVE_SECONDS + (drill.arguments.freeze + 5 if drill.arguments.freeze else 0)
    drill.report.check("rpo_objective", data["rpo"]["seconds"] <= objective, f"at most {objective:.0f} s", f"{data['rpo']['seconds']} s")
    claimed = drill.kept["ends"]["lost"]["total"]
    if drill.arguments.freeze:
        drill.report.check("loss_as_claimed", claimed == data["rpo"]["records"] > 0, f"{claimed} records, as the stage claimed", data["rpo"]["records"])
    else:
        unseen = _acknowledged_since(drill, drill.kept["witnessed_at"])
        drill.report.check("loss_as_claimed", data["rpo"]["records"] <= claimed + unseen,
                           f"at most {claimed} claimed + {unseen} acknowledged after the last witness", data["rpo"]["records"])
    # The witness notes the time before it looks: what was committed by then it has seen.
    since = drill.journals.processed_after_commit(SOURCE, drill.kept["witnessed_at"], _until(drill))
    drill.report.check("reprocessed_bounded", sum(data["reprocessed"].values()) <= since,
                       f"at most the {since} processed since the last commit that was witnessed", sum(data["reprocessed"].values()))
    claimed = sum(int(data["positions"][name]) for name in ("reprocess_at_most", "unseen_at_most"))
    drill.report.check("reprocessed_as_claimed", sum(data["reprocessed"].values()) <= claimed, f"at most {claimed} records, as the stage claimed",
                       sum(data["reprocessed"].values()))


def switchover(drill: Drill) -> None:
    """The planned move: nothing lost, nothing processed twice."""
    drill.prepare()
    _sabotage(drill)
    drill.live(drill.arguments.live)
    drill.say(f"Planned move from {SOURCE} to {TARGET}")
    drill.lost_at = time.time()
    drill.stage("failover", failover_source=SOURCE, failover_target=TARGET, failover_planned=True)
    drill.rto()
    _proofs(drill)
    drill.settle(TARGET)
    drill.check_exactly_once(held=drill.measure(TARGET, lost_allowed=False))


def restore(drill: Drill) -> None:
    """A region is lost for good, made again from its backup, and gets a backup again; applications wait meanwhile."""
    regions = {"region": SOURCE, "from": TARGET}
    before = drill.arguments.new_backup == "before"
    drill.report.data["new_backup"] = f"{drill.arguments.new_backup} resume"
    drill.prepare(initial_setup_backup=True)
    drill.check_exactly_once()
    manifest = _save_manifest(drill)
    drill.live(drill.arguments.live)
    drill.await_expiry()
    drill.say(f"LOSS: {drill.lab.loss.format(region=SOURCE)}")
    drill.lost_at = drill.lab.lose(SOURCE)
    drill.lab.clear(SOURCE)
    if drill.arguments.sabotage == "backup":
        _remove_first_record(drill, TARGET)
    drill.stage("recreate_from_backup", **{f"recreate_from_backup_{key}": value for key, value in regions.items()}, recreate_from_backup_manifest=manifest)
    if drill.arguments.sabotage == "restored":
        _remove_first_record(drill, SOURCE)
    if before:
        drill.stage("new_backup", new_backup_region=SOURCE, new_backup_to=TARGET)
    drill.kept["resumed"] = time.time()
    drill.stage("resume", **{f"resume_{key}": value for key, value in regions.items()})
    drill.rto(SOURCE, drill.kept["resumed"])
    if not before:
        drill.stage("new_backup", new_backup_region=SOURCE, new_backup_to=TARGET)
    drill.live(5)
    _claims(drill, "recreate_from_backup")
    drill.settle(SOURCE)
    held = drill.measure(SOURCE, lost_allowed=True)
    drill.check_exactly_once(SOURCE, "exactly_once_in_force_in_restore", held)
    _check_loss_and_repetition(drill)
    _check_backup(drill, sum(len(counter) for counter in held.values()))


def _check_backup(drill: Drill, wanted: int) -> None:
    """The backup goes on: it gets what is new, and nothing a second time.

    :param wanted: how many records the region holds.
    """
    held: dict = {}

    def complete():
        held.update(topic_ids(drill.client(TARGET), list(TOPICS)))
        return sum(len(counter) for counter in held.values()) >= wanted

    until("the new backup to have all records", complete, 60, every=1)
    again = sum(count - 1 for counter in held.values() for count in counter.values())
    drill.report.check("nothing_copied_again", again == 0, "0 records twice in the backup", again)


def _remove_first_record(drill: Drill, region: str) -> None:
    """Delete the first record that a partition holds."""
    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import AdminClient, OffsetSpec

    admin = AdminClient({**drill.client(region, "kdr-stages")})
    place = TopicPartition(TOPICS[0], 0)
    first = next(iter(admin.list_offsets({place: OffsetSpec.earliest()}).values())).result(30).offset
    drill.say(f"SABOTAGE: the first record of {TOPICS[0]}-0 is deleted in {region}")
    next(iter(admin.delete_records([TopicPartition(TOPICS[0], 0, first + 1)]).values())).result(30)


def _save_manifest(drill: Drill) -> str:
    directory = drill.lab.directory / "work" / "manifest"
    drill.stage("manifest", manifest_region=SOURCE, manifest_directory=str(directory), manifest_topics=r"flights\..*", manifest_ledger_region=TARGET)
    return str(directory)


def _sabotage(drill: Drill) -> None:
    if drill.arguments.sabotage == "mirror":
        drill.say("SABOTAGE: the mirror is killed before the loss")
        drill.lab.halt(MIRROR)
        time.sleep(RPO_OBJECTIVE_SECONDS)
    elif drill.arguments.sabotage == "topic":
        from confluent_kafka.admin import AdminClient

        drill.say(f"SABOTAGE: topic {TOPICS[1]} is deleted in {TARGET}")
        drill.lab.halt(MIRROR)
        admin = AdminClient(drill.client(TARGET, "kdr-stages"))
        for future in admin.delete_topics([TOPICS[1]]).values():
            future.result(30)


def _claims(drill: Drill, stage: str) -> None:
    """What the stage wrote to the ledger about the loss and the positions, and the proofs."""
    entries = [one for one in _proofs(drill) if one["stage"] == stage]
    drill.kept["ends"] = next(one["found"] for one in entries if one["step"] == "ends")
    # ansible-core 2.18 makes a text of a number that is templated.
    drill.kept["witnessed_at"] = float(drill.kept["ends"]["witnessed_at"])
    drill.report.data["positions"] = next(one["found"] for one in entries if one["step"] == "positions")


def _proofs(drill: Drill) -> list[dict]:
    """Read the ledger, keep it for the report, and check that what was proven holds; its entries."""
    client = collection("_kafka.client").KafkaClient(drill.client(TARGET, "kdr-stages"), name=TARGET)
    try:
        entries = drill.report.ledger = collection("_ledger.ledger").read_ledger(
            client, "__kafka_dr_ledger", [drill.lab.inventory.load_secrets()["kafka_dr_ledger_secret"]]).entries
    except collection("_errors").KafkaDrError as error:
        raise LabError(str(error)) from error
    for one in entries:
        if one["step"] == "stage" and one["state"] == "started":
            drill.report.data["gates"].append({"stage": one["stage"], "held": one["found"].get("held") or []})
            drill.report.data["overrides"] += one["found"].get("overridden") or []
        if one["step"] == "proof":
            drill.report.data["proofs"].append({"stage": one["stage"], "verdict": one["found"]["verdict"], "report": one["found"]["report"]})
    verdicts = [one["verdict"] for one in drill.report.data["proofs"]]
    drill.report.check("copy_proven", bool(verdicts) and set(verdicts) == {"PROVEN"}, "PROVEN", ", ".join(verdicts) or "no proof")
    return entries


def _acknowledged_since(drill: Drill, when: float) -> int:
    return sum(1 for topic, at in drill.journals.acknowledged(SOURCE).values() if when < at <= _until(drill))


def _until(drill: Drill) -> float:
    """Until when what was done in the source was done before its loss: brokers die one after the other, and consumers process what they have fetched."""
    return drill.kept.get("resumed", float("inf"))


def _produce_stray(drill: Drill) -> None:
    """A record that only the returned region has."""
    from confluent_kafka import Producer

    failed = []
    producer = Producer({**drill.client(SOURCE, "departures-producer"), "log_level": 0})
    producer.produce(TOPICS[0], json.dumps({"id": STRAY}).encode(), b"stray", on_delivery=lambda error, message: failed.append(error) if error else None)
    producer.flush(20)
    drill.report.check("returned_source_is_alive", not failed, "it takes a record", str(failed[0]) if failed else "taken")


def _source_returns(drill: Drill) -> None:
    """The lost region comes back by itself, empty, and its mirror is started; it must not be used, nor write to the target until the end of the drill."""
    drill.say(f"{SOURCE} comes back by itself")
    drill.lab.bring_back(SOURCE)
    _produce_stray(drill)
    drill.lab.revive(MIRROR)
    refused = drill.lab.playbooks.run("initial_setup", {"initial_setup_source": SOURCE, "initial_setup_target": TARGET}, capture=True, check=False)
    drill.report.check("returning_source_refused", refused.returncode != 0 and "active region" in refused.stdout, "initial_setup refuses to use it",
                       f"exit code {refused.returncode}")
    drill.stage("fence", fence_region=SOURCE, fence_survivor=TARGET)
    told = _refusal_of(drill, "departures-producer")
    drill.report.check("returning_source_fenced", "AUTHORIZATION" in told, "it takes no record any more", told)


def _refusal_of(drill: Drill, user: str) -> str:
    """What a region that was left tells an application that still writes to it."""
    from confluent_kafka import KafkaException, Producer

    told: list = []
    producer = Producer({**drill.client(SOURCE, user), "log_level": 0, "message.timeout.ms": 10000})
    try:
        producer.produce(TOPICS[0], json.dumps({"id": STRAY}).encode(), b"stray", on_delivery=lambda error, message: told.append(error))
        producer.flush(20)
    except KafkaException as error:
        told.append(error.args[0])
    return "no answer" if not told else "taken" if told[0] is None else told[0].name()
