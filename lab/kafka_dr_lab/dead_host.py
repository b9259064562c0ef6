# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines that are lost with the region: the failover names them, and a later run catches up with them."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

from .drill import MIRROR, SOURCE, TARGET, Drill
from .landscape import APPLICATIONS_MACHINE, ARCHIVE, ARCHIVE_GROUP, MIRROR_MACHINE
from .playbook import collection
from .waiting import until


def unreached(drill: Drill) -> dict[str, Any]:
    """What the last failover recorded as not reached: ``mirror{machine: reason}``, ``applications{name: reason}``."""
    client = collection("_kafka.client").KafkaClient(drill.client(TARGET, "kdr-stages"), name=TARGET)
    chain = collection("_ledger.ledger").read_ledger(
        client, "__kafka_dr_ledger", [drill.lab.inventory.load_secrets()["kafka_dr_ledger_secret"]]
    )
    return collection("_ledger.fold").fold(chain.entries)["last"]["failover"]["found"]["unreached"]


def check_named(drill: Drill) -> None:
    """Check that the ledger names both machines and nothing else, and that the other applications run."""
    found = unreached(drill)
    named = f"mirror {', '.join(found['mirror']) or 'none'}; applications {', '.join(found['applications']) or 'none'}"
    drill.report.check(
        "dead_machines_named",
        (list(found["mirror"]), list(found["applications"])) == ([MIRROR_MACHINE], [ARCHIVE]),
        f"mirror {MIRROR_MACHINE}; applications {ARCHIVE}",
        named,
    )
    running = [
        process["name"]
        for process in drill.lab.supervisor.processes()
        if process["statename"] == "RUNNING" and process["name"].startswith("departures-")
    ]
    drill.report.check(
        "healthy_applications_started",
        len(running) == 2,
        "departures-consumer and departures-producer run",
        ", ".join(sorted(running)) or "none",
    )


def catch_up(drill: Drill) -> None:
    """The machines come back as they were, and the same stage is run again."""
    machines = drill.lab.inventory.machines()
    drill.say(f"The machines {APPLICATIONS_MACHINE} and {MIRROR_MACHINE} come back, with everything that ran on them")
    for machine in machines.values():
        machine.start()
    mirror = machines[MIRROR_MACHINE].keeper
    until(
        "the mirror to run again on its machine", lambda: (mirror.info(MIRROR) or {}).get("statename") == "RUNNING", 60
    )
    since = time.time()
    drill.stage("failover", failover_source=SOURCE, failover_target=TARGET)
    state = (mirror.info(MIRROR) or {}).get("statename")
    drill.report.check("returned_mirror_stopped", state == "STOPPED", "STOPPED on its machine", state)
    archive = machines[APPLICATIONS_MACHINE]
    state = (archive.keeper.info(ARCHIVE) or {}).get("statename")
    drill.report.check("left_application_started", state == "RUNNING", "RUNNING on its machine", state)
    found = unreached(drill)
    drill.report.check("nothing_left_behind", not found["mirror"] and not found["applications"], "nothing", found)
    journal = archive.files / "consumer.sqlite"
    count = until(
        f"group {ARCHIVE_GROUP} to process records in {TARGET}", lambda: _processed(journal, TARGET, since), 60
    )
    drill.report.check("left_application_works_in_target", count > 0, "records processed", count)


def _processed(journal: Path, region: str, since: float) -> int:
    """How many records the application processed in the region since a wall time."""
    with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as connection:
        return connection.execute(
            "SELECT count(*) FROM processed WHERE region = ? AND at > ?", (region, since)
        ).fetchone()[0]
