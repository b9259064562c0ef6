# SPDX-License-Identifier: GPL-3.0-or-later
"""The protocol's numbers for ACLs and the names that librdkafka gives them."""

from __future__ import annotations

ANY = 1
RESOURCES = {2: "topic", 3: "group", 4: "cluster", 5: "transactional_id"}
PATTERNS = {3: "LITERAL", 4: "PREFIXED"}
PERMISSIONS = {2: "DENY", 3: "ALLOW"}
OPERATIONS = {
    2: "ALL",
    3: "READ",
    4: "WRITE",
    5: "CREATE",
    6: "DELETE",
    7: "ALTER",
    8: "DESCRIBE",
    9: "CLUSTER_ACTION",
    10: "DESCRIBE_CONFIGS",
    11: "ALTER_CONFIGS",
    12: "IDEMPOTENT_WRITE",
}
