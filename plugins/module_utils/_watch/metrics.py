# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of a watch as a page for Prometheus."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .._errors import KafkaDrError, UsageError
from .figures import RoundFigures

try:
    from prometheus_client import CollectorRegistry, start_http_server
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
except ImportError:
    pass

if TYPE_CHECKING:
    from prometheus_client import Metric

LOOPBACK = "127.0.0.1"
# Topics that have figures of their own; each is a series in Prometheus for ever.
TOPICS = 500
# By name: what it is. Counters are named without _total here, which Prometheus' format adds.
GAUGES = {
    "kafka_dr_proven_age_seconds": "Age of the oldest record of the source, known or not, that is not proven",
    "kafka_dr_unproven_records": "Records of the source that are not proven, those that never will be among them",
    "kafka_dr_differences": "Faults that were found in the copy and that nobody accepted",
    "kafka_dr_stopped_partitions": "Partitions that are no longer watched, because their proven prefix ended",
    "kafka_dr_mirror_lag_records": "Records of the source that the target did not have when the last round looked",
    "kafka_dr_witness_age_seconds": "Age of the position witness's last round",
    "kafka_dr_scrubbed_age_seconds": "Seconds since the oldest part of all that is proven was read again",
    "kafka_dr_watch_age_seconds": "Seconds since the watch's last round ended",
    "kafka_dr_watch_round_seconds": "Duration of the last round",
}
COUNTERS = {
    "kafka_dr_watch_rounds": "Rounds of the watch",
    "kafka_dr_watch_records": "Records that the watch has read, of both sides",
}
BY_TOPIC = {
    "kafka_dr_topic_proven_age_seconds": "Of one topic: age of the oldest record that is not proven",
    "kafka_dr_topic_unproven_records": "Of one topic: records that are not proven",
    "kafka_dr_topic_differences": "Of one topic: faults that nobody accepted",
}


def address(text: str) -> tuple[str, int]:
    """Host and port of ``PORT`` or ``HOST:PORT``; loopback where no host is given.

    :raises UsageError: it is neither.
    """
    host, dummy, port = text.rpartition(":")
    if not port.isdigit() or not 1 <= int(port) <= 65535:
        raise UsageError(
            "The address of the metrics is not valid", expected="a port, or HOST:PORT", found=text, remedy="Correct it"
        )
    return host.strip("[]") or LOOPBACK, int(port)


class Metrics:
    """What is shown: the figures of the last round. Ages grow between rounds, since they are told when asked."""

    def __init__(self, mirror: str) -> None:
        self._taken = RoundFigures(mirror), time.monotonic()

    def update(self, figures: RoundFigures) -> None:
        """Take the figures of a round that ended just now."""
        self._taken = figures, time.monotonic()

    def collect(self) -> Iterator[Metric]:
        """prometheus-client's own entry: every series at this moment."""
        figures, taken = self._taken
        since = time.monotonic() - taken
        label = [figures.mirror]
        for names, family in ((GAUGES, GaugeMetricFamily), (COUNTERS, CounterMetricFamily)):
            values = _values(figures, since)
            for name, text in names.items():
                shown = family(name, text, labels=["mirror"])
                if values[name] is not None:
                    shown.add_metric(label, values[name])
                yield shown
        topics = sorted(figures.topics.items())[:TOPICS]
        for name, text in BY_TOPIC.items():
            shown = GaugeMetricFamily(name, text, labels=["mirror", "topic"])
            for topic, row in topics:
                value = getattr(row, name.removeprefix("kafka_dr_topic_"))
                shown.add_metric([*label, topic], value + since if name.endswith("_age_seconds") else value)
            yield shown


def _values(figures: RoundFigures, since: float) -> dict[str, Any]:
    """Values by name; None where nothing is known, so that no series says 0 in its place.

    :param since: seconds since the round ended of which the figures are.
    """
    seen = figures.at > 0
    return {
        "kafka_dr_proven_age_seconds": figures.proven_age_seconds + since if seen else None,
        "kafka_dr_unproven_records": figures.unproven_records if seen else None,
        "kafka_dr_differences": figures.differences if seen else None,
        "kafka_dr_stopped_partitions": figures.stopped if seen else None,
        "kafka_dr_mirror_lag_records": figures.mirror_lag_records if seen else None,
        "kafka_dr_witness_age_seconds": _age(figures.witness_at) if figures.witness_at is not None else None,
        "kafka_dr_scrubbed_age_seconds": _age(figures.scrubbed_at) if figures.scrubbed_at is not None else None,
        "kafka_dr_watch_age_seconds": _age(figures.at) if seen else None,
        "kafka_dr_watch_round_seconds": figures.seconds if seen else None,
        "kafka_dr_watch_rounds": figures.rounds,
        "kafka_dr_watch_records": figures.records,
    }


def _age(at: int) -> float:
    return max(0.0, time.time() - at / 1000)


def serve(where: str, mirror: str) -> Metrics:
    """Serve the page until the process ends.

    :param where: as of :func:`address`.
    :raises KafkaDrError: the package is missing, or the address cannot be listened on.
    """
    host, port = address(where)
    try:
        registry = CollectorRegistry()
    except NameError as error:
        raise KafkaDrError(
            "Metrics cannot be served",
            expected="the Python package prometheus-client",
            found="none",
            remedy="Install it, or leave --metrics out",
        ) from error
    metrics = Metrics(mirror)
    registry.register(metrics)
    try:
        start_http_server(port, host, registry)
    except OSError as error:
        raise KafkaDrError(
            f"Metrics cannot be served at {host}:{port}",
            found=error.strerror or str(error),
            remedy="Name a free port of this machine, or end what listens there",
        ) from error
    return metrics


def names() -> Iterable[str]:
    """Names of all series, as a query writes them."""
    return [*GAUGES, *(f"{name}_total" for name in COUNTERS), *BY_TOPIC]
