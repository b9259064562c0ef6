#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations

DOCUMENTATION = r"""
module: mirror_doctor_info
short_description: Examine a running MirrorMaker 2 mirror and name what is wrong with it
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Looks twice, some seconds apart, at both clusters of a mirror, reads its logs and its configuration, and names each
    fault with what was found,
    its cause and its remedy.
  - Finds a mirror that is down, stuck, slow or failed; topics left out, re-created, overtaken by retention or kept
    otherwise than their originals;
    consumers on the passive side that block their group's positions, positions that never arrive; and the causes behind
    errors in the logs.
  - Reads only. What it may not read becomes a finding, so that the rest is still examined.
extends_documentation_fragment:
  - streamsafe.kafka_dr.mirror_clients
  - streamsafe.kafka_dr.client.info_attributes
options:
  source_client:
    description:
      - The mirror's source, as librdkafka configuration keys without secrets.
      - Leave it out where the source is lost; the checks that compare both sides are then left out too.
    type: dict
  target_client:
    description:
      - The mirror's target, as librdkafka configuration keys without secrets.
      - Without it only O(logs), O(log_text) and O(configuration) are read.
    type: dict
    required: false
  source_alias:
    required: false
  target_alias:
    required: false
  status_topic:
    description:
      - Connect's topic of task states on the target.
      - Without it, that of MirrorMaker 2 in dedicated mode.
    type: str
  topics:
    description: Regular expressions for the topics that are to be mirrored, separated by commas.
    type: str
    default: ".*"
  topics_exclude:
    description: Regular expressions for topics that are not to be mirrored.
    type: str
    default: ""
  groups:
    description: Regular expressions for the consumer groups whose positions are to be brought over.
    type: str
    default: ".*"
  groups_exclude:
    description: Regular expressions for groups that are not. Without it, groups of tools and of Connect itself.
    type: list
    elements: str
    default: []
  known_topics:
    description: Topic ids by C(alias/topic), as RV(topics) of an earlier examination gave them. A topic with another id
      was made again since.
    type: dict
    default: {}
  max_lag:
    description: Records of a partition that a mirror which gets ahead may be behind.
    type: int
    default: 100000
  max_heartbeat_age:
    description: Seconds. V(0) for a mirror without heartbeats.
    type: int
    default: 60
  max_witness_age:
    description: Seconds that the last round of the position witness may be old. V(0) for a mirror without one.
    type: int
    default: 0
  watch:
    description: Name of the mirror whose watch is examined as well.
    type: str
  max_watch_age:
    description: Seconds that the last round of the watch may be old.
    type: int
    default: 60
  max_unproven_age:
    description: Seconds that a record may stay without being proven by the watch.
    type: int
    default: 300
  watch_seconds:
    description: Seconds between the two looks.
    type: int
    default: 5
  expect_exactly_once:
    description: Whether a mirror without transactions is a fault.
    type: bool
    default: true
  left_for:
    description:
      - The target, where its ledger says that the applications were moved there. Of a further copy, the region
        to which a failback moved its mirror. Empty otherwise.
      - The mirror is not examined then. What would be a fault of one that copies, such as consumers in the target, is
        as it should be.
    type: str
    default: ""
  left_epoch:
    description: The epoch that the ledger has with it.
    type: int
    default: 0
  logs:
    description: Log files of the mirror on the machine where this module runs. The last 4 MiB of each are read.
    type: list
    elements: path
    default: []
  silent_machines:
    description: Machines of the mirror that do not answer, each with the reason, as
      M(streamsafe.kafka_dr.machines_info) gives them. Each is a finding.
    type: dict
    default: {}
  unread_logs:
    description: Machines of the mirror that answer and whose log could not be read, each with the reason. Each is a
      finding.
    type: dict
    default: {}
  log_text:
    description: The text of a log that was read elsewhere. It is not printed; lines of it that become findings are,
      without what has the form of a secret.
    type: str
    default: ""
  configuration:
    description: The mirror's configuration, in any form that P(streamsafe.kafka_dr.mirror_lint#filter) takes. Its
      errors and warnings become findings.
    type: raw
  operator:
    description: What an operator says of the mirror, where one runs it.
    type: dict
    suboptions:
      waiting_for:
        description: What keeps it from running, as M(streamsafe.kafka_dr.strimzi_mirror_info) says under
          C(until=running).
        type: list
        elements: str
        default: []
      heartbeats:
        description: Whether its resource has a heartbeat connector. Those of C(v1) have none, and the operator's word
          stands for heartbeats.
        type: bool
        default: true
"""

EXAMPLES = r"""
- name: Examine the mirror
  streamsafe.kafka_dr.mirror_doctor_info:
    source_client: "{{ hostvars['north_america'].kafka_dr_client }}"
    source_client_secrets: "{{ hostvars['north_america'].kafka_dr_client_secrets }}"
    target_client: "{{ hostvars['europe'].kafka_dr_client }}"
    target_client_secrets: "{{ hostvars['europe'].kafka_dr_client_secrets }}"
    source_alias: north_america
    target_alias: europe
    configuration: "{{ kafka_dr_mirrors }}"
  register: __doctor

- name: Read a log alone
  streamsafe.kafka_dr.mirror_doctor_info:
    logs: [/var/log/mirror/mm2.log]
"""

RETURN = r"""
healthy:
  description: True where nothing worse than an info was found.
  returned: always
  type: bool
worst:
  description: The worst severity found, V(error), V(warning), V(info) or V(none).
  returned: always
  type: str
counts:
  description: How many findings there are of each severity.
  returned: always
  type: dict
findings:
  description: The faults, the worst first.
  returned: always
  type: list
  elements: dict
  contains:
    check:
      description: What kind of fault it is.
      type: str
    severity:
      description: V(error) where records or positions are or will be lost, V(warning) where they may be, V(info)
        otherwise.
      type: str
    object:
      description: The topics, groups, task, file or setting that it is about.
      type: str
    found:
      description: What was seen.
      type: str
    cause:
      description: What that means.
      type: str
    remedy:
      description: What to do.
      type: str
lag:
  description: Records not yet copied, or null where that could not be seen.
  returned: always
  type: int
partitions:
  description: Partitions of the source that are mirrored or have to be, as far as they were seen.
  returned: always
  type: int
witness_age:
  description: Seconds since the last round of the position witness, or null.
  returned: always
  type: float
heartbeat_age:
  description: Seconds since the last heartbeat, or null.
  returned: always
  type: float
exactly_once_seen:
  description: Whether the mirror writes in transactions, or null.
  returned: always
  type: bool
tasks:
  description: Connectors and tasks with their states.
  returned: always
  type: list
  elements: dict
topics:
  description: Topic ids by C(alias/topic), to be given as O(known_topics) the next time.
  returned: always
  type: dict
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import MIRROR_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_doctor_info import mirror_doctor_info


def main() -> None:
    spec = {
        key: {name: value for name, value in option.items() if name != "required"}
        for key, option in MIRROR_SPEC.items()
    }
    spec.update(
        {
            "status_topic": {"type": "str"},
            "topics": {"type": "str", "default": ".*"},
            "topics_exclude": {"type": "str", "default": ""},
            "groups": {"type": "str", "default": ".*"},
            "groups_exclude": {"type": "list", "elements": "str", "default": []},
            "known_topics": {"type": "dict", "default": {}},
            "max_lag": {"type": "int", "default": 100000},
            "max_heartbeat_age": {"type": "int", "default": 60},
            "max_witness_age": {"type": "int", "default": 0},
            "watch": {"type": "str"},
            "max_watch_age": {"type": "int", "default": 60},
            "max_unproven_age": {"type": "int", "default": 300},
            "watch_seconds": {"type": "int", "default": 5},
            "expect_exactly_once": {"type": "bool", "default": True},
            "left_for": {"type": "str", "default": ""},
            "left_epoch": {"type": "int", "default": 0},
            "logs": {"type": "list", "elements": "path", "default": []},
            "silent_machines": {"type": "dict", "default": {}},
            "unread_logs": {"type": "dict", "default": {}},
            "log_text": {"type": "str", "default": "", "no_log": True},
            "configuration": {"type": "raw"},
            "operator": {
                "type": "dict",
                "options": {
                    "waiting_for": {"type": "list", "elements": "str", "default": []},
                    "heartbeats": {"type": "bool", "default": True},
                },
            },
        }
    )
    run_module(spec, mirror_doctor_info, needs=(), required_by={"target_client": ["source_alias", "target_alias"]})


if __name__ == "__main__":
    main()
