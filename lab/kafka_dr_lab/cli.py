# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's command line. Exit: 0 as asked, 1 a check did not hold, 2 it could not be done."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path

from .errors import LabError

ROOT = Path(__file__).resolve().parents[2]
PLATFORMS = ("host", "kubernetes")
SCENARIOS = ("failover", "switchover", "restore")


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description="A local lab of Kafka regions, and drills that lose one.")
    made.add_argument("--lab", type=Path, default=Path(os.environ.get("LAB_DIR") or ROOT / "build" / "lab"), help="the lab's directory")
    made.add_argument("--verbose", action="store_true", help="show Ansible's own verbosity")
    commands = made.add_subparsers(dest="command", required=True)
    for name, text in (("up", "start the regions"), ("down", "end everything and delete the data"), ("status", "what runs"), ("resolve", "only fetch Kafka")):
        one = commands.add_parser(name, help=text)
        if name == "up":
            _applications(one)
    lose = commands.add_parser("lose", help="lose a region of a running lab: its processes are killed, its data is deleted")
    lose.add_argument("region", help="north_america or europe")
    drill = commands.add_parser("drill", help="lose a region and come back, measured")
    drill.add_argument("--scenario", choices=SCENARIOS, default="failover")
    drill.add_argument("--platform", choices=PLATFORMS, default="host", help="regions as processes, or as namespaces of a Kubernetes API")
    drill.add_argument("--report", type=Path, default=ROOT / "build" / "drill", help="directory of the report")
    drill.add_argument("--keep", action="store_true", help="leave the lab running afterwards")
    drill.add_argument("--freeze", type=float, default=0.0, help="freeze the mirror so many seconds before the loss, so that records are lost")
    drill.add_argument("--dead-host", action="store_true",
                       help="failover on hosts: an application's machine and a mirror's machine are lost with the region; a later run catches up")
    drill.add_argument("--sabotage", choices=("mirror", "topic", "backup", "restored"), help="spoil the drill, to see it turn red")
    drill.add_argument("--new-backup", choices=("before", "after"), default="after", help="restore: make the new backup before or after applications resume")
    drill.add_argument("--live", type=float, default=8.0, help="seconds of live traffic before the loss, beside what flows while a manifest is saved")
    drill.add_argument("--retain", type=_count, default=20, help="keep the reports of so many drills in history/ beside the report; 0 keeps none")
    _applications(drill)
    past = commands.add_parser("history", help="one page over past drills: RTO and RPO over time")
    past.add_argument("--report", type=Path, default=ROOT / "build" / "drill", help="directory below which the reports are")
    past.add_argument("--page", type=Path, help="the page; history.html in that directory if left out")
    return made


def _count(word: str) -> int:
    count = int(word)
    if count < 0:
        raise argparse.ArgumentTypeError("expected 0 or more")
    return count


def _applications(one: argparse.ArgumentParser) -> None:
    one.add_argument("--history", type=int, default=300000, help="records produced at full speed before the live rate begins")
    one.add_argument("--rate", type=float, default=200.0, help="live records a second")
    one.add_argument("--records", type=int, default=0, help="records in all; 0 for no end")


def main(words: list[str] | None = None) -> int:
    arguments = parser().parse_args(words)

    def interrupted(number, frame):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupted)
    signal.signal(signal.SIGHUP, interrupted)
    try:
        return _act(arguments)
    except LabError as error:
        print(f"\nERROR: {error}", file=sys.stderr, flush=True)
        return 2
    except KeyboardInterrupt:
        print(f"\nInterrupted; {_left(arguments)}", file=sys.stderr, flush=True)
        return 130


def _left(arguments: argparse.Namespace) -> str:
    """What is left of the lab, as it is seen."""
    lab = _lab(arguments)
    if lab.runs():
        return f"the lab in {lab.directory} runs on. End it with: sh lab/bootstrap.sh --lab {lab.directory} down"
    return "everything the lab started has been ended."


def _lab(arguments: argparse.Namespace):
    """The lab of the platform that is asked for, or the one whose traces are in the directory."""
    from .kubernetes.lab import KubernetesLab
    from .lab import Lab

    platform = getattr(arguments, "platform", None) or ("kubernetes" if KubernetesLab.traces(arguments.lab) else "host")
    return (KubernetesLab if platform == "kubernetes" else Lab)(arguments.lab, arguments.verbose)


def _act(arguments: argparse.Namespace) -> int:
    if arguments.command == "resolve":
        from .kafka_home import kafka_home

        print(f"Apache Kafka is in {kafka_home()}")
        return 0
    if arguments.command == "history":
        from .report import history

        page = (arguments.page or arguments.report / "history.html").resolve()
        count = history(arguments.report.resolve(), page)
        print(f"{count} drills: {page}")
        return 0
    from .lab import undisturbed

    lab = _lab(arguments)
    options = {key: getattr(arguments, key, None) for key in ("history", "rate", "records")}
    options["machines"] = getattr(arguments, "dead_host", False)
    if options["machines"] and (arguments.platform, arguments.scenario) != ("host", "failover"):
        raise LabError("--dead-host loses machines in an unplanned failover between hosts: expected --scenario failover --platform host, "
                       f"found --scenario {arguments.scenario} --platform {arguments.platform}. Leave one of them out.")
    if arguments.command == "up":
        try:
            lab.up(options)
        except BaseException:
            undisturbed()
            lab.down()
            raise
        print(lab.status())
    elif arguments.command == "down":
        lab.down()
        print("The lab is down.")
    elif arguments.command == "lose":
        lab.lose(lab.cluster(arguments.region))
        # By hand, nobody has an administrator's tools beside it.
        lab.clear(lab.cluster(arguments.region))
        print(f"{arguments.region} is lost.")
    elif arguments.command == "status":
        print(lab.status())
    else:
        from .drill import run_drill

        return run_drill(lab, arguments, options)
    return 0
