#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read how far a running proof is."""

from __future__ import annotations

DOCUMENTATION = r"""
module: proof_status_info
short_description: Read how far a running proof is
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Reads, once, the progress file that the Spark job of the role P(streamsafe.kafka_dr.proof#role) keeps. To be polled
    under C(until).
  - A job that is gone without having said how it ended counts as finished with the exit code 2, could not tell.
attributes:
  check_mode:
    description: Reads only, in check mode as well as without it.
    support: full
  diff_mode:
    description: Changes nothing, so there is no difference to show.
    support: N/A
options:
  progress:
    description: The file given to the job as C(--progress).
    type: path
    required: true
  job:
    description: Ansible's own file of the asynchronous job (C(results_file)), by which a job that ends before it writes
      its progress is noticed.
    type: path
"""

EXAMPLES = r"""
- name: Wait for the proof
  streamsafe.kafka_dr.proof_status_info:
    progress: /var/lib/kafka-dr/proof/progress.json
  register: __status
  until: __status is failed or __status.finished
  retries: 3600
  delay: 1
"""

RETURN = r"""
finished:
  description: Whether the job has ended.
  returned: always
  type: bool
exit_code:
  description: How it ended; 0 proven, 1 shown to be different, 2 could not tell.
  returned: when finished
  type: int
waiting_for:
  description: How far it is, for people.
  returned: always
  type: str
  sample: "proof: 120,000 of 336,776 records, 36 %, 12 s left"
figures:
  description: The content of the file.
  returned: always
  type: dict
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.proof_status_info import proof_status_info


def main() -> None:
    """Ansible's entry."""
    run_module(
        {"progress": {"type": "path", "required": True}, "job": {"type": "path"}}, proof_status_info, requires=()
    )


if __name__ == "__main__":
    main()
