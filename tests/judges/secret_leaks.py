# SPDX-License-Identifier: GPL-3.0-or-later
"""Drill with Ansible's most verbose output, and search everything for the lab's secrets. Those in the places that
docs/security.md names are allowed.

The search covers command lines and environments of all processes during the drill, temporary files, the output, the
report, every file of the lab, temporary directories, and all records of all topics, for plain, base64 and URL-encoded
secrets. The judge leaves a secret of its own in a place of each kind; a search that does not find it fails too.
Arguments are names of scenarios: ``secret_leaks.py [failover] [restore]``.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from places import ROOT, plain
from searching import Find, Search, sections
from secret_places import ALLOWED, secrets_of
from secret_samples import Sampler
from secret_topics import look_at_topics

sys.path.insert(0, str(ROOT / "lab"))
from kafka_dr_lab.errors import LabError
from kafka_dr_lab.inventory import Inventory
from kafka_dr_lab.landscape import CLUSTERS

# A controller keeps what the default output shows, and more; people see one line for each step.
SCENARIOS = {"failover": ("--callback", "ansible.builtin.default"), "restore": ()}
SHORT = ("--history", "5000", "--live", "5", "--retain", "0", "--keep")
LOUD = "--ansible=-vvvvv --diff"
# Where programs leave files that ask nobody for a temporary directory.
OTHERS = (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path.home() / ".ansible")
PLANTED = "secret of the judge"
TOPIC = "judge.planted"


class Planted:
    """A secret of the judge's own in a place of each kind, to show that the search sees it there."""

    KINDS = {
        "command line": "command line",
        "environment": "environment",
        "output": "file",
        "report": "file",
        "lab": "file",
        "temporary": "file",
        "topic": "topic",
    }

    def __init__(self, places: dict[str, Path]):
        self.text, self.places = base64.urlsafe_b64encode(os.urandom(24)).decode(), places
        self._processes: list[subprocess.Popen] = []

    def plant_running(self) -> None:
        """In a process, and in a file of the lab that is gone soon."""
        sleep = (sys.executable, "-c", "import time; time.sleep(2)")
        self._processes = [subprocess.Popen([*sleep, self.text]), subprocess.Popen(sleep, env={"SPOILT": self.text})]
        path = self.places["lab"] / "work" / "spoilt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text)
        for one in self._processes:
            one.wait()
        time.sleep(4)
        path.unlink()

    def plant_ended(self, client: dict) -> None:
        """In what a drill leaves behind: output, report, temporary directory, a topic."""
        from confluent_kafka import Producer
        from confluent_kafka.admin import AdminClient, NewTopic

        with self.places["output"].open("a") as file:
            file.write(self.text)
        (self.places["report"] / "spoilt.json").write_text(self.text)
        (self.places["temporary"] / "spoilt").write_text(self.text)
        admin = AdminClient(client)
        admin.create_topics([NewTopic(TOPIC, 1, 1)])[TOPIC].result(30)
        producer = Producer(client)
        producer.produce(TOPIC, None, headers=[("spoilt", self.text.encode())])
        if producer.flush(30):
            raise LabError("The judge's own record was not acknowledged")

    def unseen(self, finds: set[Find]) -> list[str]:
        """Places in which it was not found."""
        seen = {
            (one.kind, one.where.split("/")[0] if one.kind == "file" else one.kind)
            for one in finds
            if one.secret == PLANTED
        }
        return [place for place, kind in self.KINDS.items() if (kind, place) not in seen]


def admin_of(inventory: Inventory, region: str) -> dict:
    """librdkafka configuration of who may read everything in a region of the lab."""
    described = inventory.load()["all"]["hosts"][region]["kafka_dr_client"]
    return {
        **described,
        "sasl.username": "admin",
        "sasl.password": inventory.load_secrets()["lab_clusters"][region]["admin_password"],
        "log_level": 0,
    }


def known(inventory: Inventory, process: subprocess.Popen) -> dict[str, str]:
    """The lab's secrets, as soon as it has any."""
    while process.poll() is None:
        with contextlib.suppress(LabError):
            if inventory.exists():
                return secrets_of(inventory.load_secrets(), inventory.vault_password.read_text().strip())
        time.sleep(0.2)
    raise LabError(f"The drill ended before it had secrets, with exit code {process.returncode}")


def look_elsewhere(search: Search, since: float, own: Path) -> None:
    """Search what was written outside while the drill ran."""
    for base in OTHERS:
        for folder, names, files in os.walk(base):
            # The judge's own is looked at by itself; pytest's is of tests that run at the same time.
            names[:] = [one for one in names if Path(folder, one) != own and not one.startswith("pytest-of-")]
            for path in (Path(folder, one) for one in files):
                with contextlib.suppress(OSError):
                    if path.is_file() and not path.is_symlink() and path.stat().st_mtime >= since:
                        search.look_at_file(path, str(path))


def judge(scenario: str, base: Path) -> tuple[Search, list[str]]:
    """Drill once and search.

    :returns: the search with its finds, and what else went wrong.
    """
    places = {"lab": base / "lab", "report": base / "report", "temporary": base / "t", "output": base / "output"}
    for name in ("lab", "report", "temporary"):
        places[name].mkdir()
    began, planted = time.time(), Planted(places)
    sampler = Sampler({name: places[name] for name in ("lab", "report", "temporary")})
    process = _start_drill(scenario, places)
    try:
        search, code, records = _search_while_it_runs(process, sampler, planted, Inventory(places["lab"]))
    except BaseException:
        told(scenario, sampler.search)
        raise
    finally:
        process.terminate()
        process.wait()
        try:
            if sampler.search:
                sampler.look_at_files(all_of_them=True)
        finally:
            subprocess.run([*_lab(places), "down"], env=_environment(places), check=False)
    # The files that remain after the lab's end are searched as well.
    sampler.look_at_files(all_of_them=True)
    search.look_at_file(places["output"], "output")
    look_elsewhere(search, began, base)
    wrong = [
        f"the search is blind: it did not find the judge's own secret in {place}"
        for place in planted.unseen(search.finds)
    ]
    if code:
        output = search.hidden(places["output"].read_text(errors="replace")[-3000:])
        wrong.append(f"the drill ended with exit code {code}: {output}")
    seconds = time.time() - began
    print(f"{scenario}: {sampler.samples} samples of processes, {records} records, {seconds:.0f} s", flush=True)
    return search, wrong


def _lab(places: dict[str, Path]) -> list[str]:
    return [sys.executable, str(ROOT / "lab" / "main.py"), "--lab", str(places["lab"])]


def _environment(places: dict[str, Path]) -> dict[str, str]:
    return {**plain(), "TMPDIR": str(places["temporary"])}


def _start_drill(scenario: str, places: dict[str, Path]) -> subprocess.Popen:
    report = ["--report", str(places["report"])]
    command = [*_lab(places), "drill", "--scenario", scenario, *report, *SHORT, LOUD, *SCENARIOS[scenario]]
    print("$", *command, flush=True)
    with places["output"].open("wb") as output:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=_environment(places)
        )


def _search_while_it_runs(
    process: subprocess.Popen, sampler: Sampler, planted: Planted, inventory: Inventory
) -> tuple[Search, int, int]:
    """Search processes and files until the drill ends, then the topics.

    :returns: the search, the drill's exit code, and how many records were searched.
    """
    sampler.start()
    search = sampler.search = Search({PLANTED: planted.text, **known(inventory, process)})
    planted.plant_running()
    code = process.wait()
    sampler.stop()
    planted.plant_ended(admin_of(inventory, "europe"))
    records = sum(look_at_topics(search, region, admin_of(inventory, region)) for region in CLUSTERS)
    return search, code, records


def told(scenario: str, search: Search | None) -> list[str]:
    """Print what was found where it must not be, and return it."""
    lines = [
        f"{scenario}: {one.secret} ({one.form}) in {one.kind}: {one.where}"
        + ("" if one.private else ", which others can read")
        for one in (search.leaks(ALLOWED) if search else [])
        if one.secret != PLANTED
    ]
    for line in lines:
        print("-", line, flush=True)
    return lines


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("scenarios", nargs="*", metavar="scenario", help=" or ".join(SCENARIOS))
    asked = parser.parse_args(words).scenarios or list(SCENARIOS)
    wrong = [
        f"docs/security.md has no section '{one.section}', which is to allow {one.secret} in {one.where}"
        for one in ALLOWED
        if one.section not in sections((ROOT / "docs" / "security.md").read_text())
    ]
    for one in wrong:
        print("-", one, flush=True)
    for scenario in asked:
        base = Path(tempfile.mkdtemp(prefix="kdr-secrets-"))
        try:
            search, more = judge(scenario, base)
        finally:
            shutil.rmtree(base, ignore_errors=True)
        for one in more:
            print("-", one, flush=True)
        wrong += [*more, *told(scenario, search)]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
