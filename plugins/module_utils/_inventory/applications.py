# SPDX-License-Identifier: GPL-3.0-or-later
"""Applications as the inventory describes them: checked, put together by where they are kept, and told their region."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Any

from .._errors import UsageError
from .._values.safe import shown
from .._values.security import mechanism_of
from .places import application_place
from .regions import hosts_with

KINDS = {"process": "host", "systemd": "host", "kubernetes": "kubernetes", "hook": "hook"}
ROLES = ("producer", "consumer", "both")
# A client of a lost cluster waits for answers that never come; it gets this long to end.
STOP_SECONDS = 20
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def applications(
    regions: dict[str, dict[str, Any]],
    of: list[str],
    roles: list[str] | tuple[str, str, str],
    sizes: dict[str, int] | None = None,
    only: Sequence[str] | None = None,
) -> list[dict[str, Any]]:
    """The applications of these regions with these roles, each with the ``host`` it is kept on.

    :param regions: hostvars.
    :param sizes: ``{name: size}`` remembered when they were stopped: those of size 0 are left out; None takes all.
    :param only: names; none of them takes all.
    :raises UsageError: an application is not complete.
    """
    chosen = []
    for name in of:
        for application in regions[name].get("kafka_dr_applications") or []:
            missing = [key for key in ("name", "kind", "role") if not application.get(key)]
            if missing or application["kind"] not in KINDS or application["role"] not in ROLES:
                raise UsageError(
                    f"Application '{application.get('name')}' of {name} is incomplete or invalid",
                    expected=f"name, kind ({', '.join(KINDS)}), role ({', '.join(ROLES)})",
                    found=", ".join(sorted(application)),
                )
            if (
                application["role"] in roles
                and int((sizes or {}).get(application["name"], 1)) != 0
                and (not only or application["name"] in only)
            ):
                chosen.append(dict(application, host=application.get("host") or name, region=name))
    return chosen


def application_groups(regions: dict[str, dict[str, Any]]) -> list[str]:
    """The consumer groups that applications of any region name, each once.

    :param regions: hostvars. :raises UsageError: an application is not complete.
    """
    consuming = applications(regions, hosts_with(regions, "kafka_dr_applications"), ["consumer", "both"])
    return list(dict.fromkeys(group for application in consuming for group in application.get("groups") or []))


def application_batches(
    regions: dict[str, dict[str, Any]],
    of: list[str],
    roles: list[str] | tuple[str, str, str],
    sizes: dict[str, int] | None = None,
    only: Sequence[str] | None = None,
    without: Sequence[str] = (),
    apart: bool = False,
) -> list[dict[str, Any]]:
    """Applications that one call can act on: all that one manager keeps on one host, each other one by itself.

    :param sizes: as in :func:`applications`. :param only: as in :func:`applications`.
    :param without: names of those that are left out. :param apart: whether each is by itself.
    :returns: ``[{room, host, manager, applications[], programs[], names[{name}]}]``; ``room`` is where the way to act
        on them is written.
    """
    batches: dict[Any, dict[str, Any]] = {}
    for application in applications(regions, of, roles, sizes, only):
        if application["name"] in without:
            continue
        room = KINDS[application["kind"]]
        manager = "systemd" if application["kind"] == "systemd" else ""
        key = (application["host"], manager) if room == "host" and not apart else application["name"]
        batch = batches.setdefault(
            key,
            {
                "room": room,
                "host": application["host"],
                "manager": manager,
                "applications": [],
                "programs": [],
                "names": [],
            },
        )
        batch["applications"].append(application)
        batch["programs"].append(_program(application))
        batch["names"].append({"name": application["name"]})
    return list(batches.values())


def application_machines(batches: list[dict[str, Any]], regions: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What has to answer for applications to be acted on.

    :param batches: as :func:`application_batches` gives them. :param regions: hostvars.
    :returns: ``machines[]``, and ``clusters{application: connection}`` with one application for each connection to
        Kubernetes. What a hook needs nobody knows, except where a machine is named for it.
    """
    machines = {batch["host"] for batch in batches if batch["room"] == "host" or _names_a_machine(batch)}
    clusters: dict[str, dict[str, Any]] = {}
    for batch in batches:
        connection = _cluster(batch, regions)
        if connection is not None and connection not in clusters.values():
            clusters[batch["applications"][0]["name"]] = connection
    return {"machines": sorted(machines), "clusters": clusters}


def applications_unreached(
    batches: list[dict[str, Any]], regions: dict[str, dict[str, Any]], silent: dict[str, dict[str, str]]
) -> dict[str, str]:
    """``{application: why it cannot be acted on}``.

    :param silent: ``{machines: {machine: why}, clusters: {application: why}}`` of what :func:`application_machines`
        named.
    """
    machines, clusters = silent.get("machines") or {}, silent.get("clusters") or {}
    # The application that a cluster is told by need not be among those that are to be acted on.
    of = [name for name in regions if "kafka_dr_applications" in regions[name]] if clusters else []
    dead = [
        (_cluster(batch, regions), clusters[batch["applications"][0]["name"]])
        for batch in application_batches(regions, of, ROLES)
        if batch["applications"][0]["name"] in clusters
    ]
    found: dict[str, str] = {}
    for batch in batches:
        why = None
        if batch["room"] == "host" or _names_a_machine(batch):
            why = batch["host"] in machines and f"machine {batch['host']}: {machines[batch['host']]}"
        elif batch["room"] == "kubernetes":
            connection = _cluster(batch, regions)
            why = next((f"its API server: {reason}" for other, reason in dead if other == connection), None)
        if why:
            found.update((application["name"], why) for application in batch["applications"])
    return found


def _names_a_machine(batch: dict[str, Any]) -> bool:
    return batch["room"] == "hook" and batch["host"] != batch["applications"][0]["region"]


def _cluster(batch: dict[str, Any], regions: dict[str, dict[str, Any]]) -> dict[str, str] | None:
    """The batch's connection to Kubernetes; None where it needs none."""
    if batch["room"] != "kubernetes":
        return None
    application = batch["applications"][0]
    return application_place(application, regions[application["region"]])["connection"]


def _program(application: dict[str, Any]) -> dict[str, Any]:
    program = {
        "name": application["name"],
        "description": f"Application {application['name']}",
        "stop_seconds": int(application.get("stop_seconds") or STOP_SECONDS),
    }
    if application.get("command"):
        program.update(command=application["command"], environment_file=application.get("environment_file"))
    program.update({key: application[key] for key in ("directory", "log", "user") if application.get(key)})
    return program


def application_files(
    regions: dict[str, dict[str, Any]], batch: list[dict[str, Any]], region: str
) -> list[dict[str, str]]:
    """The files that tell applications which region they belong to: an environment file each, and the region's CA
    beside it.

    :param regions: hostvars.
    :param batch: applications, as :func:`applications` gives them.
    :param region: name of the region that they are pointed at.
    :returns: ``[{path, content}]``; contents hold passwords.
    :raises UsageError: an application names no environment file, or a principal whose password is not in the inventory.
    """
    client = regions[region].get("kafka_dr_client") or {}
    files = []
    for application in batch:
        path, user = application.get("environment_file"), (application.get("principals") or [""])[0]
        password = application_password(regions, region, user)
        if not path or (mechanism_of(client) and not password):
            raise UsageError(
                f"Application '{application['name']}' cannot be pointed at {region}",
                expected="environment_file, and principals of which the first is one of kafka_dr_users with its "
                "password",
                found=f"environment_file '{path or ''}', principal '{user}'",
                remedy="Complete it in kafka_dr_applications",
            )
        values = _environment(application, region, client, user, password)
        files.append(
            {"path": path, "content": "".join(f"{key}={shlex.quote(str(value))}\n" for key, value in values.items())}
        )
        files.append({"path": path + ".ca.pem", "content": client.get("ssl.ca.pem", "")})
    return files


def application_password(regions: dict[str, dict[str, Any]], region: str, user: str) -> str:
    """The password of a user in a region: as its inventory has it, or that of another region where it says nothing;
    empty where none does.

    :param regions: hostvars.
    """
    for name in [region, *(other for other in regions if other != region)]:
        try:
            found = _password_in(regions[name], user)
        except Exception:  # pylint: disable=broad-except
            # Whatever a template of another region raises: one that is only being planned stops no application.
            if name == region:
                raise
            continue
        if found:
            return found
    return ""


def _password_in(region: dict[str, Any], user: str) -> str:
    described = [known for known in region.get("kafka_dr_users") or [] if known.get("name") == user]
    return next((str(known["password"]).strip() for known in described if known.get("password")), "")


def _environment(
    application: dict[str, Any], region: str, client: dict[str, Any], user: str, password: str
) -> dict[str, Any]:
    values = {
        "KAFKA_BROKERS": client.get("bootstrap.servers", ""),
        "KAFKA_SECURITY_PROTOCOL": client.get("security.protocol", "PLAINTEXT"),
        "KAFKA_SASL_MECHANISM": mechanism_of(client),
        "KAFKA_USER": user,
        "KAFKA_PWD": password,
        "KAFKA_CERT": application["environment_file"] + ".ca.pem",
        "KAFKA_REGION": region,
        **(application.get("environment") or {}),
    }
    wrong = [shown(key) for key in values if not VARIABLE.match(str(key))]
    if wrong:
        raise UsageError(
            f"Application {shown(application['name'])} cannot have this environment",
            expected="names of variables: letters, digits, underscore",
            found=", ".join(wrong),
            remedy="Correct environment in kafka_dr_applications",
        )
    return values
