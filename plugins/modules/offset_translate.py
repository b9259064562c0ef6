#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Translate consumer groups' positions."""

from __future__ import annotations

DOCUMENTATION = r"""
module: offset_translate
short_description: Let consumer groups go on in a mirror's target where they stopped in its source
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Translates committed positions of consumer groups from a MirrorMaker 2 mirror's source to its target, each answer
    with the evidence that it rests on, and commits them. An answer is never above what is shown, so no record is
    skipped; where it cannot be exact, it says how many records may be processed again.
  - Evidence are the offset maps of a proof and of a watch, every pair in the offset-syncs topic, Connect's source
    offsets, and the records themselves, of the source or its manifest, which are compared with their copies.
  - Where the source is lost, leave out O(source_client). Positions are then those that the position witness saw last,
    or MirrorMaker 2's checkpoints where these are later.
  - Takes away positions that the mirror's group sync left on the target and that the source has none for, so that no
    consumer skips what its group was to process again.
  - Refuses groups with live members, or whose positions move on either side, and commits nothing for anybody then. Run
    it after the mirror was stopped, since its group sync may overwrite what is committed, and before producers write
    to the target.
  - In check mode, and as diff, shows the plan.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client.attributes
  - streamsafe.kafka_dr.mirror_clients
attributes:
  idempotent:
    description: A second run on the same state commits nothing.
    support: full
options:
  groups:
    description: Names of groups.
    type: list
    elements: str
    default: []
  groups_regex:
    description: Regular expressions for groups, separated by commas, each matching a whole name. Added to O(groups).
    type: str
    default: ""
  groups_exclude_regex:
    description: Regular expressions for groups that O(groups_regex) is not to take.
    type: str
    default: "console-consumer-.*,connect-.*,__.*"
  topics:
    description: Regular expressions for the source's topics. Internal topics are always left out.
    type: str
    default: ".*"
  proof_report:
    description: Path of a proof's C(report.json), for its offset map.
    type: path
  manifest_digest:
    description: The digest that the ledger has of the manifest; another manifest is refused.
    type: str
  manifest:
    description: Directory, or URI that C(pyarrow.fs) opens, of a manifest of the lost source, whose record digests
      stand for its records.
    type: path
  watch:
    description:
      - Mirror whose watch keeps an offset map in the target, which makes positions exact where it reaches. One that
        cannot be read is told in RV(summary), and changes nothing else.
    type: str
    version_added: "0.2.0"
  watch_source:
    description: Id of the cluster that the watch has to have read.
    type: str
    version_added: "0.2.0"
  target_ends:
    description:
      - >-
        Where the mirror's writing ended, as partitions and offsets by the topic's name on the target, e.g. C({"orders":
        {"0": 1200}}). What lies beyond is not taken for copies.
      - Without it, records behind the last offset sync are taken for copies only where the source is there to compare
        with, since they may be others'.
    type: dict
    default: {}
  accept:
    description:
      - Confidences beyond the exact ones that may be committed.
      - V(lower_bound) skips nothing and may repeat at most what the plan says; a group left without a position would
        start where its C(auto.offset.reset) says, which can skip everything, so it is accepted by default.
      - V(interpolated) rests on equal distances alone and can be wrong in both directions. V(unknown) leaves the group
        without a position there.
      - V(left_over) leaves positions of unknown origin on the target, of groups that are translated or that
        O(named_groups) names; see RV(left_over).
    type: list
    elements: str
    choices: [interpolated, left_over, lower_bound, unknown]
    default: [lower_bound]
  named_groups:
    description:
      - Groups that applications name. Those without an answer are among RV(others) whatever is known of them.
    type: list
    elements: str
    default: []
  groups_known:
    description: Groups that a first translation, to the source of this one, knew. Others that O(groups_regex) matches
      and O(named_groups) does not name are the source's own, and are left alone, whether they have live members or not;
      see RV(others). Without it, none is.
    type: list
    elements: str
    version_added: "0.2.0"
  switched_groups:
    description: Groups that this stage already switched, as the ledger says. They are left alone, and their members are
      no reason to refuse.
    type: list
    elements: str
    default: []
  on_live_members:
    description: Whether groups with live members or moving positions make the module V(fail), or are left alone
      (V(skip)) while the others are committed.
    type: str
    choices: [fail, skip]
    default: fail
  leave_seconds:
    description: Seconds to wait for members on the source, and for transactions that commit positions. Static
      members and applications of Kafka Streams leave when their session ends, by default in 45 s. Not in check mode.
    type: int
    default: 0
  still_seconds:
    description: Seconds for which positions on either side have to stand still before anything is committed. Consumers
      commit every 5 seconds by default.
    type: int
    default: 6
  scan_limit:
    description: Offsets of one partition's stretch beyond which its records are not read and compared; the answer is
      then a lower bound.
    type: int
    default: 1000000
"""

EXAMPLES = r"""
- name: Commit exact positions in a planned switch
  streamsafe.kafka_dr.offset_translate:
    source_client: "{{ hostvars['north_america'].kafka_dr_client }}"
    source_client_secrets: "{{ hostvars['north_america'].kafka_dr_client_secrets }}"
    target_client: "{{ hostvars['europe'].kafka_dr_client }}"
    target_client_secrets: "{{ hostvars['europe'].kafka_dr_client_secrets }}"
    source_alias: north_america
    target_alias: europe
    groups: [billing, shipping]

- name: Commit the last positions seen of a lost region
  streamsafe.kafka_dr.offset_translate:
    target_client: "{{ hostvars['europe'].kafka_dr_client }}"
    target_client_secrets: "{{ hostvars['europe'].kafka_dr_client_secrets }}"
    source_alias: north_america
    target_alias: europe
    groups_regex: ".*"
    manifest: /var/lib/kafka-dr/manifest
"""

RETURN = r"""
plan:
  description: A row for each group and partition.
  type: list
  elements: dict
  returned: always
  contains:
    group:
      description: The group.
      type: str
    topic:
      description: The source's topic.
      type: str
    target_topic:
      description: The target's topic.
      type: str
    partition:
      description: The partition.
      type: int
    source_offset:
      description: The position translated.
      type: int
    from:
      description: The position on the target before, null where there was none.
      type: int
    to:
      description: The translated position, null where it is unknown.
      type: int
    confidence:
      description: >-
        V(exact_verified) by comparing records, V(exact_counted) where counting leaves one answer, V(exact_at_end),
        V(interpolated), V(lower_bound), V(unknown).
      type: str
    reprocess_at_most:
      description: Records before the position that may be processed again. See RV(ignore:unseen_at_most) besides.
      type: int
    unseen_at_most:
      description:
        - Records that may have been processed after the position was seen last, and are found again, where the source
          is lost. Offsets count as records.
      type: int
    evidence:
      description: Why.
      type: str
    metadata:
      description: Whether the position carries metadata, which is committed with it. Its content is not shown.
      type: bool
    position_from:
      description: Who said the position, V(source), V(witness) or V(checkpoint).
      type: str
    position_at:
      description: When it last held, in seconds since the epoch; null where the source said it now.
      type: float
left_over:
  description: Positions on the target, in copies of the mirror's topics, that the source has none for, by
    RV(ignore:group), RV(ignore:topic) of the source, RV(ignore:target_topic), RV(ignore:partition), RV(ignore:offset)
    and RV(ignore:reason). RV(ignore:state) is V(planned) where it is to be taken away and V(removed) where it was.
    V(doubtful), where nothing shows that the mirror brought it, and V(kept), where it is the group's own, stay.
  type: list
  elements: dict
  returned: always
groups:
  description: For each group RV(ignore:state) (V(planned), V(committed), V(left), V(refused)), partitions, worst
    confidence and what may be repeated.
  type: list
  elements: dict
  returned: always
refused:
  description: What may not be committed, by RV(ignore:group), RV(ignore:kind) (V(members), V(moving), V(confidence),
    V(left_over), V(commit)) and RV(ignore:reason).
  type: list
  elements: dict
  returned: always
others:
  description:
    - Groups whose positions are not brought over, with what becomes of them and what can be done. Share groups and
      groups of the streams protocol, which MirrorMaker 2 does not list; groups that are left out and have a position in
      a topic of the mirror, sinks of Kafka Connect among them; groups that O(named_groups) names and that have no
      position; groups of RV(left_over).
    - By RV(ignore:group), RV(ignore:kind), RV(ignore:named) (whether O(named_groups) names it), RV(ignore:why) it has
      no answer and RV(ignore:remedy). The kind is V(consumer), V(classic), V(share), V(streams), V(other) where it is
      one of the last two and nobody knows which, or V(unknown).
    - Where the source is lost, they are those that the position witness listed last. V(*) stands for share groups and
      groups of the streams protocol that could not be listed, and for whoever records concern that cannot be read.
  returned: success
  type: list
  elements: dict
absent:
  description: Groups named in O(groups) that have no position.
  type: list
  elements: str
  returned: always
positions:
  description: Where the groups go on, by group, topic of the target and partition; positions that are unknown are left
    out.
  type: dict
  returned: success
committed:
  description: Groups whose positions were committed and read back.
  type: int
  returned: always
summary:
  description: Counts of groups, partitions and confidences, what may be repeated, how old the positions are, how long
    it took, and the records of others among the checkpoints and offset syncs, which were passed over.
  type: dict
  returned: always
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import ACCEPTABLE, MIRROR_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.offset_translate import offset_translate


def main() -> None:
    run_module(
        {
            **MIRROR_SPEC,
            "groups": {"type": "list", "elements": "str", "default": []},
            "groups_regex": {"type": "str", "default": ""},
            "groups_exclude_regex": {"type": "str", "default": "console-consumer-.*,connect-.*,__.*"},
            "topics": {"type": "str", "default": ".*"},
            "proof_report": {"type": "path"},
            "manifest": {"type": "path"},
            "manifest_digest": {"type": "str"},
            "watch": {"type": "str"},
            "watch_source": {"type": "str"},
            "target_ends": {"type": "dict", "default": {}},
            "accept": {"type": "list", "elements": "str", "choices": ACCEPTABLE, "default": ["lower_bound"]},
            "named_groups": {"type": "list", "elements": "str", "default": []},
            "groups_known": {"type": "list", "elements": "str"},
            "switched_groups": {"type": "list", "elements": "str", "default": []},
            "on_live_members": {"type": "str", "choices": ["fail", "skip"], "default": "fail"},
            "leave_seconds": {"type": "int", "default": 0},
            "still_seconds": {"type": "int", "default": 6},
            "scan_limit": {"type": "int", "default": 1000000},
        },
        offset_translate,
        requires=("confluent_kafka", "numpy", "xxhash"),
        required_one_of=[("groups", "groups_regex")],
    )


if __name__ == "__main__":
    main()
