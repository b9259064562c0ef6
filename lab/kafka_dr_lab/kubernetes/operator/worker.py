# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Connect worker in distributed mode, its REST interface on loopback."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from ...plain_kafka import JavaProcess
from ...ports import free_ports
from .refusal import Refusal

BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"


class Worker(JavaProcess):
    """A Connect worker.

    :ivar applied: the configuration that each connector was given last.
    :ivar asked: when a connector was first asked to stop (monotonic seconds).
    """

    def __init__(self, directory: Path, properties: dict[str, str]):
        super().__init__(directory, "connect")
        self.port = free_ports(1)[0]
        self.applied: dict[str, dict[str, str]] = {}
        self.asked: dict[str, float] = {}
        # Every plugin here has a manifest: looking through all jars costs six seconds.
        self.properties = {
            "plugin.discovery": "service_load",
            **properties,
            "listeners": f"http://127.0.0.1:{self.port}",
            "key.converter": BYTES,
            "value.converter": BYTES,
            "header.converter": BYTES,
            "scheduled.rebalance.max.delay.ms": "1000",
        }

    def start(self) -> Worker:
        """Start the worker; it is ready once its REST interface answers."""
        file = self.directory / "connect.properties"
        lines = [f"{key}={_escaped(str(value))}\n" for key, value in self.properties.items()]
        file.write_text("".join(lines))
        file.chmod(0o600)
        self.launch("org.apache.kafka.connect.cli.ConnectDistributed", str(file), heap="768m")
        return self

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """An answer of the REST interface; None where it gives none yet.

        :raises Refusal: Connect refused the request as invalid (400).
        """
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json"},
            method=method,
        )
        try:
            text = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=5).read()
        except urllib.error.HTTPError as error:
            if error.code == 400:
                raise Refusal(
                    f"{method} {path} returned 400 (Bad Request): {json.loads(error.read()).get('message')}",
                    "ConnectRestException",
                ) from None
            return None
        except (OSError, urllib.error.URLError):
            return None
        return json.loads(text) if text else {}


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n")
