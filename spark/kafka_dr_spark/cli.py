# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line. Exit: 0 PROVEN, 1 shown to be different, 2 could not tell, 130 interrupted."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import traceback

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._compare import job
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._compare import report as reports
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError, UsageError

from . import settings

INTERRUPTED = 130


class Interrupted(KeyboardInterrupt):
    """SIGINT or SIGTERM; no Exception, so that nothing takes it for a failure of its own."""

    # Py4J makes an error of the connection of it where it comes in the midst of an answer.
    came = False


def parser() -> argparse.ArgumentParser:
    """The arguments of both commands."""
    top = argparse.ArgumentParser(prog="main.py", description="Prove that one Kafka cluster holds what another held, or name every difference.")
    commands = top.add_subparsers(dest="command", required=True)
    compare = commands.add_parser("compare", help="compare a source (live, or its manifest) with a target")
    source = compare.add_mutually_exclusive_group(required=True)
    source.add_argument("--source-config", metavar="F", help="JSON in librdkafka keys, mode 0600")
    source.add_argument("--manifest", metavar="DIR", help="directory or URI written by 'manifest'")
    compare.add_argument("--manifest-digest", default="", metavar="SHA256", help="what the manifest's digest was when it was made; another one is refused")
    compare.add_argument("--target-config", metavar="F", required=True)
    compare.add_argument("--rename", default="identity",
                         help="identity, identity:ALIAS. for the identity policy, which renames *heartbeats, or prefix:ALIAS. for the default policy")
    compare.add_argument("--ignore-timestamps", action="store_true")
    compare.add_argument("--bounds", metavar="F", help="JSON: ends of either side and what was known at a loss, by topic and partition")
    compare.add_argument("--max-differences", type=int, default=100, metavar="N", help="runs of differences named for each partition")
    compare.add_argument("--wait-seconds", type=float, default=30, metavar="N", help="how long a target that is catching up is waited for")
    compare.add_argument("--source-name", default="source", help="what reasons and errors call the source")
    compare.add_argument("--target-name", default="target", help="what they call the target")
    compare.add_argument("--report", metavar="F", required=True)
    manifest = commands.add_parser("manifest", help="save the digests of a cluster's records, to prove against when it is gone")
    manifest.add_argument("--config", metavar="F", required=True)
    manifest.add_argument("--out", metavar="DIR", required=True, help="directory or URI (file, s3, gs, hdfs)")
    manifest.add_argument("--detail", choices=("records", "chunks"), default="records")
    for one in (compare, manifest):
        one.add_argument("--topics", metavar="REGEX", required=True, help="matched against the whole name on the source")
        one.add_argument("--max-mb-per-second", type=float, metavar="N", help="read no faster than this from any broker")
        one.add_argument("--master", metavar="URL", help="Spark master; local[*] if neither this nor spark-submit says one")
        one.add_argument("--timeout", type=int, default=30, metavar="N", help="seconds without an answer after which it is given up")
        one.add_argument("--progress", metavar="F", help="JSON file that is kept up to date while it runs")
        one.add_argument("--summary", metavar="F", help="JSON file for the result without offset maps and differences")
        one.add_argument("--parent-pid", type=int, metavar="N", help="end when this process does")
        one.add_argument("--quiet", action="store_true", help="no progress on stderr")
    return top


def main(words, package, context=None) -> int:
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


def tell(arguments, figures):
    """Keep the progress file, where one is wanted; that it cannot be written does not end the job."""
    if arguments.progress:
        try:
            settings.write_json(arguments.progress, {"pid": os.getpid(), **figures})
        except OSError as error:
            sys.stderr.write(f"The progress file {arguments.progress} cannot be written: {error.strerror}\n")


def command(arguments, package, context) -> int:
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
        return manifest(arguments, package, context)
    except KafkaDrError as error:
        if Interrupted.came:
            return _say_interrupted()
        sys.stderr.write(f"{error}\n")
        if arguments.command == "compare":
            failed(arguments, error)
        return 2
    except KeyboardInterrupt:
        return _say_interrupted()
    except Exception as error:
        if Interrupted.came:
            return _say_interrupted()
        # A mistake of ours must not look like a shown difference (exit 1).
        traceback.print_exc()
        if arguments.command == "compare":
            failed(arguments, KafkaDrError("The job failed", found=f"{type(error).__name__}: {error}"))
        return 2


def _interrupt(number, frame):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    Interrupted.came = True
    # The connection that is left in the midst of an answer is not worth a traceback.
    logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)
    raise Interrupted


def _say_interrupted() -> int:
    sys.stderr.write("Interrupted.\n")
    return INTERRUPTED


def check(arguments):
    """What argparse does not. :raises UsageError: a number out of range."""
    for name in ("max_differences", "wait_seconds", "max_mb_per_second", "timeout"):
        value = getattr(arguments, name, None)
        if value is not None and (value < 0 or (value == 0 and name in ("max_mb_per_second", "timeout"))):
            raise UsageError(f"--{name.replace('_', '-')} is not valid", expected="a positive number", found=value)


def spec(config, name, arguments, parallelism=None):
    """The description of a live side. The rate is a task's share, so that all tasks together stay below it on any one broker."""
    rate = arguments.max_mb_per_second
    return {"kind": "kafka", "config": config, "name": name, "timeout": arguments.timeout, "rate": rate * 1e6 / (parallelism or 1) if rate else None}


def compare(arguments, package, context=None) -> int:
    """``compare``: freeze bounds before Spark starts, so that a bad input fails at once."""
    target_config = settings.load_config(arguments.target_config)
    if arguments.manifest:
        source = {"kind": "manifest", "path": arguments.manifest, "name": arguments.source_name, "digest": arguments.manifest_digest}
    else:
        source = spec(settings.load_config(arguments.source_config), arguments.source_name, arguments)
    target = spec(target_config, arguments.target_name, arguments)
    bounds = settings.load_json(arguments.bounds, "bounds file") if arguments.bounds else None
    options = job.Options(
        arguments.topics, arguments.rename, arguments.ignore_timestamps, bounds, arguments.max_differences, arguments.wait_seconds,
    )
    comparison = job.prepare(source, target, options)
    from .engine import SparkEngine

    engine = SparkEngine(arguments.master, package, arguments.progress, arguments.quiet, context, arguments.timeout)
    try:
        if arguments.max_mb_per_second:
            for side in (comparison.source_spec, comparison.target_spec):
                if side["kind"] == "kafka":
                    side["rate"] = arguments.max_mb_per_second * 1e6 / engine.parallelism
        report = comparison.run(engine)
        report["engine"] = engine.describe()
        settings.write_json(arguments.report, report)
        summarise(arguments, report)
        code = reports.exit_code(report)
        sys.stdout.write(summary(report) + "\n")
        return code
    finally:
        engine.close()


def summary(report) -> str:
    """A few lines for people."""
    totals = report["totals"]
    lines = [f"{report['verdict']}: {totals['records_source']:,} records on the source, {totals['records_target']:,} on the target, {report['seconds']} s"]
    told = [f"{totals[name]:,} {name}" for name in reports.COUNTS if totals[name]]
    if told:
        lines.append("  " + ", ".join(told))
    lines.extend(f"  {one}" for one in named(report))
    lines.extend(f"  {reason}" for reason in report["reasons"][:20])
    return "\n".join(lines[:60])


def named(report) -> list[str]:
    """The first differences of each partition, a line each."""
    return [
        f"{topic['topic']}-{part['partition']}: {one['kind']}" + (f" ({one['field']})" if one["field"] else "")
        + (f" x{one['count']}" if one["count"] > 1 else "")
        + (f" source offset {one['source_offset']}" if one["source_offset"] is not None else "")
        + (f" target offset {one['target_offset']}" if one["target_offset"] is not None else "")
        for topic in report["topics"] for part in topic["partitions"]
        # What lies beyond the bounds was not judged; under live traffic it would stand before every difference that was.
        for one in [one for one in part["differences"] if one["kind"] != "beyond"][:3]
    ]


def summarise(arguments, report):
    """The result as a stage keeps it: verdicts, counts, topic ids and ranges, without offset maps and differences."""
    if not arguments.summary:
        return
    topics = [
        {
            "topic": topic["topic"], "target_topic": topic["target_topic"], "verdict": topic["verdict"], "source_topic_id": topic["source_topic_id"],
            "target_topic_id": topic["target_topic_id"],
            "partitions": {
                str(part["partition"]): {"source": part["source_range"], "target": part["target_range"], **({"lost": part["lost"]} if part["lost"] else {})}
                for part in topic["partitions"]
            },
        }
        for topic in report["topics"]
    ]
    short = {name: report[name] for name in ("verdict", "complete", "reasons", "totals")}
    short["named"] = named(report)[:20]
    short["lost"] = {
        topic["topic"]: {str(part["partition"]): part["lost"] for part in topic["partitions"] if part["lost"]}
        for topic in report["topics"] if any(part["lost"] for part in topic["partitions"])
    }
    settings.write_json(arguments.summary, {**short, "seconds": report.get("seconds"), "topics": topics, "report": os.path.abspath(arguments.report)})


def failed(arguments, error):
    """A report also where nothing could be compared."""
    value = {
        "verdict": "NOT_PROVABLE", "complete": False, "reasons": [str(error)], "error": error.kind, "engine": {}, "topics": [],
        "totals": dict.fromkeys(("records_source", "records_target", "bytes_read", *reports.COUNTS), 0),
    }
    try:
        settings.write_json(arguments.report, value)
        summarise(arguments, value)
    except OSError as problem:
        sys.stderr.write(f"The report {arguments.report} cannot be written: {problem.strerror}\n")


def manifest(arguments, package, context=None) -> int:
    """``manifest``."""
    from . import saving

    config = settings.load_config(arguments.config)
    side = spec(config, "source", arguments)
    saving_run = saving.prepare(side, arguments.out, arguments.topics, arguments.detail)
    from .engine import SparkEngine

    engine = SparkEngine(arguments.master, package, arguments.progress, arguments.quiet, context, arguments.timeout)
    try:
        if arguments.max_mb_per_second:
            side["rate"] = arguments.max_mb_per_second * 1e6 / engine.parallelism
        told = saving_run.run(engine)
        if arguments.summary:
            settings.write_json(arguments.summary, {**told, "manifest": arguments.out})
        sys.stdout.write(f"Saved {told['records']:,} records of {told['topics']} topics to {arguments.out} ({told['new_records']:,} new, pid {os.getpid()})\n")
        return 0
    finally:
        engine.close()
