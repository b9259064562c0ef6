# SPDX-License-Identifier: GPL-3.0-or-later
"""An S3 endpoint on loopback, from an environment of its own, ended by process id."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.support.kafka import ROOT, free_ports

sys.path.insert(0, str(ROOT / "tests" / "judges"))

from places import environment

# What a client is given by its environment; the endpoint takes any key.
VARIABLES = {"AWS_ACCESS_KEY_ID": "tests", "AWS_SECRET_ACCESS_KEY": "not-a-secret", "AWS_EC2_METADATA_DISABLED": "true"}


class ObjectStore:
    """Keeps one bucket in memory."""

    def __init__(self, log: Path, bucket: str = "backup"):
        self.bucket = bucket
        (self.port,) = free_ports(1)
        programs = environment("object-store", ROOT / "tests" / "judges" / "requirements-object-store.lock")
        with open(log, "ab") as told:
            self.process = subprocess.Popen(
                [programs / "moto_server", "-H", "127.0.0.1", "-p", str(self.port)],
                stdout=told,
                stderr=told,
                env={**os.environ, **VARIABLES},
            )
        atexit.register(self.stop)
        self._create_bucket()

    def _create_bucket(self) -> None:
        end = time.monotonic() + 60
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{self.bucket}", method="PUT")
        while True:
            try:
                urllib.request.urlopen(request, timeout=5).close()
                return
            except (urllib.error.URLError, OSError):
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(0.2)

    def uri(self, path: str) -> str:
        """The place as users write it, with the endpoint that is not Amazon's."""
        return f"s3://{self.bucket}/{path}?region=us-east-1&scheme=http&endpoint_override=127.0.0.1:{self.port}"

    def stop(self) -> None:
        """End it."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(10)
