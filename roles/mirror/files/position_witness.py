# SPDX-License-Identifier: GPL-3.0-or-later
"""Position witness: keeps writing where every consumer group of a mirror's source stands into a topic of its target.

A lost region takes its groups' positions with it, and MirrorMaker 2's checkpoints are no log of positions. Each round
asks the source for all groups at once and writes only what changed, then a stamp with the time; see
``_mm2/witness.py`` for the records. It runs beside the mirror, in the target region, and survives the loss of the
source.

    position_witness.py --config FILE [--once]

FILE is JSON, readable by its owner alone: ``source`` and ``target`` (librdkafka keys, secrets included), ``groups``,
``groups_exclude`` and ``topics`` (regular expressions separated by commas), ``interval_seconds`` (2), ``topic``
(``__kafka_dr_positions``; has to exist, one partition), ``source_cluster`` (the id of the cluster to be watched;
without it the one that was watched before, or that answers first). Another cluster at the same address, such as an
empty one that was made after a loss, is no news of the groups: what is known stays as it is. ``mirror`` says whose
witness this is, ``<source>-><target>`` by the mirror's aliases. A topic that holds what another mirror's witness wrote
is refused, and nothing is written to it, unless that mirror is one of ``succeeds``: those whose place this one takes.

Exit code 0 on SIGTERM or SIGINT, 2 on bad arguments or configuration, and where the topic is another mirror's. Trouble
is a line on stderr for each kind of it when it begins, and one when it ends.

Needs confluent-kafka, the other ``witness_*.py`` beside this file, and ``witness.py`` and ``askable.py`` beside it or
importable from the collection.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time

from confluent_kafka import KafkaException
from witness_rounds import AnotherMirrorError, Witness
from witness_settings import Config, ConfigError, read_config
from witness_source import Source
from witness_topic import Target


def say(text: object) -> None:
    """One line on stderr."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    print(f"{now} position-witness: {text}", file=sys.stderr, flush=True)


def watch(witness: Witness, interval: float, stop: threading.Event) -> None:
    """Rounds until ``stop`` is set, ``interval`` seconds from begin to begin.

    :raises AnotherMirrorError: the topic is another mirror's.
    """
    kinds: set[str] = set()
    troubled_at = 0.0
    while not stop.is_set():
        began = time.monotonic()
        try:
            witness.round()
        except AnotherMirrorError:
            raise
        except Exception as error:  # whatever went wrong, the next round may do; that is what a witness is for
            troubled_at = troubled_at if kinds else began
            if _kind(error) not in kinds:
                say(f"no round for {time.monotonic() - troubled_at:.0f} s; trying on. {type(error).__name__}: {error}")
            kinds.add(_kind(error))
        else:
            if kinds:
                say(f"rounds go on after {time.monotonic() - troubled_at:.0f} s")
            kinds.clear()
        stop.wait(max(0.0, interval - (time.monotonic() - began)))


def _kind(error: Exception) -> str:
    """What tells one trouble from another: Kafka's name of the error, or its class."""
    return error.args[0].name() if isinstance(error, KafkaException) else type(error).__name__


def main(arguments: list[str] | None = None) -> int:
    """The program; returns its exit code."""
    parser = argparse.ArgumentParser(
        description="Write the positions of a mirror's source groups into a topic of its target."
    )
    parser.add_argument("--config", required=True, help="JSON file, mode 0600")
    parser.add_argument("--once", action="store_true", help="one round, failing with 1 if it does not succeed")
    options = parser.parse_args(arguments)
    try:
        config = read_config(options.config)
        witness = _witness(config)
    except ConfigError as error:
        say(error)
        return 2
    except KafkaException as error:
        say(f"{options.config}: {error}")
        return 2
    if options.once:
        try:
            witness.round()
        except Exception as error:  # the exit code tells
            say(f"{type(error).__name__}: {error}")
            return 1
        return 0
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *dummy: stop.set())
    say(f"watching, every {config['interval_seconds']} s")
    try:
        watch(witness, config["interval_seconds"], stop)
    except AnotherMirrorError as error:
        say(error)
        return 2
    say("ended")
    return 0


def _witness(config: Config) -> Witness:
    named = {key: config[key] for key in ("mirror", "succeeds") if key in config}
    return Witness(Source(config), Target(config), config.get("source_cluster", ""), **named)


if __name__ == "__main__":
    sys.exit(main())
