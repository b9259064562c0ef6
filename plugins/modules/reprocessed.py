#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""List what consumer groups processed twice."""

from __future__ import annotations

DOCUMENTATION = r"""
module: reprocessed
short_description: List what consumer groups processed in both regions after an unplanned failover
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Compares the groups' own last positions in the region that was left, which is back, with where they went on in the
    active region. What lies between them was processed in both, as far as commits tell. What a consumer processed and
    did not commit before the loss is not known.
  - Offsets are translated by the exact offset map of a salvage's report, or of a proof that compared both regions. A
    position beyond what the active region got is clipped at the end of the copy.
  - A salvage that wrote to the active region (V(replay) or V(side_topic)) has repeated what a group had processed and
    the copy never got. Its report tells which offsets hold such records. They are listed too, by RV(ranges[].cause).
  - It moves no position. It writes the two files of O(directory). RV(ignore:changed) tells whether one of them was not
    as it is now.
  - The module was named C(reprocessed_info). That name is deprecated, since a module of such a name writes nothing.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
attributes:
  check_mode:
    description: Can run in check mode and say whether a file would change.
    support: full
  diff_mode:
    description: Shows no difference of the files, which are for their owner alone.
    support: none
options:
  report:
    description: Path of the C(report.json) of C(spark/main.py salvage), or of C(compare).
    type: path
    required: true
  positions:
    description: Where the groups went on, by group, topic of the active region and partition, as the ledger's step
      C(positions) of the failover has it.
    type: dict
    required: true
  directory:
    description: Directory for C(reprocessed.json) and C(reprocessed.parquet). They get mode 0600, and it gets mode
      0700. Without it, nothing is written.
    type: path
  groups:
    description: Names of groups.
    type: list
    elements: str
    default: []
  groups_regex:
    description: Regular expressions for groups, separated by commas, each matching a whole name. Added to O(groups).
    type: str
    default: ".*"
  groups_exclude_regex:
    description: Regular expressions for groups that O(groups_regex) is not to take.
    type: str
    default: "console-consumer-.*,connect-.*,__.*"
requirements:
  - pyarrow
"""

EXAMPLES = r"""
- name: List what was processed twice
  streamsafe.kafka_dr.reprocessed:
    client: "{{ hostvars['north_america'].kafka_dr_client }}"
    client_secrets: "{{ hostvars['north_america'].kafka_dr_client_secrets }}"
    report: "{{ proof_salvaged.report }}"
    positions: "{{ ledger_known.done.failover.positions.found.positions }}"
    directory: /var/lib/kafka-dr/reprocessed
  register: __reprocessed
"""

RETURN = r"""
ranges:
  description: Ranges of offsets in the active region that hold records which the group had processed in the region
    that was left.
  returned: success
  type: list
  elements: dict
  contains:
    group:
      description: The group.
      type: str
    topic:
      description: The topic in the active region.
      type: str
    partition:
      description: The partition.
      type: int
    first:
      description: The first offset.
      type: int
    last:
      description: The last offset.
      type: int
    records:
      description: How many of these records lie there.
      type: int
    cause:
      description: Why the group meets them again. V(position), because it went on in the active region before its last
        position in the region that was left. V(replay), because a salvage appended them to the topic again.
        V(side_topic), because a salvage wrote them to RV(ranges[].topic), so they are processed again by whoever reads
        it.
      type: str
    source_topic:
      description: The topic in the region that was left.
      type: str
    source_position:
      description: The group's last position there.
      type: int
    went_on:
      description: Where it went on in the active region, V(null) where that is not known.
      type: int
    clipped:
      description: Whether it had processed records there that the copy never got. V(null) for what a salvage wrote.
      type: bool
unknown:
  description: Positions of which nothing is known, with RV(ignore:group), RV(ignore:topic), RV(ignore:partition) and
    RV(ignore:reason).
  returned: success
  type: list
  elements: dict
records:
  description: How many records all ranges have.
  returned: success
  type: int
records_salvaged:
  description: How many of them a salvage wrote.
  returned: success
  type: int
groups:
  description: Groups with a range.
  returned: success
  type: list
  elements: str
files:
  description: Paths of what was written; empty in check mode.
  returned: success
  type: list
  elements: str
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENT_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.reprocessed import reprocessed


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            "report": {"type": "path", "required": True},
            "positions": {"type": "dict", "required": True},
            "directory": {"type": "path"},
            "groups": {"type": "list", "elements": "str", "default": []},
            "groups_regex": {"type": "str", "default": ".*"},
            "groups_exclude_regex": {"type": "str", "default": "console-consumer-.*,connect-.*,__.*"},
        },
        reprocessed,
        requires=("confluent_kafka", "pyarrow"),
    )


if __name__ == "__main__":
    main()
