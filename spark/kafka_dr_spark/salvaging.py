# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``salvage``."""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark import SparkContext

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage.preparing import Wanted
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage.report import COUNTS, short
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage.run import Salvage
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.place import is_uri, shown

from . import settings

# What a stage and the ledger keep.
SUMMARY = (*COUNTS, "complete", "reasons", "topics", "directory", "files", "seconds")


def salvage(arguments: argparse.Namespace, package: str, context: SparkContext | None = None) -> int:
    """Salvage; everything that does not need Spark is looked at before it starts. Returns the exit code."""
    source = settings.live_side(arguments.source_config, arguments.source_name, arguments.timeout)
    target = settings.live_side(arguments.target_config, arguments.target_name, arguments.timeout)
    wanted = Wanted(
        arguments.topics,
        settings.load_json(arguments.bounds, "bounds file"),
        settings.load_json(arguments.actions, "actions file") if arguments.actions else [],
        arguments.out if is_uri(arguments.out) else os.path.realpath(arguments.out),
        arguments.rename,
        arguments.wait_seconds,
    )
    run = Salvage(source, target, wanted)
    from .engine import running

    with running(arguments, package, context, (source, target)) as engine:
        report = run.run(engine)
        report["engine"] = engine.describe()
        _keep(arguments, report)
        sys.stdout.write(told(report) + "\n")
        return 0 if report["complete"] else 1


def _keep(arguments: argparse.Namespace, report: dict[str, Any]) -> None:
    settings.write_json(arguments.report, report)
    if arguments.summary:
        kept = {name: report[name] for name in SUMMARY if name in report}
        kept |= {"topics": short(report), "report": os.path.abspath(arguments.report)}
        settings.write_json(arguments.summary, kept)


def told(report: dict[str, Any]) -> str:
    """A few lines for people."""
    counts = ", ".join(f"{report[name]:,} {re.sub('_', ' ', name)}" for name in COUNTS if report[name])
    lines = [f"{'Complete' if report['complete'] else 'NOT complete'}: {counts or 'nothing to salvage'}"]
    return "\n".join([*lines, *(f"  {reason}" for reason in report["reasons"][:50])])


def failed(arguments: argparse.Namespace, error: KafkaDrError) -> None:
    """A report also where nothing could be salvaged, or not everything."""
    value: dict[str, Any] = {
        **dict.fromkeys(COUNTS, 0),
        "complete": False,
        "reasons": [str(error)],
        "error": error.kind,
        "topics": {},
        "directory": shown(arguments.out),
        "files": 0,
        "seconds": None,
    }
    try:
        _keep(arguments, value)
    except OSError as problem:
        sys.stderr.write(f"The report {arguments.report} cannot be written: {problem.strerror}\n")
