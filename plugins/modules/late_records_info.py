#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Count records beyond given ends."""

from __future__ import annotations

DOCUMENTATION = r"""
module: late_records_info
short_description: Count the records that a source holds beyond what its mirror had copied
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Reads what lies beyond the offsets given. Data counts; the markers of transactions and aborted records, which also
    take offsets, do not.
  - A transaction that is still open may yet become data, so it is waited for too.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
  - streamsafe.kafka_dr.client.info_attributes
options:
  topics:
    description: Regular expression for whole names of the topics.
    type: str
    required: true
  through:
    description: By topic and partition, the offset after the last record that was copied. A partition that is not named
      counts from its beginning.
    type: dict
    required: true
  at_rest:
    description: By topic and partition, an end up to which everything was seen to be copied, the markers of
      transactions and aborted records included, which O(through) knows nothing of.
    type: dict
    default: {}
    version_added: "0.2.0"
  topic_ids:
    description: By topic, the id that it had while it was copied. A topic that has another one by now was made again,
      and counts from its beginning, however many records it holds. Topics that are not named are told apart by their
      offsets alone.
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Show that nothing was written after the mirror stopped
  streamsafe.kafka_dr.late_records_info:
    client: "{{ kafka_dr_client }}"
    client_secrets: "{{ kafka_dr_client_secrets }}"
    topics: orders\..*
    through: "{{ ledger_known.done.failover.ends.found.source }}"
  register: __late
  failed_when: not __late.ready
"""

RETURN = r"""
ready:
  description: Whether there is nothing.
  returned: always
  type: bool
late:
  description: Partitions with late records, with RV(ignore:topic), RV(ignore:partition), RV(ignore:begin) and
    RV(ignore:records).
  returned: always
  type: list
  elements: dict
begins:
  description: By topic and partition, the offset from which on records are late. As C(source) of a comparison's bounds
    it leaves them out. A topic that was made again, or that neither O(through) nor O(topic_ids) has, is not among them.
    A partition of a topic that they have was empty, or is new, where O(through) lacks it.
  returned: always
  type: dict
total:
  description: How many records those are.
  returned: always
  type: int
exact:
  description: Whether these are all. More may be there where a topic was made again, is hidden, or was deleted since
    the ends of O(at_rest), and where a partition is shorter, begins behind O(through) or has an open transaction, or so
    many offsets are late that not each was read.
  returned: always
  type: bool
undecided:
  description: Partitions with an open transaction.
  returned: always
  type: list
  elements: str
shorter:
  description:
    - Partitions that end before the offset up to which they were copied, with RV(ignore:topic), RV(ignore:partition),
      RV(ignore:through) and RV(ignore:end).
    - Such a topic was made again, so that every record of it may be late, or lost records.
  returned: always
  type: list
  elements: dict
made_again:
  description: Topics that have another id than in O(topic_ids).
  returned: always
  type: list
  elements: str
hidden:
  description: Topics named in O(through) or O(topic_ids) that the source hides, because the principal may not DESCRIBE
    them. A topic that was deleted is not among them.
  returned: always
  type: list
  elements: str
waiting_for:
  description: The same in words.
  returned: always
  type: str
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENT_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.late_records_info import late_records_info


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            "topics": {"type": "str", "required": True},
            "through": {"type": "dict", "required": True},
            "at_rest": {"type": "dict", "default": {}},
            "topic_ids": {"type": "dict", "default": {}},
        },
        late_records_info,
    )


if __name__ == "__main__":
    main()
