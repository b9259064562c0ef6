# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of a drill against what its stages claimed in the ledger, and against the applications' journals."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any

from .drill import RPO_OBJECTIVE_SECONDS, SOURCE, TARGET, Drill
from .errors import LabError
from .journals import topic_ids
from .landscape import TOPICS
from .playbook import collection
from .waiting import until

# An entry of the ledger: stage, step, state, found …
Entry = dict[str, Any]

# The step of an unplanned failover that proves.
PROOF_STEP = "Prove what was copied before the loss"


def read_claims(drill: Drill, stage: str) -> None:
    """Keep what the stage wrote to the ledger about the loss and the positions, and check the proofs."""
    keep_claims(drill, stage, check_proofs(drill))


def keep_claims(drill: Drill, stage: str, entries: list[Entry]) -> None:
    """Keep what the stage wrote to the ledger about the loss and the positions."""
    entries = [entry for entry in entries if entry["stage"] == stage]
    drill.ends = next(entry["found"] for entry in entries if entry["step"] == "ends")
    # ansible-core 2.18 makes a text of a number that is templated.
    drill.witnessed_at = float(drill.ends["witnessed_at"])
    drill.report.data["positions"] = next(entry["found"] for entry in entries if entry["step"] == "positions")


def read_ledger(drill: Drill, region: str = TARGET) -> list[Entry]:
    """The entries of a region's ledger.

    :raises LabError: it cannot be read to its end, or an entry does not verify.
    """
    client = collection("_kafka.client").KafkaClient(drill.client(region, "kdr-stages"), name=region)
    secret = drill.lab.inventory.load_secrets()["kafka_dr_ledger_secret"]
    try:
        return collection("_ledger.ledger").read_ledger(client, "__kafka_dr_ledger", [secret]).entries
    except collection("_errors").KafkaDrError as error:
        raise LabError(str(error)) from error


def check_ledgers(drill: Drill, active: str) -> None:
    """Check that the ledgers of both regions tell the same moves, and that the last one led to this region."""
    moves = {
        region: collection("_ledger.fold").fold(read_ledger(drill, region))["moves"] for region in (SOURCE, TARGET)
    }
    histories = {
        region: [(move["epoch"], move["region"], move["hash"]) for move in region_moves]
        for region, region_moves in moves.items()
    }
    told_last = {
        region: f"epoch {history[-1][0]} {history[-1][1]}" if history else "nothing"
        for region, history in histories.items()
    }
    drill.report.check(
        "ledgers_tell_the_same",
        histories[SOURCE] == histories[TARGET] != [] and histories[TARGET][-1][1] == active,
        f"{active} in both, by the same epochs",
        ", ".join(f"{region}: {last}" for region, last in told_last.items()),
    )


def check_protected(drill: Drill, left: str, active: str, began: float) -> None:
    """Check that the mirror runs the other way after a planned move, and keep for how long none did.

    :param began: when the move began, in seconds since the epoch.
    """
    found = [
        (_moment(entry["found"]["since"]), _moment(entry["at"]))
        for entry in read_ledger(drill, active)
        if entry["step"] == "protected" and _moment(entry["at"]) >= began
    ]
    seconds = round(found[-1][1] - found[-1][0], 1) if found else None
    drill.report.check(
        f"{active}_protected_by_{left}", bool(found), f"a mirror from {active} to {left}", f"after {seconds} s"
    )
    drill.report.data.setdefault("protected_again_seconds", []).append(seconds)


def _moment(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def check_proofs(drill: Drill, region: str = TARGET) -> list[Entry]:
    """Read the ledger into the report, and check that every proof says PROVEN.

    :returns: the ledger's entries.
    """
    entries = read_ledger(drill, region)
    drill.report.ledger, data = entries, drill.report.data
    for entry in entries:
        stage, found = entry["stage"], entry["found"]
        if entry["step"] == "stage" and entry["state"] == "started":
            data["gates"].append({"stage": stage, "held": found.get("held") or []})
            data["overrides"] += found.get("overridden") or []
        if entry["step"] == "proof":
            proof = {name: found[name] for name in ("verdict", "report", "seconds", "watch") if name in found}
            data["proofs"].append({"stage": stage, **proof})
    verdicts = [proof["verdict"] for proof in data["proofs"]]
    drill.report.check(
        "copy_proven", bool(verdicts) and set(verdicts) == {"PROVEN"}, "PROVEN", ", ".join(verdicts) or "no proof"
    )
    return entries


def check_proof_after_loss(drill: Drill) -> None:
    """Keep how long the proof after the loss took, and check that it went by the watch where there is one."""
    data = drill.report.data
    data["proof_seconds"] = proof_seconds(drill.lab.playbooks.steps(), drill.lost_at)
    watch = data["proofs"][-1].get("watch") or {} if data["proofs"] else {}
    data["watch"] = watch
    if drill.options.get("watch"):
        drill.report.check(
            "watch_used",
            bool(watch.get("used") and watch.get("proven_records")),
            "a proof by what the watch kept",
            f"{watch.get('proven_records', 0)} records proven before, {watch.get('open_records', 0)} open",
        )


def proof_seconds(stages: list[dict[str, Any]], since: float, step: str = PROOF_STEP) -> float | None:
    """Seconds of the steps of this name since then (seconds since the epoch); None where there was none."""
    taken = [
        found["seconds"]
        for stage in stages
        for found in stage["steps"]
        if found["name"] == step and found["began"] >= since
    ]
    return round(sum(taken), 2) if taken else None


def check_loss_and_repetition(drill: Drill) -> None:
    """Check the journals against the objectives and against what the stage claimed."""
    check_loss(drill)
    data = drill.report.data
    reprocessed = sum(data["reprocessed"].values())
    # The witness notes the time before it reads: it has seen every commit up to that time.
    since = drill.journals.processed_after_commit(SOURCE, drill.witnessed_at, drill.resumed_at)
    drill.report.check(
        "reprocessed_bounded",
        reprocessed <= since,
        f"at most {since} records, which were processed after the last commit that the witness saw",
        reprocessed,
    )
    claimed = sum(int(data["positions"][name]) for name in ("reprocess_at_most", "unseen_at_most"))
    drill.report.check(
        "reprocessed_as_claimed",
        reprocessed <= claimed,
        f"at most {claimed} records, as the stage claimed",
        reprocessed,
    )


def check_loss(drill: Drill) -> None:
    """Check what was lost against the objective and against what the stage claimed."""
    rpo, freeze = drill.report.data["rpo"], drill.arguments.freeze
    objective = RPO_OBJECTIVE_SECONDS + (freeze + 5 if freeze else 0)
    drill.report.check(
        "rpo_objective", rpo["seconds"] <= objective, f"at most {objective:.0f} s", f"{rpo['seconds']} s"
    )
    claimed, lost = drill.ends["lost"]["total"], rpo["records"]
    if freeze:
        drill.report.check(
            "loss_as_claimed", claimed == lost > 0, f"{claimed} records lost, as the stage claimed", lost
        )
        return
    acknowledged = drill.journals.acknowledged(SOURCE).values()
    unseen = sum(1 for _topic, at in acknowledged if drill.witnessed_at < at <= drill.resumed_at)
    drill.report.check(
        "loss_as_claimed",
        lost <= claimed + unseen,
        f"at most {claimed} records that the stage claimed + {unseen} acknowledged after the witness read last",
        lost,
    )


def check_new_backup(drill: Drill, wanted: int, backup: str = TARGET) -> None:
    """Check that the new backup gets every record, and none a second time.

    :param wanted: how many records the region holds.
    :param backup: the region that is the backup now.
    """
    records: dict[str, Counter[str]] = {}

    def complete() -> bool:
        records.update(topic_ids(drill.client(backup), list(TOPICS)))
        return sum(len(counter) for counter in records.values()) >= wanted

    until("the new backup to have all records", complete, 60, every=1)
    sent_again = drill.journals.sent_again()
    duplicates = sum(
        count - 1 for counter in records.values() for identity, count in counter.items() if identity not in sent_again
    )
    drill.report.check("nothing_copied_again", duplicates == 0, "0 records twice in the backup", duplicates)
