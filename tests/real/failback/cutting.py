# SPDX-License-Identifier: GPL-3.0-or-later
"""A region in a network of its own, which can be cut and healed while everything in it runs on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Network:
    """A network namespace with one address, and a pair of interfaces that leads to it.

    The address is the namespace's own, whatever becomes of the pair: who is in there reaches it while it is cut.

    :ivar address: of what listens in the namespace.
    """

    def __init__(self) -> None:
        number = os.getpid() % 16384
        self.name = f"kdr-{os.getpid()}"
        self._outside, self._inside = f"kdro{number}", f"kdri{number}"
        # A range that is used for nothing but benchmarks (RFC 2544).
        block = f"198.{18 + number // 16320 % 2}.{number // 64 % 256}"
        self.address, self._gateway = f"{block}.{number % 64 * 4 + 2}", f"{block}.{number % 64 * 4 + 1}"

    def up(self) -> None:
        """Make it.

        :raises OSError: it cannot be made here.
        """
        self._ip("netns", "add", self.name)
        self._ip("link", "add", self._outside, "type", "veth", "peer", "name", self._inside, "netns", self.name)
        self._ip("address", "add", f"{self._gateway}/32", "dev", self._outside)
        self._ip("link", "set", self._outside, "up")
        self._ip("route", "add", f"{self.address}/32", "dev", self._outside, "src", self._gateway)
        self._ip("link", "set", "lo", "up", inside=True)
        self._ip("address", "add", f"{self.address}/32", "dev", "lo", inside=True)
        self.heal()

    def heal(self) -> None:
        """Let both sides reach each other."""
        self._ip("link", "set", self._inside, "up", inside=True)
        # It goes with the interface.
        self._ip("route", "replace", f"{self._gateway}/32", "dev", self._inside, "src", self.address, inside=True)

    def cut(self) -> None:
        """Let neither side reach the other; who waits is told nothing."""
        self._ip("link", "set", self._inside, "down", inside=True)

    def down(self) -> None:
        """Remove it, with the interfaces."""
        self._ip("netns", "del", self.name)

    def program(self, path: Path, program: str) -> str:
        """A file that runs a program in there with whatever arguments it gets."""
        path.write_text(f'#!/bin/sh\nexec ip netns exec {self.name} {program} "$@"\n')
        path.chmod(0o700)
        return str(path)

    def _ip(self, *words: str, inside: bool = False) -> None:
        try:
            done = subprocess.run(
                ["ip", *(["-n", self.name] if inside else []), *words], capture_output=True, text=True, check=False
            )
        except FileNotFoundError as error:
            raise OSError("the program ip is not there") from error
        if done.returncode:
            raise OSError(f"ip {' '.join(words)}: {done.stderr.strip()}")


PRODUCER = """
import json, sys, time
from confluent_kafka import KafkaException, Producer
config, journal, topic = json.loads(sys.stdin.readline()), open(sys.argv[1], "a", buffering=1), sys.argv[2]
producer = Producer({**config, "enable.idempotence": True, "linger.ms": 5})
refused = []
def answered(error, message):
    if error is None:
        journal.write(json.loads(message.value())["id"] + "\\n")
    else:
        refused.append(error)
number = 0
while not refused:
    identity = f"inside-{number}"
    try:
        producer.produce(topic, json.dumps({"id": identity}).encode(), identity.encode(), on_delivery=answered)
    except KafkaException as error:
        # librdkafka refuses by itself once a broker has refused the topic.
        refused.append(error.args[0])
    producer.poll(0)
    number += 1
    time.sleep(0.02)
producer.flush(30)
print(refused[0].name(), flush=True)
"""


class InsideProducer:
    """A producer of the region's own, in its network, which writes until it is refused."""

    def __init__(self, network: Network, config: dict, journal: Path, topic: str):
        import json

        self._journal = journal
        self._process = subprocess.Popen(
            ["ip", "netns", "exec", network.name, sys.executable, "-c", PRODUCER, str(journal), topic],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin
        self._process.stdin.write(json.dumps(config) + "\n")
        self._process.stdin.flush()

    def acknowledged(self) -> list[str]:
        """Ids that the region acknowledged."""
        return self._journal.read_text().split() if self._journal.exists() else []

    def refusal(self, seconds: float) -> str:
        """Wait until it is refused; returns the name of the error."""
        return self._process.communicate(timeout=seconds)[0].strip()

    def end(self) -> None:
        """End it, if it runs."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(10)


@contextmanager
def network() -> Iterator[Network]:
    """A network for the time of a block.

    :raises OSError: it cannot be made here.
    """
    made = Network()
    try:
        made.up()
        yield made
    finally:
        subprocess.run(["ip", "netns", "del", made.name], capture_output=True, check=False)
