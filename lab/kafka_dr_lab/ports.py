# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports for the lab: found free, remembered, and checked again before use."""

from __future__ import annotations

import socket

from .errors import LabError

HOST = "127.0.0.1"


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on right now."""
    sockets = [socket.socket() for dummy in range(count)]
    try:
        for one in sockets:
            one.bind((HOST, 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def require_free(ports: dict[str, int]) -> None:
    """Refuse when somebody listens on a port that the lab was given.

    :raises LabError: names the port and what it is for.
    """
    for name, port in ports.items():
        with socket.socket() as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                one.bind((HOST, port))
            except OSError as error:
                raise LabError(f"Port {port}, which {name} is to listen on, is in use ({error.strerror}). "
                               "End what listens there, or run 'make lab-down' so that free ports are found anew.") from error
