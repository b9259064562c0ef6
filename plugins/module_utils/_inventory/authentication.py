# SPDX-License-Identifier: GPL-3.0-or-later
"""How a user of ``kafka_dr_users`` shows who it is: the types of Strimzi's KafkaUsers, and none. Pure."""

from __future__ import annotations

from typing import Any

SCRAM, TLS, TLS_EXTERNAL = "scram-sha-512", "tls", "tls-external"
# Something else names the principal, such as OAuth.
NONE = "none"
TYPES = (SCRAM, TLS, TLS_EXTERNAL, NONE)


def users_of_type(users: list[dict[str, Any]], *types: str) -> list[dict[str, Any]]:
    """Users of one of these types. The operator makes no Secret for ``tls-external``, and a password for
    ``scram-sha-512`` alone, which one is whose type is not given.
    """
    return [user for user in users if (user.get("authentication") or SCRAM) in types]
