#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read how far a mirror's copy is proven."""

from __future__ import annotations

DOCUMENTATION = r"""
module: watch_info
short_description: Read how far the standing proof of a mirror has come
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Reads the state that C(spark/main.py watch) keeps in the target region, to its end. A state that exists and cannot
    be read whole is an error, never an empty answer.
  - It needs the target region alone.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
  - streamsafe.kafka_dr.client.info_attributes
  - streamsafe.kafka_dr.watch
"""

EXAMPLES = r"""
- name: Read what is proven
  streamsafe.kafka_dr.watch_info:
    client: "{{ kafka_dr_client }}"
    client_secrets: "{{ kafka_dr_client_secrets }}"
    mirror: north_to_europe
  register: __watch
"""

RETURN = r"""
present:
  description: Whether a watch of this mirror ever ended a round.
  returned: always
  type: bool
source_cluster:
  description: The id of the source that it watches.
  returned: when present
  type: str
target_cluster:
  description: The id of the target that it watches.
  returned: when present
  type: str
topics:
  description: Topics that are watched, by their names in the source.
  returned: when present
  type: list
  elements: str
watch:
  description: What is proven, and what is not. Empty where there is no watch.
  returned: always
  type: dict
  contains:
    age_seconds:
      description: How long ago the last round ended, by the clock of the target's broker. Null where that lies ahead of
        this machine's clock.
      type: float
    proven_through:
      description: By topic and partition, the offsets of source and target up to which the copy is proven.
      type: dict
    unproven_records:
      description: Source records that were read, or skipped, and are not proven.
      type: int
    never_compared:
      description: Those of them that were in the source before the watch began, or skipped, and will not be compared.
      type: int
    undecided_records:
      description: Those of them, by offsets, that lie behind a transaction that is open in the source.
      type: int
    vanished_records:
      description: Proven records, by offsets, that the target deleted before they were seen to expire, and that the
        source may still hold.
      type: int
    ahead_seconds:
      description: How far ahead of this machine's clock the last round ended; 0 where it did not.
      type: float
    unproven_seconds:
      description: The age of the oldest of them, by its timestamp, but no less than since the watch has known of it,
        and no less than since the last round began, as what the source got since is not proven. Null where
        C(age_seconds) is.
      type: float
    scrubbed_at:
      description: When all that is proven had been read again, in milliseconds; null before that, and without
        C(kafka_dr_watch.scrub_days).
      type: int
    differences:
      description: Faults as a proof names them that nobody has accepted, by C(id), C(topic), C(partition), C(kind),
        C(source_offset), C(target_offset), C(timestamp), C(field), C(count) and C(found_at); C(text) has it in a line.
        M(streamsafe.kafka_dr.watch_accept) takes the C(id).
      type: list
    accepted:
      description: The faults that were accepted last, in the same keys, with C(accepted), who (C(by)) did it, why
        (C(reason)) and when (C(at), in milliseconds).
      type: list
    stopped:
      description: Partitions that are no longer watched, each with the C(reason).
      type: list
    topics_not_watched:
      description: Topics that the pattern matches, or matched, and that are not watched, each with the C(reason). What
        was proven of one that merely cannot be looked at now is in C(proven_through).
      type: list
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENT_SPEC, WATCH_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.watch_info import watch_info


def main() -> None:
    """Ansible's entry."""
    run_module({**CLIENT_SPEC, **WATCH_SPEC}, watch_info)


if __name__ == "__main__":
    main()
