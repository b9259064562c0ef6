# SPDX-License-Identifier: GPL-3.0-or-later
"""What a failover owes to machines that were lost with the region: it names them, and a later run catches up with them."""

from __future__ import annotations

import sqlite3
import time

from .drill import MIRROR, SOURCE, TARGET, Drill
from .inventory import APPLICATIONS_MACHINE, ARCHIVE, ARCHIVE_GROUP, MIRROR_MACHINE
from .playbook import collection
from .waiting import until


def unreached(drill: Drill) -> dict:
    """What the failover that ended last wrote down as left behind: ``mirror{machine: why}``, ``applications{name: why}``."""
    client = collection("_kafka.client").KafkaClient(drill.client(TARGET, "kdr-stages"), name=TARGET)
    chain = collection("_ledger.ledger").read_ledger(client, "__kafka_dr_ledger", [drill.lab.inventory.load_secrets()["kafka_dr_ledger_secret"]])
    return collection("_ledger.fold").fold(chain.entries)["last"]["failover"]["found"]["unreached"]


def check_named(drill: Drill) -> None:
    """Both machines are named in the ledger, and nothing else is."""
    found = unreached(drill)
    named = f"mirror {', '.join(found['mirror']) or 'none'}; applications {', '.join(found['applications']) or 'none'}"
    drill.report.check("dead_machines_named", (list(found["mirror"]), list(found["applications"])) == ([MIRROR_MACHINE], [ARCHIVE]),
                       f"mirror {MIRROR_MACHINE}; applications {ARCHIVE}", named)
    running = [one["name"] for one in drill.lab.supervisor.processes() if one["statename"] == "RUNNING" and one["name"].startswith("departures-")]
    drill.report.check("healthy_applications_started", len(running) == 2, "departures-consumer and departures-producer run",
                       ", ".join(sorted(running)) or "none")


def catch_up(drill: Drill) -> None:
    """The machines come back as they were, and the same command is run again."""
    machines = drill.lab.inventory.machines()
    drill.say(f"The machines {APPLICATIONS_MACHINE} and {MIRROR_MACHINE} come back, with what ran on them")
    for machine in machines.values():
        machine.start()
    mirror = machines[MIRROR_MACHINE].keeper
    until("the mirror to run again on its machine", lambda: (mirror.info(MIRROR) or {}).get("statename") == "RUNNING", 60)
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
    count = until(f"group {ARCHIVE_GROUP} to process records in {TARGET}", lambda: _processed(journal, TARGET, since), 60)
    drill.report.check("left_application_works_in_target", count > 0, "records processed", count)


def _processed(journal, region: str, since: float) -> int:
    """How many records the application processed in the region since then."""
    with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as one:
        return one.execute("SELECT count(*) FROM processed WHERE region = ? AND at > ?", (region, since)).fetchone()[0]
