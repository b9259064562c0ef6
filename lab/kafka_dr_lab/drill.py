# SPDX-License-Identifier: GPL-3.0-or-later
"""Drills: run the collection's stages on the lab, lose or leave a region, and measure against the journals."""

from __future__ import annotations

import importlib.metadata
import shlex
import shutil
import sys
import time
from pathlib import Path

from . import ageing
from .errors import LabError
from .inventory import GROUP, TOPICS
from .journals import Journals, topic_ids
from .kafka_home import KAFKA_VERSION
from .lab import Lab, undisturbed
from .playbook import PlaybookFailed
from .report import Report
from .sampler import Sampler
from .waiting import until

SOURCE, TARGET = "north_america", "europe"
MIRROR = "mirror-north-america-to-europe"
# A mirror that is well copies within a few seconds; more than this at the loss means that it was not.
RPO_OBJECTIVE_SECONDS = 10.0


def versions() -> dict:
    """Versions of what took part."""
    found = {"kafka": KAFKA_VERSION, "python": sys.version.split()[0]}
    for package in ("ansible-core", "confluent-kafka", "pyspark"):
        found[package] = importlib.metadata.version(package)
    return found


def command(arguments) -> str:
    """The command that runs the same drill again."""
    from .cli import parser

    usual = vars(parser().parse_args(["drill"]))
    words = ["lab/main.py", "drill", "--scenario", arguments.scenario]
    for name, value in sorted(vars(arguments).items()):
        if name in usual and name not in ("command", "scenario", "lab", "verbose", "report", "keep", "retain") and value != usual[name]:
            words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return "sh lab/bootstrap.sh " + shlex.join(words[1:])


class Drill:
    """What the scenarios share."""

    def __init__(self, lab: Lab, arguments, options: dict):
        self.lab, self.arguments, self.options = lab, arguments, options
        self.report = Report(arguments.scenario, arguments.platform, {**versions(), **lab.versions})
        self.report.data.update(began=round(time.time(), 2), command=command(arguments), sabotage=getattr(arguments, "sabotage", None))
        self.journals = Journals(lab.directory / "regions" / "south_america")
        self.lost_at = 0.0
        self.kept: dict = {}
        self.sampler = Sampler(lambda region: self.client(region, "kdr-stages"), [SOURCE, TARGET], list(TOPICS))

    # -- steps ---------------------------------------------------------------------------------------------------------

    def stage(self, name: str, **extra) -> None:
        self.lab.playbooks.run(name, extra)

    def say(self, text: str) -> None:
        print(f"\n{text}", flush=True)

    def prepare(self, **extra) -> None:
        """Lab up, mirror set up, history copied, live traffic flowing.

        :param extra: further variables of the set-up.
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
        """Wait until the backup has deleted what had expired; a proof that comes later has to tell that from a loss."""
        begins = ageing.await_expiry(self.client(TARGET))
        self.report.check("records_expired_in_backup", begins > 0, f"{ageing.BY_TIME} begins beyond 0 in {TARGET}", f"at {begins}")

    def live(self, seconds: float) -> None:
        """Let live traffic flow for a while; it must really flow."""
        before = self.journals.processed_count()
        self.say(f"Live traffic at {self.options['rate']:.0f} records/s for {seconds:.0f} s")
        time.sleep(seconds)
        more = self.journals.processed_count() - before
        self.report.check("live_traffic_flowed", more > 0, "records processed", more)

    def client(self, region: str, user: str = "kdr-proof") -> dict:
        """librdkafka configuration of a user in a region."""
        return self.lab.client(region, user)

    def settle(self, region: str) -> None:
        """Stop the producer, and let the consumer finish."""
        self.lab.halt("departures-producer")
        last = [-1, time.monotonic()]

        def quiet():
            count = self.journals.processed_count()
            if count != last[0]:
                last[:] = [count, time.monotonic()]
            return time.monotonic() - last[1] > 2

        until("the consumer to finish", quiet, 120)
        self.lab.halt("departures-consumer")

    # -- what is measured ----------------------------------------------------------------------------------------------

    def measure(self, region: str, lost_allowed: bool) -> dict:
        """Fill the report from the journals and the topics of the region that is active now, and check it.

        :returns: how often each record id stands in each topic there.
        """
        report, data = self.report, self.report.data
        held = topic_ids(self.client(region), list(TOPICS))
        everywhere = {identity for counter in held.values() for identity in counter}
        acknowledged = self.journals.acknowledged()
        processed = self.journals.processed_times()
        again = self.journals.sent_again()
        lost = {identity: one for identity, one in acknowledged.items() if identity not in everywhere}
        data["acknowledged"], data["processed"] = len(acknowledged), sum(processed.values())
        data["lost"] = _by_topic((topic for topic, at in lost.values()))
        # The region's last breath may have acknowledged some while it was being ended.
        data["rpo"] = {"records": len(lost), "seconds": round(max(0.0, self.lost_at - min(at for topic, at in lost.values())), 3) if lost else 0.0}
        topic_of = {identity: topic for topic, counter in held.items() for identity in counter}
        moved = self.journals.processed_again(SOURCE, self.kept.get("resumed", float("inf")))
        data["reprocessed"] = _by_topic(topic_of.get(identity, "?") for identity in moved if identity not in again)
        # What the consumer repeated by itself, put out of its group on a busy machine, belongs to no stage.
        data["repeated_by_consumer"] = sum(count - 1 - (identity in moved) for identity, count in processed.items() if identity not in again)
        data["duplicates_on_topic"] = {topic: sum(count - 1 for identity, count in counter.items() if identity not in again) for topic, counter in held.items()}
        data["sent_again_by_producer"] = len(again)
        skipped = [identity for identity in acknowledged if identity in everywhere and identity not in processed]
        report.check("duplicates_on_topic", not any(data["duplicates_on_topic"].values()), 0, sum(data["duplicates_on_topic"].values()))
        report.check("nothing_skipped", not skipped, 0, len(skipped))
        if not lost_allowed:
            report.check("nothing_lost", not lost, 0, len(lost))
            report.check("nothing_processed_twice", not any(data["reprocessed"].values()), 0, sum(data["reprocessed"].values()))
        return held

    def check_exactly_once(self, region: str = TARGET, name: str = "exactly_once_in_force", held: dict | None = None) -> None:
        """Transaction markers on a mirror's target: more offsets than records, while Connect's own offsets are transactional.

        :param held: what :meth:`measure` returned; without it one topic is read, and looked at alone.
        """
        held = held or topic_ids(self.client(region), list(TOPICS[-1:]))
        found = sum(sum(counter.values()) for counter in held.values())
        offsets = self._offsets(region, list(held))
        self.report.check(name, offsets > found, "transaction markers on the target", f"{offsets - found} markers beside {found} records")

    def _offsets(self, region: str, topics: list[str]) -> int:
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
        """Seconds from the loss to the first record that was both produced and processed in the region.

        :param since: wall time that both came after; needed where the region is the one that was lost.
        """
        first = until("the first new record to be processed", lambda: self.journals.first_new(region, since), 90)
        self.report.data["rto_seconds"] = round(first - self.lost_at, 2)
        self.report.check("applications_work_in_target", True, "a new record processed", f"after {first - self.lost_at:.1f} s")

    def keep_logs(self) -> None:
        """Copy what is needed to look into a failed drill; secrets are not in logs."""
        target = self.arguments.report / "logs"
        shutil.rmtree(target, ignore_errors=True)
        for log in self.lab.directory.rglob("*.log"):
            if log.is_file() and log.stat().st_size < 20_000_000:
                place = target / log.relative_to(self.lab.directory)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(log, place)

    def finish(self) -> int:
        data = self.report.data
        self.sampler.stop()
        data["stages"] = [{key: one[key] for key in ("name", "seconds", "steps")} for one in self.lab.playbooks.steps()]
        if self.lost_at:
            back = data["rto_seconds"] or 0.0
            data["lost_at"] = round(self.lost_at, 2)
            # Of a restore up to the end: the new backup comes after the return to work.
            begin, end = self.lost_at - 15, time.time() if data["scenario"] == "restore" else min(time.time(), self.lost_at + back + 20)
            data["flow"], data["mirrors"] = self.journals.flow(begin, end), self.sampler.told(begin, end)
        path = self.report.write(self.arguments.report, self.arguments.retain)
        print(self.report.summary())
        print(f"\n  Report         {path.with_suffix('.html')}", flush=True)
        print(f"                 {path}\n                 {path.with_name('junit.xml')}", flush=True)
        return 0 if self.report.passed else 1


def _by_topic(topics) -> dict[str, int]:
    counts = dict.fromkeys(TOPICS, 0)
    for topic in topics:
        counts[topic] = counts.get(topic, 0) + 1
    return counts


def run_drill(lab: Lab, arguments, options: dict) -> int:
    """Run one scenario and clean up whatever happens."""
    from . import scenarios

    drill = Drill(lab, arguments, options)
    began = time.monotonic()
    shutil.rmtree(Path(arguments.report) / "logs", ignore_errors=True)
    try:
        lab.down()
        try:
            getattr(scenarios, arguments.scenario)(drill)
        except PlaybookFailed as error:
            said = [step.get("said", "") for stage in lab.playbooks.steps() for step in stage["steps"] if step.get("failed")]
            drill.report.check("stage_succeeded", False, "exit code 0", ": ".join(filter(None, [str(error), *said[-1:]])))
        except (LabError, TimeoutError) as error:
            drill.report.check("drill_went_through", False, "no error", str(error))
        if not drill.report.passed:
            drill.keep_logs()
        drill.report.data["seconds"] = round(time.monotonic() - began, 1)
        return drill.finish()
    finally:
        drill.sampler.stop()
        if not arguments.keep:
            undisturbed()
            lab.down()


__all__ = ["GROUP", "MIRROR", "SOURCE", "TARGET", "Drill", "run_drill"]
