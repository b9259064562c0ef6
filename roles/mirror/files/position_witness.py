# SPDX-License-Identifier: GPL-3.0-or-later
"""Position witness: writes where every consumer group of a mirror's source stands into a topic of its target, again and again.

A lost region takes its groups' positions with it, and MirrorMaker 2's checkpoints are no log of positions. Each round asks the source for
all groups at once and writes only what changed, then a stamp with the time; see ``_mm2/witness.py`` for the records. It runs beside the
mirror, in the target region, and survives the source being away.

    position_witness.py --config FILE [--once]

FILE is JSON, readable by its owner alone: ``source`` and ``target`` (librdkafka keys, secrets included), ``groups``, ``groups_exclude``
and ``topics`` (regular expressions separated by commas), ``interval_seconds`` (2), ``topic`` (``__kafka_dr_positions``; has to exist, one partition).
Ends with 0 on SIGTERM or SIGINT, 2 on bad arguments or configuration. Trouble is a line on stderr when it begins and one when it ends.
Needs confluent-kafka, and ``witness.py`` either beside this file or importable from the collection.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import stat
import sys
import threading
import time

try:
    import witness
except ImportError:
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import witness

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    ConsumerGroupTopicPartitions,
    IsolationLevel,
    KafkaException,
    Producer,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, OffsetSpec

# All groups are written again this often, so that a reader need not go further back and the topic's compaction keeps up.
SNAPSHOT_SECONDS = 300
# The same groups that MirrorMaker 2 leaves out (groups.exclude), except that names beginning with __ may be wanted.
GROUPS_EXCLUDE = "console-consumer-.*,connect-.*,__.*"
# So many requests for groups are under way together; beyond it librdkafka only queues them.
TOGETHER = 500
# A region that comes back is to be seen at once, not after librdkafka's 10 s.
QUIET = {"log_level": 0, "error_cb": lambda error: None, "reconnect.backoff.max.ms": 1000}


class ConfigError(Exception):
    """The configuration cannot be used; the text says why."""


def read_config(path):
    """The configuration as a dictionary with defaults filled in."""
    try:
        with open(path, encoding="utf-8") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & 0o077:
                raise ConfigError("%s holds secrets and is readable by others: expected mode 0600, found %04o. Run chmod 600 on it." % (path, mode))
            config = json.load(file)
    except OSError as error:
        raise ConfigError("%s cannot be read: %s" % (path, error.strerror)) from error
    except ValueError as error:
        raise ConfigError("%s is not JSON: %s" % (path, error)) from error
    known = {"source", "target", "groups", "groups_exclude", "topics", "interval_seconds", "topic"}
    if not isinstance(config, dict) or set(config) - known:
        raise ConfigError("%s: expected an object with the keys %s" % (path, ", ".join(sorted(known))))
    for side in ("source", "target"):
        if not (isinstance(config.get(side), dict) and config[side].get("bootstrap.servers")):
            raise ConfigError("%s: %s has no bootstrap.servers" % (path, side))
    config = {"groups": ".*", "topics": ".*", "groups_exclude": GROUPS_EXCLUDE, "interval_seconds": 2, "topic": "__kafka_dr_positions", **config}
    if not (isinstance(config["interval_seconds"], (int, float)) and config["interval_seconds"] > 0):
        raise ConfigError("%s: interval_seconds is to be a number above 0" % path)
    try:
        config["groups"], config["groups_exclude"], config["topics"] = (
            [re.compile(part.strip()) for part in (config[key] or "").split(",") if part.strip()] for key in ("groups", "groups_exclude", "topics")
        )
    except (re.error, AttributeError) as error:
        raise ConfigError("%s: groups, groups_exclude and topics are to be regular expressions separated by commas: %s" % (path, error)) from error
    return config


class Source:
    """The source's groups, asked all at once."""

    def __init__(self, config):
        self.wanted, self.unwanted, self.topics = config["groups"], config["groups_exclude"], config["topics"]
        self.timeout = max(10, config["interval_seconds"] * 2)
        self.config = {**QUIET, **config["source"]}
        self.connect()

    def connect(self):
        """A new client. Requests that timed out while the region was away stay in the old one: seen with librdkafka 2.16, it then answered nothing
        for more than a minute after the region's return, or ended the process ("rd_kafka_enq_once_del_source_return: Assertion")."""
        self.admin = AdminClient(self.config)

    def groups(self):
        """Names of the groups that are watched; raises where the source gave no whole answer."""
        listed = self.admin.list_consumer_groups(request_timeout=self.timeout).result(self.timeout + 5)
        if listed.errors:
            raise KafkaException(listed.errors[0])  # a KafkaError is no Exception and would end the program
        return sorted(one.group_id for one in listed.valid if self.watches(one.group_id))

    def watches(self, name):
        """Whether the group is one to be watched."""
        return _matches(self.wanted, name) and not _matches(self.unwanted, name)

    def positions(self, names):
        """``{group: {topic: {partition: offset}}}`` with one request a group, all under way together."""
        found = {}
        for begin in range(0, len(names), TOGETHER):
            asked = {
                name: self.admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(name)], request_timeout=self.timeout)[name]
                for name in names[begin:begin + TOGETHER]
            }
            for name, future in asked.items():
                found[name] = {}
                for one in _unless_absent(future, self.timeout + 5):
                    if one.error is not None:
                        raise KafkaException(one.error)
                    if one.offset >= 0:
                        found[name].setdefault(one.topic, {})[one.partition] = one.offset
        return found

    def ends(self):
        """``{topic: {partition: last stable offset}}`` of the topics that are watched."""
        listed = self.admin.list_topics(timeout=self.timeout).topics
        asked = {
            TopicPartition(name, number): OffsetSpec.latest()
            for name, one in listed.items() if _matches(self.topics, name) and not name.startswith("__") for number in one.partitions
        }
        found = {}
        if asked:
            answers = self.admin.list_offsets(asked, isolation_level=IsolationLevel.READ_COMMITTED, request_timeout=self.timeout)
            for here, future in answers.items():
                found.setdefault(here.topic, {})[here.partition] = future.result(self.timeout + 5).offset
        return found

    def topic_ids(self, topics):
        """``{topic: id}`` of those that exist."""
        ids = {}
        for topic, future in (self.admin.describe_topics(TopicCollection(sorted(topics)), request_timeout=self.timeout) if topics else {}).items():
            try:
                ids[topic] = str(future.result(self.timeout + 5).topic_id)
            except KafkaException as error:
                if error.args[0].name() != "UNKNOWN_TOPIC_OR_PART":
                    raise
        return ids


def _unless_absent(future, seconds):
    try:
        return future.result(seconds).topic_partitions
    except KafkaException as error:
        if error.args[0].name() != "GROUP_ID_NOT_FOUND":
            raise
        return []


def _matches(expressions, name):
    return any(one.fullmatch(name) for one in expressions)


class Target:
    """The witness's topic."""

    def __init__(self, config):
        self.topic, self.timeout = config["topic"], 30
        self.shared = {**QUIET, **config["target"]}
        self.failed = None
        self.connect()

    def connect(self):
        """New clients: an idempotent producer that failed for good stays so."""
        self.admin = AdminClient(self.shared)
        self.producer = Producer({
            **self.shared, "enable.idempotence": True, "acks": "all", "linger.ms": 20, "compression.type": "zstd", "message.max.bytes": 10000000,
            "message.timeout.ms": 30000,
        })

    def end(self):
        """The topic's end; raises where it does not exist."""
        here = TopicPartition(self.topic, 0)
        asked = self.admin.list_offsets({here: OffsetSpec.latest()}, isolation_level=IsolationLevel.READ_UNCOMMITTED, request_timeout=self.timeout)
        return asked[here].result(self.timeout + 5).offset

    def said(self):
        """Everything that the topic still holds, as :func:`witness.fold` has it; raises where its end was not reached."""
        end = self.end()
        consumer = Consumer({**self.shared, "group.id": "position-witness-unused", "enable.auto.commit": False, "enable.partition.eof": True})
        records, until = [], time.monotonic() + self.timeout
        try:
            consumer.assign([TopicPartition(self.topic, 0, OFFSET_BEGINNING)])
            while time.monotonic() < until:
                for message in consumer.consume(1000, 0.2):
                    if message.error() is None:
                        records.append(witness.decode(message.key(), message.value()))
                    elif message.error().name() != "_PARTITION_EOF":
                        raise KafkaException(message.error())
                    elif message.offset() >= end:
                        return witness.fold(records)
        finally:
            consumer.close()
        raise TimeoutError("%s could not be read to its end within %d s" % (self.topic, self.timeout))

    def write(self, rows):
        """Write the rows in order; raises unless every one was acknowledged."""
        self.failed = None
        for key, value in rows:
            while True:
                try:
                    self.producer.produce(self.topic, key=key, value=value, partition=0, on_delivery=self._delivered)
                    break
                except BufferError:
                    self.producer.poll(0.1)
        left = self.producer.flush(35)
        if self.failed is not None:
            raise KafkaException(self.failed)
        if left:
            raise TimeoutError("%d records were not acknowledged within 35 s" % left)

    def _delivered(self, error, dummy):
        self.failed = self.failed or error


class Witness:
    """What was written last, and what is to be written next."""

    def __init__(self, source, target):
        self.source, self.target = source, target
        self.known, self.ids, self.ends, self.since, self.whole_at = None, {}, None, None, float("-inf")

    def round(self):
        """Ask once and write what changed; nothing counts as written unless all of it was acknowledged."""
        if self.known is None:  # what an earlier run said, so that what went or was re-created meanwhile is seen
            said = self.target.said()
            self.ids = {topic: (one["id"], one["recreated"]) for topic, one in said["topics"].items()}
            self.known = {name: one["positions"] for name, one in said["groups"].items()}
        at = int(time.time() * 1000)
        try:
            names = self.source.groups()
            # A broker whose coordinator goes, or is not loaded yet, lists its groups as none and calls that no error. So a group is gone only where its
            # coordinator, asked for its positions, has none.
            missed = sorted(name for name in self.known if name not in set(names) and self.source.watches(name))
            now = {name: one for name, one in self.source.positions(names + missed).items() if one or name not in missed}
            ends = self.source.ends()
            # A topic that is made again takes the groups' positions with it, so that those known before are looked at as well.
            ids = self.source.topic_ids({topic for one in now.values() for topic in one} | set(self.ids))
        except Exception:
            self.source.connect()
            raise
        whole = time.monotonic() - self.whole_at >= SNAPSHOT_SECONDS
        since = self.target.end() if whole else self.since
        changed = [name for name in now if whole or self.known.get(name) != now[name]]
        rows, seen = [], {}
        for topic, one in ids.items():
            before, recreated = self.ids.get(topic, (one, 0))
            seen[topic] = (one, recreated if before == one else at)
            if whole or self.ids.get(topic) != seen[topic]:
                rows.append(witness.encode_topic(topic, at, *seen[topic]))
        rows.extend(witness.encode_group(name, at, now[name]) for name in changed)
        rows.extend(witness.encode_group(name, at, None) for name in self.known if name not in now)
        if whole or ends != self.ends:
            rows.append(witness.encode_ends(at, ends))
        rows.append(witness.encode_round(at, since, len(now), len(changed)))
        try:
            self.target.write(rows)
        except Exception:
            self.whole_at = float("-inf")  # what arrived is not known, so everything is written again
            self.target.connect()
            raise
        self.known, self.ends, self.since, self.ids = now, ends, since, {**self.ids, **seen}
        if whole:
            self.whole_at = time.monotonic()


def say(text):
    """One line on stderr."""
    print("%s position-witness: %s" % (time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), text), file=sys.stderr, flush=True)


def watch(witness_, interval, stop):
    """Rounds until ``stop`` is set, ``interval`` seconds from begin to begin."""
    trouble = None
    while not stop.is_set():
        began = time.monotonic()
        try:
            witness_.round()
        except Exception as error:  # whatever went wrong, the next round may do; that is what a witness is for
            text = "%s: %s" % (type(error).__name__, error)
            if trouble is None or type(error).__name__ != trouble[0]:
                say("no round since %s; trying on. %s" % (time.strftime("%H:%M:%SZ", time.gmtime()), text))
                trouble = (type(error).__name__, began if trouble is None else trouble[1])
        else:
            if trouble is not None:
                say("rounds go on after %.0f s" % (time.monotonic() - trouble[1]))
            trouble = None
        stop.wait(max(0.0, interval - (time.monotonic() - began)))


def main(arguments=None):
    """The program; returns its exit code."""
    parser = argparse.ArgumentParser(description="Write the positions of a mirror's source groups into a topic of its target.")
    parser.add_argument("--config", required=True, help="JSON file, mode 0600")
    parser.add_argument("--once", action="store_true", help="one round, failing with 1 if it does not succeed")
    options = parser.parse_args(arguments)
    try:
        config = read_config(options.config)
        witness_ = Witness(Source(config), Target(config))
    except ConfigError as error:
        say(error)
        return 2
    except KafkaException as error:
        say("%s: %s" % (options.config, error))
        return 2
    if options.once:
        try:
            witness_.round()
        except Exception as error:  # said and told by the exit code
            say("%s: %s" % (type(error).__name__, error))
            return 1
        return 0
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *dummy: stop.set())
    say("watching, every %s s" % config["interval_seconds"])
    watch(witness_, config["interval_seconds"], stop)
    say("ended")
    return 0


if __name__ == "__main__":
    sys.exit(main())
