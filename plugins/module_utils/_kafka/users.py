# SPDX-License-Identifier: GPL-3.0-or-later
"""SCRAM users (KIP-554). Hashes cannot be read back, so whether a password is right is found by logging in with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

try:
    from confluent_kafka.admin import (
        ScramCredentialInfo,
        ScramMechanism,
        UserScramCredentialDeletion,
        UserScramCredentialUpsertion,
    )
except ImportError:
    pass

from .._errors import AuthenticationError, KafkaDrError, UsageError
from .._values.sendable import sendable
from .client import KafkaClient

# name, password, mechanism.
User = Mapping[str, Any]

ITERATIONS = 8192


def existing_users(client: KafkaClient, names: Iterable[str]) -> dict[str, list[str]]:
    """Which of these users have a SCRAM credential: ``{name: [mechanism]}``."""
    users = sendable(names, "user")
    futures: Any = client.ask(
        "describe users", lambda: client.admin.describe_user_scram_credentials(users, request_timeout=client.timeout)
    )
    found = {}
    for name, future in futures.items():
        try:
            user = client.result(future, f"describe user '{name}'")
        except KafkaDrError as error:
            if error.facts.get("code") == "RESOURCE_NOT_FOUND":
                continue
            raise
        found[name] = [info.mechanism.name for info in user.scram_credential_infos]
    return found


def ensure_users(client: KafkaClient, users: Sequence[User], state: str, check_mode: bool) -> dict[str, Any]:
    """Create SCRAM users or correct their passwords, or delete them, in one request.

    :param users: ``[{name, password, mechanism}]``; mechanism ``SCRAM-SHA-512`` (default) or ``SCRAM-SHA-256``.
    :param state: ``present`` or ``absent``.
    :returns: ``changed``, ``created``, ``rotated``, ``deleted``, ``diff``; never a password.
    """
    for user in users:
        if not user.get("name") or (state == "present" and not user.get("password")):
            raise UsageError(
                "A user is not complete",
                expected="name and password",
                found=f"name={user.get('name')}",
                remedy="Passwords come from the vault of the inventory",
            )
    client.metadata()
    names = [user["name"] for user in users]
    existing = existing_users(client, names) if names else {}
    if state == "absent":
        return _delete_users(client, existing, check_mode)
    created = [user for user in users if user["name"] not in existing]
    rotated = [user for user in users if user["name"] in existing and not accepts(client, user)]
    if (created or rotated) and not check_mode:
        alter_users(
            client,
            [
                UserScramCredentialUpsertion(
                    user["name"], ScramCredentialInfo(_mechanism(user), ITERATIONS), user["password"].encode()
                )
                for user in created + rotated
            ],
        )
    return {
        "changed": bool(created or rotated),
        "created": sorted(user["name"] for user in created),
        "rotated": sorted(user["name"] for user in rotated),
        "deleted": [],
        "diff": {"before": sorted(existing), "after": sorted(set(existing) | set(names))},
    }


def _delete_users(client: KafkaClient, existing: Mapping[str, Iterable[str]], check_mode: bool) -> dict[str, Any]:
    deleted = sorted(existing)
    if deleted and not check_mode:
        deletions = [
            UserScramCredentialDeletion(name, getattr(ScramMechanism, mechanism))
            for name in deleted
            for mechanism in existing[name]
        ]
        alter_users(client, deletions)
    return {
        "changed": bool(deleted),
        "created": [],
        "rotated": [],
        "deleted": deleted,
        "diff": {"before": deleted, "after": []},
    }


def _mechanism(user: User) -> ScramMechanism:
    name = str(user.get("mechanism") or "SCRAM-SHA-512").replace("-", "_")
    if not hasattr(ScramMechanism, name):
        raise UsageError(
            f"User '{user['name']}' has an unknown mechanism",
            expected="SCRAM-SHA-512 or SCRAM-SHA-256",
            found=user.get("mechanism"),
        )
    return getattr(ScramMechanism, name)


def alter_users(client: KafkaClient, changes: list[Any]) -> None:
    """Send deletions and upsertions of SCRAM credentials, and await each."""
    futures = client.ask(
        "alter users", lambda: client.admin.alter_user_scram_credentials(changes, request_timeout=client.timeout)
    )
    for name, future in futures.items():
        client.result(future, f"alter user '{name}'")


def accepts(client: KafkaClient, user: User) -> bool:
    """Whether this cluster lets the user in with this password."""
    config = {
        key: value
        for key, value in client.config.items()
        if key not in ("sasl.password", "sasl.username", "sasl.mechanisms")
    }
    config.update({"sasl.username": user["name"], "sasl.mechanism": user.get("mechanism") or "SCRAM-SHA-512"})
    try:
        KafkaClient(
            config, {"sasl.password": user["password"]}, timeout=min(client.timeout, 10), name=client.name
        ).metadata()
    except AuthenticationError:
        return False
    return True
