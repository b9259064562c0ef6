# SPDX-License-Identifier: GPL-3.0-or-later
"""What another user of the machine can ask of the ports that a proof opens on its loopback: nothing."""

from __future__ import annotations

import os
import re
import socket
import struct
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
JOB = """
import os, sys
sys.path.insert(0, {spark!r})
import main
path = main.package({place!r})
sys.path.insert(0, path)
from kafka_dr_spark.engine import SparkEngine
engine = SparkEngine("local[1]", path, None, True)
print("JVM", engine.context._gateway.proc.pid, flush=True)
sys.stdin.readline()
print("SUM", engine.context.parallelize(range(100), 4).map(lambda one: one + 1).sum(), flush=True)
engine.close()
"""


def listening(pid: int) -> list[tuple[str, int]]:
    """Addresses that a process and its children listen on."""
    inodes = set()
    for file in Path(f"/proc/{pid}/fd").iterdir():
        inodes |= set(re.findall(r"socket:\[(\d+)\]", os.readlink(file)))
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in inodes:
                address, port = words[1].split(":")
                found.append((address, int(port, 16)))
    return found


def asked(port: int) -> bytes:
    """What Spark's transport answers to a request of somebody without its secret: an object that is none."""
    body = b"no secret, no object"
    frame = struct.pack(">bqi", 3, 1, len(body)) + body
    got = b""
    with socket.create_connection(("127.0.0.1", port), 10) as line:
        line.settimeout(5)
        line.sendall(struct.pack(">q", len(frame) + 8) + frame)
        try:
            while more := line.recv(65536):
                got += more
        except (TimeoutError, ConnectionError):
            pass
    return got


def test_a_stranger_is_told_nothing(tmp_path):
    script = tmp_path / "job.py"
    script.write_text(textwrap.dedent(JOB).format(spark=str(ROOT / "spark"), place=str(tmp_path)))
    words = [sys.executable, str(script)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as job:
        assert job.stdin and job.stdout
        try:
            pid = int(job.stdout.readline().split()[1])
            open_ports = listening(pid)
            assert all("0100007F" in one for one, dummy in open_ports), f"not only loopback: {open_ports}"
            answers = [asked(port) for dummy, port in open_ports]
            command = Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{job.pid}/cmdline").read_bytes()
            job.stdin.write("\n")
            job.stdin.flush()
            assert job.stdout.readline() == "SUM 5050\n", "the job itself does not work"
        finally:
            job.stdin.close()
            job.wait(60)
    transports = [one for one in answers if b"org.apache.spark" in one]
    assert len(transports) >= 2 and all(b"AuthRpcHandler" in one for one in transports), answers
    assert b"authenticate.secret" not in command
