# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""SCRAM users (KIP-554). Hashes cannot be read back, so whether a password is right is found by logging in with it."""

from __future__ import annotations

try:
    from confluent_kafka.admin import ScramCredentialInfo, ScramMechanism, UserScramCredentialDeletion, UserScramCredentialUpsertion
except ImportError:
    pass

from .._errors import AuthenticationError, KafkaDrError, UsageError
from .client import KafkaClient

ITERATIONS = 8192


def existing_users(client, names):
    """Which of these users have a SCRAM credential: ``{name: [mechanism]}``."""
    futures = client.ask("describe users", lambda: client.admin.describe_user_scram_credentials(list(names), request_timeout=client.timeout))
    found = {}
    for name, future in futures.items():
        try:
            one = client.result(future, "describe user '%s'" % name)
        except KafkaDrError as error:
            if error.facts.get("code") == "RESOURCE_NOT_FOUND":
                continue
            raise
        found[name] = [info.mechanism.name for info in one.scram_credential_infos]
    return found


def ensure_users(client, users, state, check_mode):
    """Create SCRAM users or correct their passwords, in one request.

    :param users: ``[{name, password, mechanism}]``; mechanism ``SCRAM-SHA-512`` (default) or ``SCRAM-SHA-256``.
    :returns: ``changed``, ``created``, ``rotated``, ``deleted``; never a password.
    """
    for one in users:
        if not one.get("name") or (state == "present" and not one.get("password")):
            raise UsageError("A user is not complete", expected="name and password", found="name=%s" % one.get("name"),
                             remedy="Passwords come from the vault of the inventory")
    client.metadata()
    names = [one["name"] for one in users]
    there = existing_users(client, names) if names else {}
    if state == "absent":
        doomed = sorted(there)
        if doomed and not check_mode:
            _alter(client, [UserScramCredentialDeletion(name, getattr(ScramMechanism, kind)) for name in doomed for kind in there[name]])
        return {"changed": bool(doomed), "created": [], "rotated": [], "deleted": doomed, "diff": {"before": sorted(there), "after": []}}
    created = [one for one in users if one["name"] not in there]
    rotated = [one for one in users if one["name"] in there and not accepts(client, one)]
    if (created or rotated) and not check_mode:
        _alter(client, [
            UserScramCredentialUpsertion(one["name"], ScramCredentialInfo(_mechanism(one), ITERATIONS), one["password"].encode())
            for one in created + rotated
        ])
    return {
        "changed": bool(created or rotated), "created": sorted(one["name"] for one in created), "rotated": sorted(one["name"] for one in rotated),
        "deleted": [], "diff": {"before": sorted(there), "after": sorted(set(there) | set(names))},
    }


def _mechanism(user):
    name = str(user.get("mechanism") or "SCRAM-SHA-512").replace("-", "_")
    if not hasattr(ScramMechanism, name):
        raise UsageError("User '%s' has an unknown mechanism" % user["name"], expected="SCRAM-SHA-512 or SCRAM-SHA-256", found=user.get("mechanism"))
    return getattr(ScramMechanism, name)


def _alter(client, changes):
    for name, future in client.ask("alter users", lambda: client.admin.alter_user_scram_credentials(changes, request_timeout=client.timeout)).items():
        client.result(future, "alter user '%s'" % name)


def accepts(client, user):
    """Whether this cluster lets the user in with this password."""
    config = {key: value for key, value in client.config.items() if key not in ("sasl.password", "sasl.username", "sasl.mechanisms")}
    config.update({"sasl.username": user["name"], "sasl.mechanism": user.get("mechanism") or "SCRAM-SHA-512"})
    try:
        KafkaClient(config, {"sasl.password": user["password"]}, timeout=min(client.timeout, 10), name=client.name).metadata()
    except AuthenticationError:
        return False
    return True
