#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations

DOCUMENTATION = r"""
module: mirror_offsets_info
short_description: Tell how far a MirrorMaker 2 mirror has come
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Reads MirrorMaker 2's own topics on the target and says up to which offset each source partition was copied, when
    the last heartbeat came
    through, and how old the position witness's last round is.
  - Where the source is given, the lag is counted in records, since control records at the end of a partition are never
    copied.
  - Reads once. To wait for a condition, set one of the C(until_*) options and repeat the task until RV(ready);
    RV(waiting_for) says what was still missing.
  - A topic that does not exist counts as absent, which is no error.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client.info_attributes
  - streamsafe.kafka_dr.mirror_clients
options:
  topics:
    description: Regular expressions for the source's topics, separated by commas. Internal topics are always left out.
    type: str
    default: ".*"
  topics_exclude:
    description: Regular expressions for topics to leave out.
    type: str
    default: ""
  until_caught_up:
    description: Not ready before every matching partition of the source was copied to its last stable offset, which
      an open transaction holds back (see O(streamsafe.kafka_dr.cluster_info#module:until_settled)). Needs
      O(source_client). Not ready either while the source shows no matching topic, since a wrong pattern, or a principal
      without DESCRIBE, shows none.
    type: bool
    default: false
  allow_none:
    description: Whether O(until_caught_up) counts a source that shows no matching topic as copied.
    type: bool
    default: false
  max_lag:
    description: Records that may still be left for O(until_caught_up). Under live traffic some always are.
    type: int
    default: 0
  copying_since:
    description: When a copy that began from nothing was started, in seconds since the epoch; what is waited for then
      says the rate and the time left.
    type: float
  until_heartbeat:
    description: Not ready before a heartbeat no older than O(max_heartbeat_age) is seen on the target.
    type: bool
    default: false
  max_heartbeat_age:
    description: Seconds.
    type: int
    default: 30
  until_witness:
    description: Not ready before a round of the position witness no older than O(max_witness_age) is seen on the
      target.
    type: bool
    default: false
  max_witness_age:
    description: Seconds.
    type: int
    default: 15
  watch:
    description: Name of the mirror whose watch is to be read as well. What it keeps is read as a whole.
    type: str
  until_watch:
    description: Not ready before a round of the watch no older than O(max_watch_age) is seen on the target. Needs
      O(watch).
    type: bool
    default: false
  max_watch_age:
    description: Seconds.
    type: int
    default: 30
  details:
    description: Also return every offset sync and the last checkpoint of each group and partition.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Wait until the mirror has copied everything
  streamsafe.kafka_dr.mirror_offsets_info:
    source_client: "{{ hostvars['north_america'].kafka_dr_client }}"
    source_client_secrets: "{{ hostvars['north_america'].kafka_dr_client_secrets }}"
    target_client: "{{ hostvars['europe'].kafka_dr_client }}"
    target_client_secrets: "{{ hostvars['europe'].kafka_dr_client_secrets }}"
    source_alias: north_america
    target_alias: europe
    topics: orders.*
    until_caught_up: true
  register: mirror
  until: mirror.ready
  retries: 60
  delay: 2

- name: Ask what the lost region's mirror had copied
  streamsafe.kafka_dr.mirror_offsets_info:
    target_client: "{{ hostvars['europe'].kafka_dr_client }}"
    target_client_secrets: "{{ hostvars['europe'].kafka_dr_client_secrets }}"
    source_alias: north_america
    target_alias: europe
"""

RETURN = r"""
ready:
  description: Whether every condition asked for holds. True where none was asked for.
  type: bool
  returned: always
waiting_for:
  description: What was still missing; empty when ready.
  type: str
  returned: always
  sample: "mirror a -> b to copy 120 more offsets of 1 partitions: orders-0 at 880 of 1000"
exists:
  description: Whether the offsets topic (RV(ignore:source_offsets)) and the witness's topic (RV(ignore:witness)) exist
    on the target.
  type: dict
  returned: always
exactly_once_seen:
  description: Whether the offsets topic is seen to be written in transactions, so that what it says is atomic with the
    data.
  type: bool
  returned: always
conflicts:
  description: Keys with rows in more than one partition of the offsets topic; an old row could win after a restart.
  type: list
  elements: dict
  returned: always
partitions:
  description: A row for each matching source partition.
  type: list
  elements: dict
  returned: always
  contains:
    topic:
      description: The source's name.
      type: str
    partition:
      description: The partition.
      type: int
    target_topic:
      description: The target's name.
      type: str
    mirrored_through:
      description: Offset after the last record copied, null where nothing was.
      type: int
    source_start:
      description: The source's log start, null without a source.
      type: int
    source_end:
      description: The source's last stable offset, null without a source.
      type: int
    lag:
      description: Records still to be copied, or offsets where more than 2000 are left; null without a source.
      type: int
    caught_up:
      description: Whether nothing that is committed is left to copy; null without a source.
      type: bool
    stale:
      description: Whether the mirror's offset lies beyond the source's end, as after the topic was re-created; then
        nothing is copied.
      type: bool
hidden:
  description: >-
    Topics that were copied and that the source's principal may not DESCRIBE, so that their lag is not known and nobody
    can tell whether they are still there. Empty without a source.
  type: list
  elements: str
  returned: always
failed_tasks:
  description: >-
    Connectors and tasks that failed and do not start again by themselves, with C(connector), C(task) (null for the
    connector itself) and C(reason), the first line of the trace and its last cause, or that alone. Null where their
    states cannot be read, or are not there.
  type: list
  elements: dict
  returned: always
lag:
  description: The sum of all rows' lag.
  type: int
  returned: always
heartbeat:
  description: The last heartbeats, null where there is none.
  type: dict
  returned: always
  contains:
    copied_at:
      description: When the last one came through the mirror, in seconds since the epoch.
      type: float
    emitted_at:
      description: When the mirror wrote the last one to the target itself, in seconds since the epoch.
      type: float
    age:
      description: Seconds since the later of the two.
      type: float
noted_at:
  {description: "When Connect noted last how far it copied, in seconds since the epoch.", type: float, returned: always}
witness:
  description: The position witness's last round.
  type: dict
  returned: always
  contains:
    exists:
      description: Whether its topic exists.
      type: bool
    other_mirror:
      {description: C(source->target) of another mirror whose witness wrote there; empty where none did., type: str}
    at:
      description: Seconds since the epoch, by the witness's clock.
      type: float
    age:
      description: Seconds since then.
      type: float
    groups:
      description: Groups whose positions it knows.
      type: int
    ends:
      description: The source's last stable offsets that it saw last, by topic and partition; null where it saw none.
      type: dict
    ends_at:
      description: When they moved last, in seconds since the epoch.
      type: float
    made_again:
      description: Topics of the source that it saw made again under their names.
      type: list
      elements: str
    begun_again:
      description:
        - Those of C(made_again) that the mirror was seen to copy from their first records on.
        - Of the others, C(mirrored_through) may be an offset of the former topic.
      type: list
      elements: str
    cluster_id:
      description: The id of the cluster that it watches; empty where it is not known.
      type: str
watch:
  description: >-
    What the watch of the mirror says, null where O(watch) is not given, no round has ended, or RV(watch_unreadable)
    says why nothing can be believed. C(at) (milliseconds),
    C(age_seconds), C(proven_through) (by topic and partition, the source's offset and the target's),
    C(unproven_records) and C(unproven_seconds), C(differences[]) that nobody accepted, C(stopped[]) partitions, and
    C(topics_not_watched[]), each with the reason.
  type: dict
  returned: always
watch_unreadable:
  description: Why what the watch keeps cannot be read, such as a record that somebody else wrote there; null where it
    can. The rest of the result does not depend on it.
  type: str
  returned: always
offset_syncs:
  description: Every offset sync in log order (topic, partition, upstream, downstream, at). Null where the topic does
    not exist.
  type: list
  elements: dict
  returned: with O(details=true)
checkpoints:
  description: The last checkpoint of each group, topic and partition. Null where the topic does not exist.
  type: list
  elements: dict
  returned: with O(details=true)
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import MIRROR_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_offsets_info import mirror_offsets_info


def main() -> None:
    run_module(
        {
            **MIRROR_SPEC,
            "topics": {"type": "str", "default": ".*"},
            "topics_exclude": {"type": "str", "default": ""},
            "until_caught_up": {"type": "bool", "default": False},
            "allow_none": {"type": "bool", "default": False},
            "max_lag": {"type": "int", "default": 0},
            "copying_since": {"type": "float"},
            "until_heartbeat": {"type": "bool", "default": False},
            "max_heartbeat_age": {"type": "int", "default": 30},
            "until_witness": {"type": "bool", "default": False},
            "max_witness_age": {"type": "int", "default": 15},
            "watch": {"type": "str"},
            "until_watch": {"type": "bool", "default": False},
            "max_watch_age": {"type": "int", "default": 30},
            "details": {"type": "bool", "default": False},
        },
        mirror_offsets_info,
    )


if __name__ == "__main__":
    main()
