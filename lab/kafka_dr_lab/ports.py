# SPDX-License-Identifier: GPL-3.0-or-later
"""Free ports for the lab."""

from __future__ import annotations

import random
import socket
from pathlib import Path

from .errors import LabError

HOST = "127.0.0.1"
# Well-known services of a machine are below.
LOWEST, ATTEMPTS = 12000, 200
# Not the shared generator: whoever seeds it, such as a test, would be given the ports of the call before.
_RANDOM = random.SystemRandom()
_given: set[int] = set()


def free_ports(count: int) -> list[int]:
    """Ports on which nothing listens at this moment, below those that connections going out get: a program that starts
    later, or again, would find its port taken by one of them. None is given twice in a process: what was given last may
    not listen yet.
    """
    sockets: list[socket.socket] = []
    try:
        for port in _RANDOM.sample(_lasting_ports(), ATTEMPTS):
            if port in _given:
                continue
            listener = socket.socket()
            sockets.append(listener)
            try:
                listener.bind((HOST, port))
            except OSError:
                sockets.pop().close()
            if len(sockets) == count:
                ports = [listener.getsockname()[1] for listener in sockets]
                _given.update(ports)
                return ports
    finally:
        for listener in sockets:
            listener.close()
    raise LabError(
        f"Expected {count} free ports on {HOST}, found {len(sockets)} in {ATTEMPTS} attempts. Stop something."
    )


def _lasting_ports() -> range:
    """The ports below the range of connections going out; that range itself where it leaves too few."""
    try:
        first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except (OSError, ValueError):
        first = 32768
    return range(LOWEST, first) if first - LOWEST > 10 * ATTEMPTS else range(32768, 60999)


def require_free(ports: dict[str, int]) -> None:
    """Check that nothing listens on the lab's ports.

    :param ports: by what they are for.
    :raises LabError: a port is in use; the message names it and its purpose.
    """
    for name, port in ports.items():
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((HOST, port))
            except OSError as error:
                raise LabError(
                    f"Port {port}, which {name} is to listen on, is in use ({error.strerror}). "
                    "Stop the program that listens there, or run 'make lab-down' so that the lab finds other ports."
                ) from error
