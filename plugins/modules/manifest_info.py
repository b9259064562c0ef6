#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Look whether a manifest can be used."""

from __future__ import annotations

DOCUMENTATION = r"""
module: manifest_info
short_description: Look whether a manifest of a region's records can be used
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Opens a manifest that the role P(streamsafe.kafka_dr.proof#role) saved, and looks whether all its files are there.
  - A manifest that cannot be used is an answer, not a failure, so that a stage can refuse with it before anything is
    changed.
attributes:
  check_mode:
    description: Reads only, in check mode as well as without it.
    support: full
  diff_mode:
    description: Changes nothing, so there is no difference to show.
    support: N/A
options:
  manifest:
    description: Directory of the manifest, or a URI that C(pyarrow.fs) opens. Credentials of an object store come from
      the environment.
    type: path
    required: true
  digest:
    description: The digest that the ledger has of it; another manifest cannot be used.
    type: str
  topics:
    description: Names of topics that the manifest should cover.
    type: list
    elements: str
    default: []
  partitions:
    description: Partitions that the manifest should cover, as lists of their numbers by topic. Topics need not be among
      O(topics).
    type: dict
    default: {}
requirements:
  - numpy
  - pyarrow
"""

EXAMPLES = r"""
- name: Open it
  streamsafe.kafka_dr.manifest_info:
    manifest: s3://backup/north_america
    topics: [orders, payments]
  register: __manifest
"""

RETURN = r"""
readable:
  description: Whether it can be used.
  returned: always
  type: bool
reason:
  description: Why not; empty where it can.
  returned: always
  type: str
cluster_id:
  description: The id of the cluster that it was made of.
  returned: always
  type: str
saved_at:
  description: When it was saved last, in milliseconds.
  returned: when readable
  type: int
topics:
  description: Every topic with C(id), C(detail) and the number of C(partitions).
  returned: always
  type: dict
uncovered:
  description: Those of O(topics), and of the topics of O(partitions), that it does not cover, or not with each of these
    partitions.
  returned: always
  type: list
  elements: str
uncovered_partitions:
  description: Partitions that it does not cover, as lists of their numbers by topic, of topics that it covers in part.
  returned: always
  type: dict
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.manifest_info import manifest_info


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            "manifest": {"type": "path", "required": True},
            "digest": {"type": "str"},
            "topics": {"type": "list", "elements": "str", "default": []},
            "partitions": {"type": "dict", "default": {}},
        },
        manifest_info,
        requires=("numpy", "pyarrow"),
    )


if __name__ == "__main__":
    main()
