# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes of a dedicated MirrorMaker 2: how each host starts its own."""

from __future__ import annotations

from typing import Any

from .._errors import UsageError
from .._mm2.command import mirror_maker_command
from .._values.safe import file_name

LOOPBACK = "127.0.0.1"


def mirror_node(mirror: dict[str, Any], regions: dict[str, dict[str, Any]], host: str) -> dict[str, Any] | None:
    """What one host needs to know to run a mirror; a ``kafka_dr_mirror_…`` variable of the host wins over the same of
    the target region.

    :param regions: hostvars.
    :returns: ``host, hosts[], directory, rest_host, rest_port, user, python, command, metrics`` (None, or
        ``{jar, host, port}``).
    :raises UsageError: a variable is missing; the message names it.
    """
    target, own = regions[mirror["target"]], regions[host]
    hosts = list(target.get("kafka_dr_mirror_hosts") or [mirror["target"]])

    def of(name: str, default: int | str | None = None) -> Any:
        found = own.get("kafka_dr_" + name)
        found = target.get("kafka_dr_" + name) if found is None else found
        return default if found is None else found

    # On an existing Connect cluster the host has the witness and the secrets only.
    needed = ("mirror_directory",) if of("mirror_platform") == "connect" else ("mirror_directory", "kafka_home")
    missing = ["kafka_dr_" + name for name in needed if not of(name)]
    if missing:
        raise UsageError(
            f"Host '{host}' cannot run mirror '{mirror['name']}'",
            expected=" and ".join(missing),
            found="nothing",
            remedy=f"Set it for region {mirror['target']}, or for the host",
        )
    # Below this directory its files are, which are removed with it.
    directory = f"{of('mirror_directory')}/{file_name('a mirror', mirror['name'])}"
    metrics = _metrics(of("mirror_metrics"), host)
    agent = f"{metrics['jar']}={metrics['host']}:{metrics['port']}:{directory}/metrics.yml" if metrics else None
    command = mirror_maker_command(
        of("kafka_home"),
        f"{directory}/mm2.properties",
        str(of("java", "java")),
        str(of("mirror_heap", "1g")),
        [str(of("java_options"))] if of("java_options") else [],
        agent,
    )
    return {
        "host": host,
        "hosts": hosts,
        "directory": directory,
        "user": of("mirror_user", ""),
        "python": of("python"),
        # With exactly-once the nodes ask each other (KIP-710); one alone asks nobody.
        "rest_host": of("mirror_rest_host") or (LOOPBACK if len(hosts) == 1 else own.get("ansible_host") or host),
        "rest_port": of("mirror_rest_port", 8083),
        "metrics": metrics,
        "command": " ".join(command),
    }


def _metrics(described: dict[str, Any] | None, host: str) -> dict[str, Any] | None:
    if not described:
        return None
    unknown = sorted(set(described) - {"jar", "host", "port"})
    if unknown or not described.get("jar"):
        raise UsageError(
            f"kafka_dr_mirror_metrics of host '{host}' cannot be used",
            expected="jar, and if wanted host and port",
            found=", ".join(unknown) or "no jar",
            remedy="Give the path of jmx_prometheus_javaagent on that host",
        )
    return {"jar": described["jar"], "host": described.get("host") or LOOPBACK, "port": described.get("port") or 9404}
