# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``compare --watch``: in this process, or on Spark where too much is to be compared."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.closing import Closing, Wanted
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.tail import Tail

from . import cli, settings

if TYPE_CHECKING:
    from pyspark import SparkContext

# Above so many records, by offsets, one process would take minutes.
IN_PROCESS = 2_000_000


def close_windows(arguments: argparse.Namespace, package: str, context: SparkContext | None) -> int:
    """Close the windows; returns the exit code."""
    target = settings.live_side(arguments.target_config, arguments.target_name, arguments.timeout)
    if arguments.max_mb_per_second:
        target["rate"] = arguments.max_mb_per_second * 1e6
    manifest = cli.manifest_side(arguments) if arguments.manifest else None
    wanted = Wanted(arguments.watch, arguments.state, arguments.source_cluster, arguments.seen_at, manifest)
    closing = Closing(target, wanted, cli.options_of(arguments))
    if closing.records_total <= IN_PROCESS:
        return cli.in_process(arguments, closing.run)
    sides = [part.target_spec for part in (closing.windows, closing.manifest) if part is not None]
    return cli.on_spark(arguments, package, context, sides, closing.run)


def compare_tail(arguments: argparse.Namespace, package: str, context: SparkContext | None) -> int:
    """Compare a living source beyond what its watch has proven; returns the exit code."""
    source = settings.live_side(arguments.source_config, arguments.source_name, arguments.timeout)
    target = settings.live_side(arguments.target_config, arguments.target_name, arguments.timeout)
    tail = Tail(source, target, arguments.watch, cli.options_of(arguments), arguments.state)
    if tail.records_total <= IN_PROCESS and not arguments.max_mb_per_second:
        return cli.in_process(arguments, tail.run)
    sides = tail.comparison.source_spec, tail.comparison.target_spec
    return cli.on_spark(arguments, package, context, sides, tail.run)
