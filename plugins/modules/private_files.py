#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Write small files that only their owner may read."""

from __future__ import annotations

DOCUMENTATION = r"""
module: private_files
short_description: Write many small files that only their owner may read
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Writes settings, certificates and keys of one service in one call. Files get mode 0600 and directories 0700, from
    their first moment on.
  - A file is replaced at once or not at all.
options:
  directories:
    description: Directories to make, with their parents.
    type: list
    elements: path
    default: []
  files:
    description: Files to write.
    type: list
    elements: dict
    default: []
    suboptions:
      path:
        description: Path of the file. Its directory must exist, or be one of O(directories).
        type: path
        required: true
      content:
        description: What it holds.
        type: str
        required: true
      encoding:
        description: How O(files[].content) says it. V(base64) is for what is not text.
        type: str
        choices: [text, base64]
        default: text
  absent:
    description: Files and directories to delete.
    type: list
    elements: path
    default: []
  marks:
    description:
      - Leave an empty file C(<path>.restart-due) beside each file before it changes. Who reads the file has not been
        started again since, also where the run that changed it was cut off. Delete it by O(absent) after the restart.
    type: bool
    default: false
  owner:
    description: User who owns them; the user who runs the module where it is not given.
    type: str
attributes:
  check_mode:
    description: Can run in check mode and return what would be changed without changing it.
    support: full
  diff_mode:
    description: Names the paths, never contents, which may be secrets.
    support: partial
    details: Only paths are shown.
"""

EXAMPLES = r"""
- name: Write the mirror's settings and secrets
  streamsafe.kafka_dr.private_files:
    directories: [/etc/mirror]
    files:
      - path: /etc/mirror/mm2.properties
        content: "{{ settings }}"
      - path: /etc/mirror/secrets.properties
        content: "{{ secrets }}"
  no_log: true
"""

RETURN = r"""
changed_paths:
  description: Paths that were made, written or deleted.
  returned: always
  type: list
  elements: str
restart_due:
  description: Paths of the marks that are there, from this call or an earlier one; empty without O(marks).
  returned: always
  type: list
  elements: str
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.private_files import private_files


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            "directories": {"type": "list", "elements": "path", "default": []},
            "files": {
                "type": "list",
                "elements": "dict",
                "default": [],
                "options": {
                    "path": {"type": "path", "required": True},
                    "content": {"type": "str", "required": True},
                    "encoding": {"type": "str", "choices": ["text", "base64"], "default": "text"},
                },
            },
            "absent": {"type": "list", "elements": "path", "default": []},
            "marks": {"type": "bool", "default": False},
            "owner": {"type": "str"},
        },
        private_files,
        requires=(),
    )


if __name__ == "__main__":
    main()
