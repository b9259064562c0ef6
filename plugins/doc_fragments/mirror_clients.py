# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that describe one mirror between two Kafka clients."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  source_client:
    description:
      - The mirror's source, as librdkafka configuration keys without secrets.
      - Leave it out where the source is lost.
    type: dict
  source_client_secrets:
    description: The secret keys of the same configuration.
    type: dict
    default: {}
  target_client:
    description:
      - The mirror's target, as librdkafka configuration keys without secrets.
      - Required, here or in C(module_defaults) of the action group C(streamsafe.kafka_dr.mirror).
    type: dict
  target_client_secrets:
    description: The secret keys of the same configuration.
    type: dict
    default: {}
  source_alias:
    description:
      - MirrorMaker 2's alias of the source.
      - Required, here or in C(module_defaults) of the action group C(streamsafe.kafka_dr.mirror).
    type: str
  target_alias:
    description:
      - MirrorMaker 2's alias of the target.
      - Required, here or in C(module_defaults) of the action group C(streamsafe.kafka_dr.mirror).
    type: str
  policy:
    description: How the mirror names its copies, V(identity) alike and V(default) with the source's alias and the
      separator before.
    type: str
    choices: [identity, default]
    default: identity
  separator:
    description: Stands between alias and topic with O(policy=default), and in the names of MirrorMaker 2's own topics.
    type: str
    default: "."
  offsets_topic:
    description:
      - Connect's topic of source offsets on the target.
      - Without it, that of MirrorMaker 2 in dedicated mode, V(mm2-offsets.<source alias>.internal). On Strimzi, the
        resource's C(offsetStorageTopic).
    type: str
  connector:
    description:
      - Name of the source connector in O(offsets_topic).
      - Without it, any connector named, or ending in, V(MirrorSourceConnector).
    type: str
  positions_topic:
    description:
      - The position witness's topic on the target.
      - Records that the witness of another mirror wrote are not believed. Older witnesses did not write whose they are.
    type: str
    default: __kafka_dr_positions
  timeout:
    description: Seconds that any single answer of a cluster may take.
    type: int
    default: 30
requirements:
  - confluent-kafka >= 2.6
"""
