# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``watch``."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from types import FrameType

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.figures import RoundFigures
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.metrics import Metrics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.metrics import serve as serve_metrics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.rounds import Options
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.service import serve

from . import settings

# A line is written when something changed, and at least so often, in seconds.
TELL_SECONDS = 60


def watch(arguments: argparse.Namespace) -> int:
    """Watch until a signal ends it between two rounds; returns the exit code."""
    source = settings.live_side(arguments.source_config, arguments.source_name, arguments.timeout)
    target = settings.live_side(arguments.target_config, arguments.target_name, arguments.timeout)
    for side in (source, target):
        side["rate"] = arguments.max_mb_per_second * 1e6 if arguments.max_mb_per_second else None
    options = Options(
        arguments.mirror,
        arguments.topics,
        arguments.rename,
        arguments.state,
        arguments.offsets_topic,
        arguments.alias,
        arguments.positions_topic,
        arguments.begin_anew,
        scrub_days=arguments.scrub_days,
    )
    metrics = serve_metrics(arguments.metrics, arguments.mirror) if arguments.metrics else None
    stop = threading.Event()
    _end_between_rounds(stop)
    serve(source, target, options, arguments.interval, stop, _teller(arguments, metrics), _failed, arguments.once)
    return 0


def _end_between_rounds(stop: threading.Event) -> None:
    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)


def _teller(arguments: argparse.Namespace, metrics: Metrics | None) -> Callable[[RoundFigures], None]:
    """What is done with the figures of each round."""
    before: list[tuple[float, tuple[int, int]]] = []

    def tell(figures: RoundFigures) -> None:
        if metrics is not None:
            metrics.update(figures)
        if arguments.progress:
            settings.write_json(arguments.progress, {"finished": False, **asdict(figures)})
        now, bad = time.monotonic(), (figures.differences, figures.stopped)
        if not arguments.quiet and (not before or before[0][1] != bad or now - before[0][0] >= TELL_SECONDS):
            before[:] = [(now, bad)]
            sys.stdout.write(told(figures) + "\n")
            sys.stdout.flush()

    return tell


def told(figures: RoundFigures) -> str:
    """A round in a line."""
    oldest = f", the oldest {figures.proven_age_seconds:.1f} s old" if figures.unproven_records else ""
    return (
        f"round {figures.rounds}: {figures.unproven_records:,} records not proven{oldest}; "
        f"{figures.differences} differences, {figures.stopped} partitions stopped; {figures.records:,} records read"
    )


def _failed(error: KafkaDrError) -> None:
    sys.stderr.write(f"{error}\n")
    sys.stderr.flush()
