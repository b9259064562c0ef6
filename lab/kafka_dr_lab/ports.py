# SPDX-License-Identifier: GPL-3.0-or-later
"""Free ports for the lab."""

from __future__ import annotations

import socket

from .errors import LabError

HOST = "127.0.0.1"


def free_ports(count: int) -> list[int]:
    """Ports on which nothing listens at this moment."""
    sockets = [socket.socket() for dummy in range(count)]
    try:
        for listener in sockets:
            listener.bind((HOST, 0))
        return [listener.getsockname()[1] for listener in sockets]
    finally:
        for listener in sockets:
            listener.close()


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
