# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes of a dedicated MirrorMaker 2: how each host starts its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._errors import UsageError
from .._mm2.command import mirror_maker_command
from .._values.safe import file_name

LOOPBACK = "127.0.0.1"


def mirror_node(mirror: dict[str, Any], regions: Mapping[str, dict[str, Any]], host: str) -> dict[str, Any] | None:
    """What one host needs to know to run a mirror; a ``kafka_dr_mirror_…`` variable of the host wins over the same of
    the target region.

    :param regions: hostvars.
    :returns: ``host, hosts[], directory, rest_host, rest_port, user, python, command, metrics`` (None, or
        ``{jar, host, port}``).
    :raises UsageError: a variable is missing; the message names it.
    """
    target, own = regions[mirror["target"]], regions[host]
    hosts = list(target.get("kafka_dr_mirror_hosts") or [mirror["target"]])
    variables = _Variables(own, target)
    _refuse_missing(variables, mirror, host)
    # Below this directory its files are, which are removed with it.
    directory = f"{variables.get('kafka_dr_mirror_directory')}/{file_name('a mirror', mirror['name'])}"
    metrics = _metrics(variables.get("kafka_dr_mirror_metrics"), host)
    address = LOOPBACK if len(hosts) == 1 else own.get("ansible_host") or host
    return {
        "host": host,
        "hosts": hosts,
        "directory": directory,
        "user": variables.get("kafka_dr_mirror_user", ""),
        "python": variables.get("kafka_dr_python"),
        # With exactly-once the nodes ask each other (KIP-710); one alone asks nobody.
        "rest_host": variables.get("kafka_dr_mirror_rest_host") or address,
        "rest_port": variables.get("kafka_dr_mirror_rest_port", 8083),
        "metrics": metrics,
        "command": " ".join(_command(variables, directory, metrics)),
    }


@dataclass(frozen=True)
class _Variables:
    """Variables of a host, and of the target region where the host has none."""

    host: dict[str, Any]
    target: dict[str, Any]

    def get(self, name: str, default: int | str | None = None) -> Any:
        for variables in (self.host, self.target):
            value = variables.get(name)
            if value is not None:
                return value
        return default


def _refuse_missing(variables: _Variables, mirror: dict[str, Any], host: str) -> None:
    # On an existing Connect cluster the host has the witness and the secrets only.
    connect = variables.get("kafka_dr_mirror_platform") == "connect"
    needed = ("kafka_dr_mirror_directory",) if connect else ("kafka_dr_mirror_directory", "kafka_dr_kafka_home")
    missing = [name for name in needed if not variables.get(name)]
    if missing:
        raise UsageError(
            f"Host '{host}' cannot run mirror '{mirror['name']}'",
            expected=" and ".join(missing),
            found="nothing",
            remedy=f"Set it for region {mirror['target']}, or for the host",
        )


def _command(variables: _Variables, directory: str, metrics: dict[str, Any] | None) -> list[str]:
    agent = f"{metrics['jar']}={metrics['host']}:{metrics['port']}:{directory}/metrics.yml" if metrics else None
    return mirror_maker_command(
        variables.get("kafka_dr_kafka_home"),
        f"{directory}/mm2.properties",
        str(variables.get("kafka_dr_java", "java")),
        str(variables.get("kafka_dr_mirror_heap", "1g")),
        [str(variables.get("kafka_dr_java_options"))] if variables.get("kafka_dr_java_options") else [],
        agent,
    )


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
