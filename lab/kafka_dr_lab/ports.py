# SPDX-License-Identifier: GPL-3.0-or-later
"""Free ports for the lab."""

from __future__ import annotations

import errno
import random
import socket
from pathlib import Path

from .errors import LabError

HOST = "127.0.0.1"
# Well-known services of a machine are below.
LOWEST, ATTEMPTS = 12000, 200
# Not the shared generator: whoever seeds it, such as a test, would be given the ports of the call before.
_RANDOM = random.SystemRandom()
# Ports this process was given, each with the socket that keeps it from other processes.
_given: dict[int, socket.socket] = {}


def free_ports(count: int) -> list[int]:
    """Ports on which nothing listens at this moment, below those that connections going out get: a program that starts
    later, or again, would find its port taken by one of them. None is given twice while a process lives that was given
    it: what is to listen there may not do so yet, or may just be started again.
    """
    ports: list[int] = []
    for port in _RANDOM.sample(_lasting_ports(), ATTEMPTS):
        if len(ports) == count:
            break
        claim = _claim(port)
        if claim is None:
            continue
        if _is_free(port):
            _given[port] = claim
            ports.append(port)
        else:
            claim.close()
    if len(ports) < count:
        raise LabError(
            f"Expected {count} free ports on {HOST}, found {len(ports)} in {ATTEMPTS} attempts. Stop something."
        )
    return ports


def _claim(port: int) -> socket.socket | None:
    """What keeps a port from others until this process ends; None where another has it.

    A socket with an abstract name (Linux, unix(7)) leaves no file behind and, like a port, belongs to a network
    namespace.
    """
    claim = socket.socket(socket.AF_UNIX)
    try:
        claim.bind(f"\0kafka_dr_lab.port.{port}")
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            claim.close()
            return None
    return claim


def _is_free(port: int) -> bool:
    with socket.socket() as listener:
        try:
            listener.bind((HOST, port))
        except OSError:
            return False
    return True


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
