# SPDX-License-Identifier: GPL-3.0-or-later
"""A drill: run the collection's stages on the lab, lose or leave a region, and measure against the journals."""

from __future__ import annotations

import argparse
import importlib.metadata
import shlex
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

from . import ageing
from .journals import Journals, topic_ids
from .kafka_home import KAFKA_VERSION
from .lab import Lab
from .landscape import APPLICATIONS_REGION, SLEEPER, TOPICS
from .report import Report
from .rto_parts import rto_parts
from .sampler import Sampler
from .waiting import until

SOURCE, TARGET = "north_america", "europe"
MIRROR = "mirror-north-america-to-europe"
# A healthy mirror copies within a few seconds; a record older than this that is lost shows that it was not healthy.
RPO_OBJECTIVE_SECONDS = 10.0


# How often each record id is on each topic.
Records = dict[str, Counter[str]]


def versions() -> dict[str, str]:
    """Versions of the programs and libraries that the drill runs."""
    found = {"kafka": KAFKA_VERSION, "python": sys.version.split()[0]}
    for package in ("ansible-core", "confluent-kafka", "pyspark"):
        found[package] = importlib.metadata.version(package)
    return found


def command(arguments: argparse.Namespace) -> str:
    """The command that repeats the drill."""
    from .cli import parser

    defaults = vars(parser().parse_args(["drill"]))
    words = ["drill", "--scenario", arguments.scenario]
    for name, value in sorted(vars(arguments).items()):
        if name not in defaults or value == defaults[name]:
            continue
        if name in ("command", "scenario", "lab", "verbose", "report", "keep", "retain"):
            continue
        option = f"--{name.replace('_', '-')}"
        if value is True:
            words.append(option)
        elif value is False:
            words.append(f"--no-{name.replace('_', '-')}")
        elif str(value).startswith("-"):
            # As a word of its own it would be taken for an option.
            words.append(f"{option}={value}")
        else:
            words += [option, str(value)]
    return "sh lab/bootstrap.sh " + shlex.join(words)


class Drill:
    """What the scenarios share.

    :ivar lost_at: when the region was lost, or the planned move began; seconds since the epoch.
    :ivar resumed_at: when the applications were started in the lost region again; what happened in the source before
        was before its loss, since brokers die one after the other and consumers process what they have fetched.
    :ivar ends: what the stage wrote to the ledger about the loss.
    :ivar witnessed_at: when the position witness last read the source.
    :ivar asleep: whether the source's processes are stopped and not killed.
    :ivar woken_at: when they went on; 0 before.
    """

    def __init__(self, lab: Lab, arguments: argparse.Namespace, options: dict[str, Any]):
        self.lab, self.arguments, self.options = lab, arguments, options
        self.report = Report(arguments.scenario, arguments.platform, {**versions(), **lab.versions})
        self.report.data.update(
            began=round(time.time(), 2), command=command(arguments), sabotage=getattr(arguments, "sabotage", None)
        )
        self.journals = Journals(lab.directory / "regions" / APPLICATIONS_REGION, lab.sleeper_files)
        self.asleep = bool(options.get("sleeps"))
        self.lost_at = self.woken_at = 0.0
        self.resumed_at = float("inf")
        self.ends: dict[str, Any] = {}
        self.witnessed_at = 0.0
        self.sampler = Sampler(lambda region: self.client(region, "kdr-stages"), [SOURCE, TARGET], list(TOPICS))

    # -- steps ---------------------------------------------------------------------------------------------------------

    def stage(self, name: str, **extra: Any) -> None:
        """Run a stage's playbook with these variables."""
        self.lab.playbooks.run(name, extra)

    def say(self, text: str) -> None:
        """Print a line of the drill's own, apart from Ansible's."""
        print(f"\n{text}", flush=True)

    def prepare(self, **extra: Any) -> None:
        """Start the lab, set up the mirror, and wait until the history is copied and live traffic flows.

        :param extra: further variables of ``initial_setup``.
        """
        self.lab.up({**self.options, "broker": ageing.BROKER})
        ageing.create(self.client(SOURCE, "kdr-stages"))
        self.sampler.start()
        self.stage("initial_setup", initial_setup_source=SOURCE, initial_setup_target=TARGET, **extra)
        wanted = min(self.options["history"], self.options["records"] or self.options["history"])
        until("the history to be produced", lambda: self.journals.acknowledged_count() >= wanted, 180)
        until("live traffic to be processed", lambda: self.journals.processed_count() >= wanted, 180)
        ageing.await_copies(self.client(TARGET), ageing.write(self.client(SOURCE, "departures-producer")))

    def await_expiry(self) -> None:
        """Wait until the backup has deleted expired records; later proofs have to tell their deletion from a loss."""
        log_start = ageing.await_expiry(self.client(TARGET))
        self.report.check(
            "records_expired_in_backup",
            log_start > 0,
            f"the log of {ageing.BY_TIME} in {TARGET} starts beyond offset 0",
            f"offset {log_start}",
        )

    def live(self, seconds: float) -> None:
        """Let live traffic flow for some seconds, and check that it does."""
        before = self.journals.processed_count()
        self.say(f"Live traffic at {self.options['rate']:.0f} records/s for {seconds:.0f} s")
        time.sleep(seconds)
        processed = self.journals.processed_count() - before
        self.report.check("live_traffic_flowed", processed > 0, "records processed", processed)

    def client(self, region: str, user: str = "kdr-proof") -> dict[str, Any]:
        """librdkafka configuration of a user in a region."""
        return self.lab.client(region, user)

    def settle(self, region: str) -> None:
        """Stop the producers, and let the consumer finish."""
        self.say("End of the traffic: the consumer processes what is left")
        for name in ("departures-producer", *([SLEEPER] if self.asleep else [])):
            self.lab.halt(name)
        last_count, changed_at = -1, time.monotonic()

        def quiet() -> bool:
            nonlocal last_count, changed_at
            count = self.journals.processed_count()
            if count != last_count:
                last_count, changed_at = count, time.monotonic()
            return time.monotonic() - changed_at > 2

        until("the consumer to finish", quiet, 120)
        self.lab.halt("departures-consumer")

    # -- what is measured ----------------------------------------------------------------------------------------------

    def measure(self, region: str, lost_allowed: bool) -> Records:
        """Fill the report from the journals and from the topics of the region that is active now, and check it.

        :param lost_allowed: whether records may be lost or processed twice, as in an unplanned failover.
        :returns: how often each record id is on each topic there.
        """
        self.say(f"Comparing the applications' journals with every record of {region}")
        report, data = self.report, self.report.data
        records = topic_ids(self.client(region), list(TOPICS))
        present = {identity for counter in records.values() for identity in counter}
        acknowledged = self.journals.acknowledged()
        processed = self.journals.processed_times()
        data["acknowledged"], data["processed"] = len(acknowledged), sum(processed.values())
        lost = [(topic, at) for identity, (topic, at) in acknowledged.items() if identity not in present]
        data["lost"] = _by_topic(topic for topic, _at in lost)
        # The region may have acknowledged records while it was being killed: these are later than the loss.
        age = max(0.0, self.lost_at - min(at for _topic, at in lost)) if lost else 0.0
        data["rpo"] = {"records": len(lost), "seconds": round(age, 3)}
        self._measure_repetition(records, processed)
        skipped = [identity for identity in acknowledged if identity in present and identity not in processed]
        duplicates = sum(data["duplicates_on_topic"].values())
        report.check("duplicates_on_topic", duplicates == 0, 0, duplicates)
        report.check("nothing_skipped", not skipped, 0, len(skipped))
        if not lost_allowed:
            reprocessed = sum(data["reprocessed"].values())
            report.check("nothing_lost", not lost, 0, len(lost))
            report.check("nothing_processed_twice", reprocessed == 0, 0, reprocessed)
        return records

    def _measure_repetition(self, records: Records, processed: Counter[str]) -> None:
        """Count what is twice on a topic, and what was processed twice, by its cause."""
        data, sent_again = self.report.data, self.journals.sent_again()
        topic_of = {identity: topic for topic, counter in records.items() for identity in counter}
        moved = self.journals.processed_again(SOURCE, self.resumed_at)
        data["reprocessed"] = _by_topic(topic_of.get(identity, "?") for identity in moved if identity not in sent_again)
        # A consumer that loses its membership on a busy machine repeats records by itself; no stage causes that.
        data["repeated_by_consumer"] = sum(
            count - 1 - (identity in moved) for identity, count in processed.items() if identity not in sent_again
        )
        data["duplicates_on_topic"] = {
            topic: sum(count - 1 for identity, count in counter.items() if identity not in sent_again)
            for topic, counter in records.items()
        }
        data["sent_again_by_producer"] = len(sent_again)

    def check_exactly_once(
        self, region: str = TARGET, name: str = "exactly_once_in_force", records: Records | None = None
    ) -> None:
        """Check for transaction markers on a mirror's target: more offsets than records show that Connect's own offsets
        are transactional.

        :param records: the result of :meth:`measure`; without it only the last topic is read.
        """
        records = records or topic_ids(self.client(region), list(TOPICS[-1:]))
        count = sum(sum(counter.values()) for counter in records.values())
        offsets = self._offsets(region, list(records))
        self.report.check(
            name, offsets > count, "transaction markers on the target", f"{offsets - count} markers, {count} records"
        )

    def _offsets(self, region: str, topics: list[str]) -> int:
        """How many offsets the topics hold in total."""
        from confluent_kafka import Consumer, TopicPartition

        consumer = Consumer({**self.client(region), "group.id": "streamsafe-kafka-dr-drill", "log_level": 0})
        try:
            total = 0
            for topic in topics:
                for number in consumer.list_topics(topic, 15).topics[topic].partitions:
                    low, high = consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=15)
                    total += high - low
            return total
        finally:
            consumer.close()

    def rto(self, region: str = TARGET, since: float = 0.0) -> None:
        """Measure the seconds from the loss to the first record that was both produced and processed in the region.

        :param since: seconds since the epoch that both must come after; needed where the region is the one that was
            lost.
        """
        first = until("the first new record to be processed", lambda: self.journals.first_new(region, since), 90)
        self.report.data["rto_seconds"] = round(first - self.lost_at, 2)
        self.report.data["rto_parts"] = rto_parts(self.lab.playbooks.steps(), self.lost_at, first)
        self.report.check(
            "applications_work_in_target", True, "a new record processed", f"after {first - self.lost_at:.1f} s"
        )

    def keep_logs(self) -> None:
        """Copy the lab's logs beside the report of a failed drill. Logs hold no secrets."""
        target = self.arguments.report / "logs"
        shutil.rmtree(target, ignore_errors=True)
        for log in self.lab.directory.rglob("*.log"):
            if log.is_file() and log.stat().st_size < 20_000_000:
                place = target / log.relative_to(self.lab.directory)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(log, place)

    def finish(self) -> int:
        """Write the report, print its summary, and return the exit code."""
        data, stages = self.report.data, self.lab.playbooks.steps()
        self.sampler.stop()
        data["stages"] = [{key: stage[key] for key in ("name", "seconds", "steps")} for stage in stages]
        if self.lost_at:
            data["lost_at"] = round(self.lost_at, 2)
            begin, end = self.lost_at - 15, time.time()
            # A restore is plotted up to its end: the new backup comes after the return to work.
            if data["scenario"] != "restore":
                end = min(end, self.lost_at + (data["rto_seconds"] or 0.0) + 20)
            data["flow"], data["mirrors"] = self.journals.flow(begin, end), self.sampler.series(begin, end)
        path = self.report.write(self.arguments.report, self.arguments.retain)
        print(self.report.summary())
        print(f"\n  Report         {path.with_suffix('.html')}", flush=True)
        print(f"                 {path}\n                 {path.with_name('junit.xml')}", flush=True)
        return 0 if self.report.passed else 1


def _by_topic(topics: Iterable[str]) -> dict[str, int]:
    """How often each topic is named; also the lab's topics that are not."""
    counts = dict.fromkeys(TOPICS, 0)
    for topic in topics:
        counts[topic] = counts.get(topic, 0) + 1
    return counts
