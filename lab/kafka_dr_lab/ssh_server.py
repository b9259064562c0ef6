# SPDX-License-Identifier: GPL-3.0-or-later
"""The SSH server of a machine of the lab: ``python -m kafka_dr_lab.ssh_server DIRECTORY PORT``.

It runs what it is asked to as the user that started it, for whoever has the machine's key, on loopback. What it runs
ends with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from pathlib import Path

import asyncssh

from kafka_dr_lab.ports import HOST


async def _run(process: asyncssh.SSHServerProcess) -> None:
    """One command, its streams those of the connection."""
    child = await asyncio.create_subprocess_shell(
        process.command or "true",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=os.path.expanduser("~"),
    )
    with contextlib.suppress(BrokenPipeError, ConnectionError):
        await process.redirect(stdin=child.stdin, stdout=child.stdout, stderr=child.stderr)
    code = await child.wait()
    await process.stdout.drain()
    process.exit(code if code >= 0 else 128 - code)


async def serve(directory: Path, port: int) -> None:
    server = await asyncssh.listen(
        HOST,
        port,
        server_host_keys=[str(directory / "host_key")],
        authorized_client_keys=str(directory / "key.pub"),
        process_factory=_run,
        encoding=None,
        allow_scp=False,
        sftp_factory=True,
    )
    await server.wait_closed()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), int(sys.argv[2])))
