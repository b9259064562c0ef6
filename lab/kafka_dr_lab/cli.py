# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's command line. Exit codes: 0 success, 1 a check of a drill failed, 2 the command could not be run."""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from .errors import LabError

if TYPE_CHECKING:
    from .lab import Lab

ROOT = Path(__file__).resolve().parents[2]
PLATFORMS = ("host", "kubernetes")
# A region whose processes are stopped, not killed.
ASLEEP = "asleep"
SCENARIOS = ("failover", "switchover", "restore", "roundtrip", "failback")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    command_line = argparse.ArgumentParser(description="A local lab of Kafka regions, and drills that lose one.")
    command_line.add_argument(
        "--lab",
        type=Path,
        default=Path(os.environ.get("LAB_DIR") or ROOT / "build" / "lab"),
        help="the lab's directory",
    )
    command_line.add_argument("--verbose", action="store_true", help="run ansible-playbook with -vv")
    commands = command_line.add_subparsers(dest="command", required=True)
    _add_lab_commands(commands)
    _add_drill(commands)
    history = commands.add_parser("history", help="write one page about past drills: RTO and RPO over time")
    history.add_argument(
        "--report", type=Path, default=ROOT / "build" / "drill", help="directory below which the reports are"
    )
    history.add_argument("--page", type=Path, help="the page to write; default: history.html in that directory")
    history.add_argument(
        "--metrics", type=Path, help="a file to write for the textfile collector of Prometheus' node exporter"
    )
    return command_line


Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def _add_lab_commands(commands: Commands) -> None:
    _add_traffic_options(commands.add_parser("up", help="start the regions"))
    commands.add_parser("down", help="stop everything and delete the data")
    commands.add_parser("status", help="show what runs")
    commands.add_parser("resolve", help="only download Kafka, and archive its classes for a quicker start")
    lose = commands.add_parser(
        "lose", help="lose a region of a running lab: its processes are killed, its data is deleted"
    )
    lose.add_argument("region", help="north_america or europe")
    lose.add_argument("--keep-disks", action="store_true", help="its data stays")
    back = commands.add_parser("return", help="start the brokers of a region that was lost with its disks kept")
    back.add_argument("region", help="north_america or europe")


def _add_drill(commands: Commands) -> None:
    drill = commands.add_parser("drill", help="lose a region, recover, and measure")
    _add_loss_options(drill)
    drill.add_argument(
        "--returns",
        choices=("with-data", "empty", ASLEEP),
        default="with-data",
        help="failback: whether the lost region comes back with its disks, or empty; or was only asleep, and goes on "
        "by itself in the middle of the failover",
    )
    drill.add_argument("--report", type=Path, default=ROOT / "build" / "drill", help="directory of the report")
    drill.add_argument("--keep", action="store_true", help="leave the lab running afterwards")
    drill.add_argument(
        "--ansible",
        default="",
        metavar="OPTIONS",
        help="further options of ansible-playbook, as one argument: --ansible='-vvvvv --diff'",
    )
    drill.add_argument(
        "--callback",
        default="",
        help="Ansible's output callback, such as ansible.builtin.default; default: one line for each step",
    )
    drill.add_argument(
        "--retain",
        type=_count,
        default=20,
        help="how many drills' reports to keep in history/ beside the report; 0 keeps none",
    )
    _add_traffic_options(drill)


def _add_loss_options(drill: argparse.ArgumentParser) -> None:
    """What the drill does, and what happens before the loss."""
    drill.add_argument("--scenario", choices=SCENARIOS, default="failover")
    drill.add_argument(
        "--platform",
        choices=PLATFORMS,
        default="host",
        help="run regions as processes, or as namespaces of a Kubernetes API",
    )
    drill.add_argument(
        "--freeze",
        type=float,
        default=0.0,
        help="freeze the mirror for this many seconds before the loss, so that records are lost",
    )
    drill.add_argument(
        "--dead-host",
        action="store_true",
        help="failover on hosts: an application's machine and a mirror's machine are lost with the region; "
        "a second run of the stage catches up with them",
    )
    drill.add_argument(
        "--sabotage",
        choices=("mirror", "topic", "backup", "restored"),
        help="damage something, to show that the drill fails",
    )
    drill.add_argument(
        "--new-backup",
        choices=("before", "after"),
        default="after",
        help="restore: make the new backup before or after applications resume",
    )
    drill.add_argument(
        "--live",
        type=float,
        default=8.0,
        help="seconds of live traffic before the loss, in addition to the time in which a manifest is saved",
    )


def _count(word: str) -> int:
    count = int(word)
    if count < 0:
        raise argparse.ArgumentTypeError("expected 0 or more")
    return count


def _add_traffic_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--history", type=int, default=300000, help="records produced at full speed before the live rate begins"
    )
    command.add_argument(
        "--watch",
        action=argparse.BooleanOptionalAction,
        help="keep a standing proof of each mirror; a lab by hand and a failover have it unless --no-watch is given",
    )
    command.add_argument("--rate", type=float, default=200.0, help="live records a second")
    command.add_argument("--records", type=int, default=0, help="records in total; 0 for no end")


def main(words: list[str] | None = None) -> int:
    """Run one command.

    :param words: the arguments; default: those of the process.
    :returns: the exit code.
    """
    arguments = parser().parse_args(words)

    def interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGHUP, interrupt)
    try:
        return _run(arguments)
    except LabError as error:
        print(f"\nERROR: {error}", file=sys.stderr, flush=True)
        return 2
    except KeyboardInterrupt:
        print(f"\nInterrupted; {_left(arguments)}", file=sys.stderr, flush=True)
        return 130


def _left(arguments: argparse.Namespace) -> str:
    """Whether the lab still runs after an interruption."""
    lab = _lab(arguments)
    if lab.runs():
        return f"the lab in {lab.directory} still runs. Stop it with: sh lab/bootstrap.sh --lab {lab.directory} down"
    return "everything that the lab started has been stopped."


def _lab(arguments: argparse.Namespace) -> Lab:
    """The lab of the requested platform, or the one whose traces are in the directory."""
    from .kubernetes.lab import KubernetesLab
    from .lab import Lab

    platform = getattr(arguments, "platform", None) or ("kubernetes" if KubernetesLab.traces(arguments.lab) else "host")
    lab = (KubernetesLab if platform == "kubernetes" else Lab)(arguments.lab, arguments.verbose)
    lab.playbooks.options += shlex.split(getattr(arguments, "ansible", ""))
    lab.playbooks.callback = getattr(arguments, "callback", "")
    return lab


def _run(arguments: argparse.Namespace) -> int:
    if arguments.command == "resolve":
        return _resolve()
    if arguments.command == "history":
        from .report import history

        page = (arguments.page or arguments.report / "history.html").resolve()
        rows = history(arguments.report.resolve(), page)
        print(f"{len(rows)} drills: {page}")
        if arguments.metrics:
            from .drill_metrics import write

            write(rows, arguments.metrics.resolve())
            print(f"For Prometheus: {arguments.metrics.resolve()}")
        return 0
    lab = _lab(arguments)
    options = {key: getattr(arguments, key, None) for key in ("history", "rate", "records")}
    options["watch"] = _has_watch(arguments)
    options["sleeps"] = getattr(arguments, "returns", "") == ASLEEP
    options["machines"] = getattr(arguments, "dead_host", False) or options["sleeps"]
    _refuse_elsewhere(arguments)
    if arguments.command == "drill":
        from .run import run_drill

        return run_drill(lab, arguments, options)
    _by_hand(lab, arguments, options)
    return 0


def _has_watch(arguments: argparse.Namespace) -> bool:
    """Whether each mirror has a standing proof: as asked for, or where a proof goes by it."""
    asked: bool | None = getattr(arguments, "watch", None)
    return arguments.command == "up" or getattr(arguments, "scenario", "") == "failover" if asked is None else asked


def _by_hand(lab: Lab, arguments: argparse.Namespace, options: dict[str, Any]) -> None:
    """What people do with a lab outside a drill."""
    if arguments.command == "up":
        _start(lab, options)
    elif arguments.command == "down":
        lab.down()
        print("The lab is down.")
    elif arguments.command == "lose":
        region = lab.cluster(arguments.region)
        lab.lose(region, arguments.keep_disks)
        if not arguments.keep_disks:
            # Without a drill nobody else clears what blocks the restore.
            lab.clear(region)
        print(f"{region} is lost.")
    elif arguments.command == "return":
        lab.start_again(lab.cluster(arguments.region))
        print(f"{arguments.region} is back.")
    elif arguments.command == "status":
        print(lab.status())


def _resolve() -> int:
    from . import class_archive
    from .kafka_home import kafka_home

    print(f"Apache Kafka is in {kafka_home()}")
    class_archive.make()
    return 0


def _refuse_elsewhere(arguments: argparse.Namespace) -> None:
    """Refuse an option of a drill on a platform, or in a scenario, that does not have it."""
    if getattr(arguments, "dead_host", False) and (arguments.platform, arguments.scenario) != ("host", "failover"):
        raise LabError(
            "--dead-host loses machines in an unplanned failover between hosts: "
            "expected --scenario failover --platform host, "
            f"found --scenario {arguments.scenario} --platform {arguments.platform}. Leave one of them out."
        )
    if getattr(arguments, "returns", "") == ASLEEP and (arguments.platform, arguments.scenario) != ("host", "failback"):
        raise LabError(
            "--returns asleep stops a region between hosts, and fails back to it: "
            "expected --scenario failback --platform host, "
            f"found --scenario {arguments.scenario} --platform {arguments.platform}. Leave one of them out."
        )


def _start(lab: Lab, options: dict[str, Any]) -> None:
    from .lab import undisturbed

    try:
        lab.up(options)
    except BaseException:
        undisturbed()
        lab.down()
        raise
    print(lab.status())
