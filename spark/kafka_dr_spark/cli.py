# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line. Exit: 0 PROVEN (salvaged), 1 shown to be different, 2 could not tell, 130 interrupted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.shapes import Engine, Report

if TYPE_CHECKING:
    from pyspark import SparkContext

    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest.shapes import SideSpec

import argparse
import logging
import os
import signal
import sys
import traceback

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import report as reports
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.comparison import Options, prepare
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.worker import InProcess

from . import settings
from .arguments import parser

INTERRUPTED = 130


class Interrupted(KeyboardInterrupt):
    """SIGINT or SIGTERM; no Exception, so that nothing takes it for a failure of its own."""

    # Py4J makes an error of the connection of it where it comes in the midst of an answer.
    came = False


def main(words: list[str], package: str, context: SparkContext | None = None) -> int:
    """Run a command; returns the exit code. ``context``: a Spark context to use instead of an own one."""
    try:
        arguments = parser().parse_args(words)
    except SystemExit as error:
        return int(error.code or 0)
    code = 2
    try:
        tell(arguments, {"finished": False, "text": "proof: Spark starts"})
        code = command(arguments, package, context)
    finally:
        tell(arguments, {"finished": True, "exit_code": code, "text": "proof: finished"})
    return code


def tell(arguments: argparse.Namespace, figures: dict[str, Any]) -> None:
    """Keep the progress file, where one is wanted; that it cannot be written does not end the job."""
    if arguments.progress:
        try:
            settings.write_json(arguments.progress, {"pid": os.getpid(), **figures})
        except OSError as error:
            sys.stderr.write(f"The progress file {arguments.progress} cannot be written: {error.strerror}\n")


def command(arguments: argparse.Namespace, package: str, context: SparkContext | None) -> int:
    """Run what was parsed; errors become a message and an exit code."""
    if context is None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, _interrupt)
    try:
        if arguments.parent_pid:
            from .engine import end_with

            end_with(arguments.parent_pid)
        check(arguments)
        if arguments.command == "compare":
            return compare(arguments, package, context)
        if arguments.command == "salvage":
            # Its libraries take time to load, which a proof does not need.
            from . import salvaging

            return salvaging.salvage(arguments, package, context)
        if arguments.command == "watch":
            from . import watching

            return watching.watch(arguments)
        return manifest(arguments, package, context)
    except KafkaDrError as error:
        if Interrupted.came:
            return _say_interrupted()
        sys.stderr.write(f"{error}\n")
        tell_failure(arguments, error)
        return 2
    except KeyboardInterrupt:
        return _say_interrupted()
    except Exception as error:
        if Interrupted.came:
            return _say_interrupted()
        # A mistake of ours must not look like a shown difference (exit 1).
        traceback.print_exc()
        tell_failure(arguments, KafkaDrError("The job failed", found=f"{type(error).__name__}: {error}"))
        return 2


def tell_failure(arguments: argparse.Namespace, error: KafkaDrError) -> None:
    """A report also of what failed."""
    if arguments.command == "compare":
        failed(arguments, error)
    if arguments.command == "salvage":
        from . import salvaging

        salvaging.failed(arguments, error)


def _interrupt(number: int, frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Interrupted.came = True
    # The connection that is left in the midst of an answer is not worth a traceback.
    logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)
    raise Interrupted


def _say_interrupted() -> int:
    sys.stderr.write("Interrupted.\n")
    return INTERRUPTED


def check(arguments: argparse.Namespace) -> None:
    """What argparse does not. :raises UsageError: a number out of range, or no source."""
    if arguments.command == "compare":
        held = [name for name in ("source_config", "manifest", "watch") if getattr(arguments, name)]
        if held not in (["source_config"], ["manifest"], ["watch"], ["source_config", "watch"], ["manifest", "watch"]):
            raise UsageError(
                "What is to be compared is not clear",
                expected="--source-config, --manifest, --watch, or --watch with one of the former",
                found=", ".join(f"--{name.replace('_', '-')}" for name in held) or "none of them",
            )
    for name in ("max_differences", "wait_seconds", "max_mb_per_second", "timeout", "interval"):
        value = getattr(arguments, name, None)
        if value is not None and (value < 0 or (value == 0 and name in ("max_mb_per_second", "timeout"))):
            raise UsageError(f"--{name.replace('_', '-')} is not valid", expected="a positive number", found=value)


def compare(arguments: argparse.Namespace, package: str, context: SparkContext | None = None) -> int:
    """``compare``: freeze bounds before Spark starts, so that a bad input fails at once."""
    if arguments.watch:
        from . import closing

        run = closing.compare_tail if arguments.source_config else closing.close_windows
        return run(arguments, package, context)
    target = settings.live_side(arguments.target_config, arguments.target_name, arguments.timeout)
    if arguments.manifest:
        source = manifest_side(arguments)
    else:
        source = settings.live_side(arguments.source_config, arguments.source_name, arguments.timeout)
    comparison = prepare(source, target, options_of(arguments))
    sides = comparison.source_spec, comparison.target_spec
    return on_spark(arguments, package, context, sides, comparison.run)


def manifest_side(arguments: argparse.Namespace) -> SideSpec:
    """The description of the manifest."""
    return {
        "kind": "manifest",
        "path": arguments.manifest,
        "name": "the manifest" if arguments.watch else arguments.source_name,
        "digest": arguments.manifest_digest,
    }


def options_of(arguments: argparse.Namespace) -> Options:
    """What the comparison is asked."""
    return Options(
        arguments.topics,
        arguments.rename,
        arguments.ignore_timestamps,
        settings.load_json(arguments.bounds, "bounds file") if arguments.bounds else None,
        arguments.max_differences,
        arguments.wait_seconds,
    )


def on_spark(
    arguments: argparse.Namespace,
    package: str,
    context: SparkContext | None,
    sides: Sequence[SideSpec],
    run: Callable[[Engine], Report],
) -> int:
    """Compare on Spark, and tell the report; returns the exit code."""
    from .engine import running

    with running(arguments, package, context, sides) as engine:
        report = run(engine)
        report["engine"] = engine.describe()
        return finished(arguments, report)


def in_process(arguments: argparse.Namespace, run: Callable[[Engine], Report]) -> int:
    """Compare in this process, and tell the report; returns the exit code."""
    report = run(InProcess())
    report["engine"] = {"name": InProcess.name}
    return finished(arguments, report)


def finished(arguments: argparse.Namespace, report: Report) -> int:
    """Write the report, and tell it; returns the exit code."""
    settings.write_json(arguments.report, report)
    summarise(arguments, report)
    sys.stdout.write(summary(report) + "\n")
    return reports.exit_code(report)


def summary(report: Report) -> str:
    """A few lines for people."""
    totals = report["totals"]
    lines = [
        f"{report['verdict']}: {totals['records_source']:,} records on the source, "
        f"{totals['records_target']:,} on the target, {report['seconds']} s"
    ]
    counts = [f"{totals[name]:,} {name}" for name in reports.COUNTS if totals[name]]
    if counts:
        lines.append("  " + ", ".join(counts))
    lines.extend(f"  {line}" for line in named(report))
    lines.extend(f"  {reason}" for reason in report["reasons"][:20])
    return "\n".join(lines[:60])


def named(report: Report) -> list[str]:
    """The first differences of each partition, a line each."""
    return [
        f"{topic['topic']}-{part['partition']}: {difference['kind']}"
        + (f" ({difference['field']})" if difference["field"] else "")
        + (f" x{difference['count']}" if difference["count"] > 1 else "")
        + (f" source offset {difference['source_offset']}" if difference["source_offset"] is not None else "")
        + (f" target offset {difference['target_offset']}" if difference["target_offset"] is not None else "")
        for topic in report["topics"]
        for part in topic["partitions"]
        # What lies beyond the bounds was not judged; under live traffic it would stand before every difference that
        # was.
        for difference in [difference for difference in part["differences"] if difference["kind"] != "beyond"][:3]
    ]


def summarise(arguments: argparse.Namespace, report: Report) -> None:
    """Write the result as a stage keeps it, where that is wanted."""
    if not arguments.summary:
        return
    short = reports.kept(report)
    short["named"] = named(report)[:20]
    if "watch" in report:
        short["watch"] = report["watch"]
    settings.write_json(
        arguments.summary, {**short, "seconds": report.get("seconds"), "report": os.path.abspath(arguments.report)}
    )


def failed(arguments: argparse.Namespace, error: KafkaDrError) -> None:
    """A report also where nothing could be compared."""
    value = {
        "verdict": "NOT_PROVABLE",
        "complete": False,
        "reasons": [str(error)],
        "error": error.kind,
        "engine": {},
        "topics": [],
        "totals": dict.fromkeys(reports.TOTALS, 0),
    }
    try:
        settings.write_json(arguments.report, value)
        summarise(arguments, value)
    except OSError as problem:
        sys.stderr.write(f"The report {arguments.report} cannot be written: {problem.strerror}\n")


def manifest(arguments: argparse.Namespace, package: str, context: SparkContext | None = None) -> int:
    """``manifest``."""
    from . import saving

    side = settings.live_side(arguments.config, "source", arguments.timeout)
    saving_run = saving.prepare(side, arguments.out, arguments.topics, arguments.detail, arguments.manifest_digest)
    from .engine import running

    with running(arguments, package, context, (side,)) as engine:
        saved = saving_run.run(engine)
        if arguments.summary:
            settings.write_json(arguments.summary, {**saved, "manifest": arguments.out})
        sys.stdout.write(
            f"Saved {saved['records']:,} records of {saved['topics']} topics to {arguments.out} "
            f"({saved['new_records']:,} new, pid {os.getpid()})\n"
        )
        if saved["withheld"]:
            sys.stdout.write(saving.withheld_text(saved["withheld"]) + "\n")
        return 0
