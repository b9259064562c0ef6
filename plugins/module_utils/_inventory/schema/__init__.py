# SPDX-License-Identifier: GPL-3.0-or-later
"""Every ``kafka_dr_*`` variable of the inventory, and what each may be."""

from __future__ import annotations

from ..kinds import NODE, choice, loose_flag, number, path, secret, text
from ..platforms import PLATFORMS
from .clients import CLIENT, CLIENT_SECRETS, CONNECT, CONNECT_SECRETS, DEPLOYMENT, KUBERNETES
from .clusters import CLUSTER, CLUSTER_SECRETS, QUOTAS, SUPER_USERS, TOPICS, USERS
from .mirrors import APPLICATIONS, MACHINES, MIRRORS, SERVICES
from .topics import own_topic
from .watching import WATCH

VARIABLES: dict[str, NODE] = {
    "kafka_dr_platform": {
        **choice(
            "What runs the region; it chooses the tasks. C(managed) acts like C(host) for users and rights and has "
            "no brokers to start",
            *PLATFORMS,
        ),
        "x-where": "region",
    },
    "kafka_dr_client": CLIENT,
    "kafka_dr_client_secrets": CLIENT_SECRETS,
    "kafka_dr_unverified_tls": text(
        "Why certificates of this region are not verified, or passwords sent without TLS. Without it a client that "
        "does so is refused; with it "
        "the reason is shown, and recorded in the ledger",
        expected="the reason, in words on one line",
        minLength=8,
        x_where="region",
    ),
    "kafka_dr_users": USERS,
    "kafka_dr_super_users": SUPER_USERS,
    "kafka_dr_topics": TOPICS,
    "kafka_dr_quotas": QUOTAS,
    "kafka_dr_kubernetes": KUBERNETES,
    "kafka_dr_mirror_deployment": DEPLOYMENT,
    "kafka_dr_connect": CONNECT,
    "kafka_dr_connect_secrets": CONNECT_SECRETS,
    **MACHINES,
    "kafka_dr_mirror_rest_open": text(
        "Why a mirror of several hosts may listen without TLS and a password; without it such a mirror is refused",
        expected="the reason, in words on one line",
        minLength=8,
        x_where="target region",
    ),
    "kafka_dr_watch": WATCH,
    "kafka_dr_kafka": CLUSTER,
    "kafka_dr_kafka_secrets": CLUSTER_SECRETS,
    "kafka_dr_rebuild_directory": {
        **path("Where its host keeps what another region is made again from"),
        "x-where": "backup region",
    },
    "kafka_dr_rebuild_secret": {
        **secret(
            "Password that it is encrypted with, long and random: a stage that keeps something with it wants 16 "
            "characters or more"
        ),
        "x-where": "anywhere, vaulted",
    },
    "kafka_dr_applications": APPLICATIONS,
    "kafka_dr_services": SERVICES,
    "kafka_dr_mirrors": MIRRORS,
    "kafka_dr_workdir": text("Directory of the controller for reports and bounds", x_where="anywhere"),
    "kafka_dr_ledger_topic": own_topic(
        "The ledger; C(__kafka_dr_ledger) if left out. Its name begins with C(__kafka_dr_)", x_where="anywhere"
    ),
    "kafka_dr_ledger_replication_factor": number("Its replicas; the broker's default if left out", 1, 32767),
    "kafka_dr_ledger_secret": {
        "type": ["array", "string"],
        "items": secret(),
        "x-secret": True,
        "x-expected": "a list of texts (keep them in a vault)",
        "description": (
            "Keys that entries of the ledger are signed with: the first signs, any verifies; empty in "
            "jobs that are not given them"
        ),
        "x-where": "anywhere, vaulted",
    },
    "kafka_dr_unsigned_ledger": text(
        "Why entries of the ledger are not signed. Without it and without C(kafka_dr_ledger_secret), stages that "
        "may wait are refused; with it the reason is "
        "shown, and recorded in the ledger",
        expected="the reason, in words on one line",
        minLength=8,
        x_where="anywhere",
    ),
    "kafka_dr_positions_topic": own_topic(
        "Where the position witness of a mirror without C(positions_topic) writes; C(__kafka_dr_positions) if "
        "left out. Its name begins with C(__kafka_dr_)",
        x_where="anywhere",
    ),
    "kafka_dr_no_log": {**loose_flag("Whether tasks with secrets are hidden; true if left out"), "x-where": "anywhere"},
}
VARIABLES["kafka_dr_ledger_replication_factor"]["x-where"] = "anywhere"

# Set by the roles themselves while a stage runs.
INTERNAL = ("kafka_dr_api_version", "kafka_dr_served_versions", "kafka_dr_strimzi")
# Variables of the event rulebook and of a controller's credentials, which may stand beside an inventory.
OTHERS = (
    "kafka_dr_watched",
    "kafka_dr_requests",
    "kafka_dr_patience",
    "kafka_dr_interval",
    "kafka_dr_heartbeat_limit",
    "kafka_dr_secret_",
)
