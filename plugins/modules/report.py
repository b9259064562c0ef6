#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Write a report that people and CI systems can read."""

from __future__ import annotations

DOCUMENTATION = r"""
module: report
short_description: Write a page and JUnit XML of a drill, a stage, a proof or a standing proof
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Writes C(report.html), one page that needs no network, and C(junit.xml); for a stage and a standing proof
    C(report.json) too.
  - Nothing is asked of Kafka. A stage is told from the ledger, as M(streamsafe.kafka_dr.ledger_info) returns it, and a
    standing proof as M(streamsafe.kafka_dr.watch_info) does.
  - Values that look like secrets are hidden.
attributes:
  check_mode:
    description: Can run in check mode and says what it would do without doing it.
    support: full
  diff_mode:
    description: Returns details on what has changed, or would change, in diff mode.
    support: none
options:
  src:
    description: The C(report.json) of a drill or of a proof.
    type: path
  entries:
    description: The ledger's entries, for a stage.
    type: list
    elements: dict
  stage:
    description: The stage to tell of, with O(entries). The last one that was begun if left out.
    type: str
    default: ""
  run:
    description: The run of that stage, with O(entries). Its last if left out.
    type: str
    default: ""
  failed:
    description:
      - Whether the stage is known to have failed, as in a controller's workflow, with O(stage).
      - Where the ledger's last run of it ended well, or there is none, the page says that the stage never began.
    type: bool
    default: false
  watch:
    description: What M(streamsafe.kafka_dr.watch_info) returned, for a standing proof.
    type: dict
  mirror:
    description: The mirror that this watch watches, with O(watch).
    type: str
  max_watch_age:
    description: Seconds that the last round may be old, with O(watch).
    type: int
    default: 60
  max_unproven_age:
    description: Seconds that a record may stay without being proven, with O(watch).
    type: int
    default: 300
  dest:
    description: Directory of the files. It is made where it is not there.
    type: path
    required: true
"""

EXAMPLES = r"""
- name: Make a page of a proof
  streamsafe.kafka_dr.report:
    src: /var/lib/kafka-dr/proof/20261121T182330700106-compare/report.json
    dest: /var/www/kafka-dr/proof

- name: Read the ledger
  streamsafe.kafka_dr.ledger_info:
    client: "{{ kafka_dr_client }}"
    client_secrets: "{{ kafka_dr_client_secrets }}"
    last: 1000
  register: __ledger

- name: Make a page of the last failover
  streamsafe.kafka_dr.report:
    entries: "{{ __ledger.entries }}"
    stage: failover
    dest: /var/www/kafka-dr/failover

- name: Make a page of the standing proof
  streamsafe.kafka_dr.report:
    watch: "{{ __watch }}"
    mirror: north_to_europe
    dest: /var/www/kafka-dr/standing
"""

RETURN = r"""
path:
  description: The page.
  returned: always
  type: str
files:
  description: Names of the files that were written, or in check mode would be.
  returned: always
  type: list
  elements: str
kind:
  description: What the report is of, V(drill), V(stage), V(watch) or V(proof).
  returned: always
  type: str
verdict:
  description: The report's verdict. Of a stage V(done), V(refused), V(unfinished) or V(never_began); of a standing
    proof V(proven), V(partly_proven) or V(not_proven).
  returned: always
  type: str
"""


from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.report import report


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            "src": {"type": "path"},
            "entries": {"type": "list", "elements": "dict"},
            "stage": {"type": "str", "default": ""},
            "run": {"type": "str", "default": ""},
            "failed": {"type": "bool", "default": False},
            "watch": {"type": "dict"},
            "mirror": {"type": "str"},
            "max_watch_age": {"type": "int", "default": 60},
            "max_unproven_age": {"type": "int", "default": 300},
            "dest": {"type": "path", "required": True},
        },
        report,
        requires=("jinja2",),
        mutually_exclusive=[("src", "entries", "watch")],
        required_one_of=[("src", "entries", "watch")],
        required_together=[("watch", "mirror")],
    )


if __name__ == "__main__":
    main()
