#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Compare topics of two clusters quickly."""

from __future__ import annotations

DOCUMENTATION = r"""
module: topic_compare_info
short_description: Compare topics of two Kafka clusters without Spark
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Compares topics, partitions and configurations of a source and a target in a second or two, for any number of topics
    in one call.
  - Counts by watermark are indicative only and never called complete; with O(content=true), small topics are read and
    digested here, which proves as much as
    the role P(streamsafe.kafka_dr.proof#role) does. The result has the same keys as that role's report.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client.info_attributes
  - streamsafe.kafka_dr.clients
options:
  topics:
    description: Regular expression for whole topic names of the source. Topics of Kafka and of MirrorMaker 2 themselves
      are left out.
    type: str
    default: .*
  rename:
    description:
      - From source to target names. V(identity) keeps all, V(prefix:ALIAS.) is the default replication policy, and
        V(identity:ALIAS.) the identity policy,
        which puts the alias before names that end in C(heartbeats).
    type: str
    default: identity
  content:
    description: Whether records are read and compared.
    type: bool
    default: false
  max_records:
    description: With O(content=true), refuse when both sides together hold more.
    type: int
    default: 200000
  max_differences:
    description: Runs of differences that are named for each partition.
    type: int
    default: 100
  mirrored_through:
    description:
      - >-
        The offset below which the mirror had copied everything, by topic and partition of the source, for a source that
        was lost or is left,
        e.g. C({"orders": {"0": 1200}}).
      - Records at or beyond it that the target lacks are counted as C(lost). Without it, every record that is missing
        is a loss.
    type: dict
    default: {}
  ignore_timestamps:
    description: Whether timestamps are left out, for a target that overwrites them.
    type: bool
    default: false
  source_alias:
    description: MirrorMaker 2's alias of the source, to tell the lag by its own source offsets.
    type: str
  offsets_topic:
    description: The topic on the target that holds them; C(mm2-offsets.ALIAS.internal) where it is not given.
    type: str
requirements:
  - numpy
  - xxhash
"""

EXAMPLES = r"""
- name: See what differs
  streamsafe.kafka_dr.topic_compare_info:
    source_client: "{{ hostvars.north_america.kafka_dr_client }}"
    source_client_secrets: "{{ hostvars.north_america.kafka_dr_client_secrets }}"
    target_client: "{{ hostvars.europe.kafka_dr_client }}"
    target_client_secrets: "{{ hostvars.europe.kafka_dr_client_secrets }}"
    source_alias: north_america
  register: __compared

- name: Prove the small ones
  streamsafe.kafka_dr.topic_compare_info:
    source_client: "{{ hostvars.north_america.kafka_dr_client }}"
    target_client: "{{ hostvars.europe.kafka_dr_client }}"
    topics: settings\..*
    content: true
"""

RETURN = r"""
verdict:
  description: V(PROVEN), V(LOSS), V(DUPLICATES), V(DIFFERENT) or V(NOT_PROVABLE); without O(content=true) never
    V(PROVEN).
  returned: always
  type: str
complete:
  description: Whether the target was shown to hold everything.
  returned: always
  type: bool
reasons:
  description: Why, for people.
  returned: always
  type: list
  elements: str
totals:
  description: Counts over all topics.
  returned: always
  type: dict
topics:
  description:
    - By topic, with topic ids, C(config_differences) and partitions with ranges, counts and C(lag).
    - C(synced) is false for a configuration that MirrorMaker 2 never copies.
  returned: always
  type: list
  elements: dict
configs_differ:
  description: Number of configurations that differ.
  returned: always
  type: int
content:
  description: Whether records were read.
  returned: always
  type: bool
seconds:
  description: How long it took.
  returned: always
  type: float
engine:
  description: What compared.
  returned: always
  type: dict
source:
  description: Name of the source.
  returned: always
  type: str
target:
  description: Name of the target.
  returned: always
  type: str
miss_probability:
  description: How likely a difference goes unseen.
  returned: always
  type: str
began:
  description: When it began, in UTC.
  returned: with content
  type: str
options:
  description: What was asked.
  returned: with content
  type: dict
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENTS_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.topic_compare_info import topic_compare_info


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENTS_SPEC,
            "topics": {"type": "str", "default": ".*"},
            "rename": {"type": "str", "default": "identity"},
            "content": {"type": "bool", "default": False},
            "max_records": {"type": "int", "default": 200000},
            "max_differences": {"type": "int", "default": 100},
            "mirrored_through": {"type": "dict", "default": {}},
            "ignore_timestamps": {"type": "bool", "default": False},
            "source_alias": {"type": "str"},
            "offsets_topic": {"type": "str"},
        },
        topic_compare_info,
        requires=("confluent_kafka", "numpy", "xxhash"),
        # Without an alias, nothing is excused by what the mirror has not copied yet.
        needs=(),
    )


if __name__ == "__main__":
    main()
