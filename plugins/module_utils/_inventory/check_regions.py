# SPDX-License-Identifier: GPL-3.0-or-later
"""Mistakes in regions and applications that a schema cannot see, most of them about who proves what to whom."""

from __future__ import annotations

import collections.abc as c
import os.path
from urllib.parse import urlsplit

from .._errors import UsageError
from .._mm2.mirror_config import PATTERN_FIELDS
from .._values import security
from .._values.client_secrets import LOOPBACK, is_secret
from .._values.quotas import flatten
from .check_mirrors import HOSTS, is_region
from .check_value import Mistake, found, key_path, shown
from .platforms import PLATFORMS
from .regions import user_for


def clients(name: str, region: dict) -> c.Iterator[Mistake]:
    """A region's client: secrets where they are printed, and ports that there are not."""
    client = region.get("kafka_dr_client") or {}
    for key in client:
        if is_secret(key):
            yield Mistake(
                key_path("kafka_dr_client", key),
                "no secret in kafka_dr_client, which is printed",
                "a value (not shown)",
                "Move it to kafka_dr_client_secrets, in a vault, and change it: it may stand in logs already",
            )
    for address in str(client.get("bootstrap.servers") or "").split(","):
        port = address.strip().rpartition(":")[2]
        if port.isdigit() and not 1 <= int(port) <= 65535:
            yield Mistake("kafka_dr_client['bootstrap.servers']", "ports from 1 to 65535", port)


def authentication(name: str, region: dict) -> c.Iterator[Mistake]:
    """What a client's way of authentication lacks."""
    client = region.get("kafka_dr_client") or {}
    protocol, mechanism = (str(client.get("security.protocol") or "PLAINTEXT").upper(), security.mechanism_of(client))
    if protocol.startswith("SASL") and client and not mechanism:
        yield Mistake(
            "kafka_dr_client['sasl.mechanism']",
            f"a mechanism, since security.protocol is {protocol}",
            "nothing",
            "Give it, such as SCRAM-SHA-512",
        )
    if mechanism and not protocol.startswith("SASL"):
        yield Mistake(
            "kafka_dr_client['security.protocol']",
            f"SASL_SSL, since sasl.mechanism is {shown(mechanism)}",
            protocol,
            "Give it, or leave the mechanism out",
        )
    if protocol.startswith("SASL") and mechanism in security.BY_PASSWORD:
        stages = user_for(region, "stages") or {}
        if not (client.get("sasl.username") or stages.get("name")):
            yield Mistake(
                "kafka_dr_client['sasl.username']",
                f"the stages' user, since sasl.mechanism is {mechanism}",
                "nothing",
                "Give it",
            )
        if not ((region.get("kafka_dr_client_secrets") or {}).get("sasl.password") or stages.get("password")):
            yield Mistake(
                "kafka_dr_client_secrets['sasl.password']",
                "the password of the stages' user",
                "nothing",
                "Give it, in a vault",
            )


def completeness(name: str, region: dict) -> c.Iterator[Mistake]:
    """What a stage needs of a region and does not find."""
    if not region.get("kafka_dr_platform"):
        yield Mistake("kafka_dr_platform", f"one of {', '.join(PLATFORMS)}", "nothing", "Say what runs the region")
    if region.get("kafka_dr_platform") == "kubernetes":
        if not (region.get("kafka_dr_kubernetes") or {}).get("cluster"):
            yield Mistake(
                "kafka_dr_kubernetes.cluster", "the name of the region's Kafka resource", "nothing", "Give it"
            )
        if user_for(region, "stages") is None:
            yield Mistake(
                "kafka_dr_users",
                "a user of the purpose stages, whose Secret the stages log in with",
                "none",
                "Give it, such as {name: kafka-dr-stages, purpose: stages}",
            )
    elif region.get("kafka_dr_client_secrets") is None:
        yield Mistake(
            "kafka_dr_client_secrets",
            "a dictionary, {} where the client has no secrets",
            "nothing",
            "Give it, in a vault",
        )


def unverified(region: dict) -> list[str]:
    """Settings of a region by which a certificate, or the name in it, is not verified."""
    settings = [f"kafka_dr_client: {setting}" for setting in security.unverified(region.get("kafka_dr_client") or {})]
    kubernetes, deployment = region.get("kafka_dr_kubernetes") or {}, region.get("kafka_dr_mirror_deployment") or {}
    places = {
        "kafka_dr_kubernetes": kubernetes,
        "kafka_dr_mirror_deployment": deployment,
        **{f"kafka_dr_kubernetes.{key}": kubernetes.get(key) or {} for key in ("backup", "authorities_from")},
        **{
            f"kafka_dr_applications[{at}].connection": application.get("connection") or {}
            for at, application in enumerate(region.get("kafka_dr_applications") or [])
        },
    }
    for path, place in places.items():
        if str(place.get("validate_certs", True)).lower() in security.NOT_TRUE:
            settings.append(f"{path}: validate_certs=false")
        if str(place.get("host") or "").startswith("http:"):
            settings.append(f"{path}: host without TLS")
    bare = [
        url
        for url in (region.get("kafka_dr_connect") or {}).get("urls") or []
        if str(url).startswith("http:") and urlsplit(str(url)).hostname not in LOOPBACK
    ]
    if bare and region.get("kafka_dr_connect_secrets"):
        settings.append("kafka_dr_connect: urls without TLS, with a password")
    return settings


def verification(name: str, region: dict) -> c.Iterator[Mistake]:
    """Certificates are verified, unless the inventory says by a decision of its own why not."""
    without = unverified(region)
    if without and not region.get("kafka_dr_unverified_tls"):
        yield Mistake(
            "kafka_dr_unverified_tls",
            "certificates to be verified, or the reason why they are not",
            f"none, and {', '.join(without)}",
            "Give the certificate authority (ssl.ca.pem, ca_cert) and remove that; or give the reason here, which "
            "is recorded",
        )


def quotas(name: str, region: dict) -> c.Iterator[Mistake]:
    """Quotas that are given twice or that are no quotas."""
    try:
        flatten(region.get("kafka_dr_quotas") or [])
    except UsageError as error:
        yield Mistake(
            "kafka_dr_quotas",
            str(error.expected or "each quota once"),
            f"{error.message} ({shown(error.found)})",
            str(error.remedy or ""),
        )


def mirror_fields(name: str, region: dict) -> c.Iterator[Mistake]:
    """Patterns among the further fields of mirrors' resources, which the stages do not read."""
    spec = ((region.get("kafka_dr_kubernetes") or {}).get("mirror_fields") or {}).get("spec")
    flows = spec.get("mirrors") if isinstance(spec, dict) else None
    for at, flow in enumerate(flows if isinstance(flows, list) else ()):
        for key in PATTERN_FIELDS:
            if isinstance(flow, dict) and key in flow:
                yield Mistake(
                    f"kafka_dr_kubernetes.mirror_fields.spec.mirrors[{at}].{key}",
                    "no pattern, since stages choose by kafka_dr_mirrors alone",
                    found(flow[key]),
                    "Give topics, topics_exclude, groups or groups_exclude of the mirror",
                )


def applications(name: str, host: dict, hosts: HOSTS) -> c.Iterator[Mistake]:
    """What an application of its kind needs before it can be pointed at a region, and machines that are unknown."""
    if not host.get("kafka_dr_applications"):
        return
    users = {user["name"] for other in hosts.values() for user in other.get("kafka_dr_users") or []}
    regions = [region for region in hosts.values() if is_region(region)]
    passwords = any(security.mechanism_of(region.get("kafka_dr_client") or {}) for region in regions)
    # A KafkaUser that is not described keeps its rights: its operator puts back what is deleted only in Kafka.
    declared = passwords or any(region.get("kafka_dr_kubernetes") for region in regions)
    for at, application in enumerate(host.get("kafka_dr_applications") or []):
        path, kind = f"kafka_dr_applications[{at}]", application["kind"]
        needed = {
            "process": ["environment_file"],
            "systemd": ["environment_file"],
            "kubernetes": ["principals"],
            "hook": ["start_tasks", "stop_tasks"],
        }[kind]
        for key in needed + (["principals"] if passwords and kind in ("process", "systemd") else []):
            if not application.get(key):
                yield Mistake(
                    f"{path}.{key}", f"something, since {application['name']} is of kind {kind}", "nothing", "Give it"
                )
        if kind == "kubernetes" and not (
            application.get("namespace") or (host.get("kafka_dr_kubernetes") or {}).get("namespace")
        ):
            yield Mistake(
                f"{path}.namespace", f"a namespace, here or in kafka_dr_kubernetes of {name}", "nothing", "Give it"
            )
        if application.get("host") and application["host"] not in hosts:
            yield Mistake(
                f"{path}.host", "a host of the inventory", found(application["host"]), "Add it, or correct the name"
            )
        for number, user in enumerate(application.get("principals") or []):
            if users and declared and user not in users:
                yield Mistake(
                    f"{path}.principals[{number}]",
                    "a user of kafka_dr_users",
                    found(user),
                    "Add it there with its password, or correct the name",
                )


def hook_files(name: str, host: dict) -> c.Iterator[Mistake]:
    """Files of tasks that are not there. Ansible seeks one without a directory of its own in several places."""
    for at, application in enumerate(host.get("kafka_dr_applications") or []):
        for key in ("start_tasks", "stop_tasks") if application["kind"] == "hook" else ():
            file = str(application.get(key) or "")
            if os.path.isabs(file) and not os.path.isfile(file):
                yield Mistake(
                    f"kafka_dr_applications[{at}].{key}",
                    "a file of tasks on this machine",
                    f"none at {found(file)}",
                    "Correct the path, or bring the file there",
                )


def application_passwords(name: str, host: dict, hosts: HOSTS) -> c.Iterator[Mistake]:
    """Applications that the role could not point at a region, since nobody knows the password of their principal."""
    if not any(security.mechanism_of(region.get("kafka_dr_client") or {}) for region in hosts.values()):
        return
    users = [(region, user) for region in hosts.values() for user in region.get("kafka_dr_users") or []]
    # On Kubernetes an operator makes them.
    known = {
        user["name"]
        for region, user in users
        if user.get("password") or region.get("kafka_dr_platform") == "kubernetes"
    }
    lacking = {user["name"] for dummy_region, user in users} - known
    for at, application in enumerate(host.get("kafka_dr_applications") or []):
        first = (application.get("principals") or [""])[0]
        if application["kind"] in ("process", "systemd") and first in lacking:
            yield Mistake(
                f"kafka_dr_applications[{at}].principals[0]",
                "a user with its password",
                f"{found(first)} without one",
                "Give its password in kafka_dr_users, in a vault",
            )
