# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of the settings that MirrorMaker 2 knows."""

from __future__ import annotations

# What MM2 4.3's three connectors and their worker know; anything else is ignored without a word.
KNOWN = set(
    """
enabled name connector.class tasks.max tasksMax topics topics.exclude groups groups.exclude topic.filter.class
group.filter.class config.property.filter.class config.properties.exclude replication.policy.class
replication.policy.separator replication.policy.internal.topic.separator.enabled replication.factor
refresh.topics.enabled refresh.topics.interval.seconds refresh.groups.enabled refresh.groups.interval.seconds
sync.topic.configs.enabled sync.topic.configs.interval.seconds sync.topic.acls.enabled
sync.topic.acls.interval.seconds emit.heartbeats.enabled emit.heartbeats.interval.seconds emit.checkpoints.enabled
emit.checkpoints.interval.seconds sync.group.offsets.enabled sync.group.offsets.interval.seconds
emit.offset-syncs.enabled offset.lag.max offset-syncs.topic.location offset-syncs.topic.replication.factor
checkpoints.topic.replication.factor heartbeats.topic.replication.factor heartbeats.replication.enabled
source.cluster.alias target.cluster.alias admin.timeout.ms forwarding.admin.class key.converter value.converter
header.converter errors.tolerance errors.log.enable errors.log.include.messages errors.retry.timeout
errors.retry.delay.max.ms transforms predicates config.action.reload exactly.once.support transaction.boundary
transaction.boundary.interval.ms offsets.storage.topic metric.reporters metrics.num.samples metrics.recording.level
metrics.sample.window.ms metric.names.formats client.id use.defaults.from topic.creation.groups tasks.max.enforce
""".split()
)
PREFIXES = (
    "consumer.",
    "producer.",
    "admin.",
    "source.",
    "target.",
    "transforms.",
    "predicates.",
    "topic.creation.",
    "metrics.context.",
    "metrics.",
    "key.converter.",
    "value.converter.",
    "header.converter.",
    "sync.",
    "internal.",
    "forwarding.admin.",
    "replication.policy.",
    "config.providers",
    "offset.storage.",
    "config.storage.",
    "status.storage.",
    "ssl.",
    "sasl.",
)
