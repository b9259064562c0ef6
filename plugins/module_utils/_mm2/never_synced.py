# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations of topics that MirrorMaker 2 leaves to each cluster."""

from __future__ import annotations

# config.properties.exclude by default (DefaultConfigPropertyFilter). Two of them are names of brokers' configurations:
# MirrorMaker 2 does copy message.timestamp.before.max.ms and message.timestamp.after.max.ms.
NEVER_SYNCED = (
    "follower.replication.throttled.replicas",
    "leader.replication.throttled.replicas",
    "message.timestamp.difference.max.ms",
    "log.message.timestamp.before.max.ms",
    "log.message.timestamp.after.max.ms",
    "message.timestamp.type",
    "unclean.leader.election.enable",
    "min.insync.replicas",
)
