#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Keep programs by supervisord."""

from __future__ import annotations

DOCUMENTATION = r"""
module: supervisor_programs
short_description: Keep programs running or stopped by supervisord
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Describes programs to supervisord, starts or stops them all at the same time, and waits until it is so.
  - A stopped program stays stopped when supervisord is started again.
options:
  socket:
    description: Path of supervisord's Unix socket.
    type: path
    required: true
  directory:
    description: Directory of program descriptions that supervisord includes. Files are written with mode 0600.
    type: path
    required: true
  programs:
    description: The programs.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name of the program.
        type: str
        required: true
      command:
        description: Its command line. Not needed to stop or start a known program.
        type: str
      description:
        description: What people read about it in its file.
        type: str
      environment_file:
        description: File of C(KEY=VALUE) lines that the command gets as its environment.
        type: path
      directory:
        description: Directory that it runs in.
        type: path
      user:
        description: User that it runs as.
        type: str
      log:
        description: File for its output.
        type: path
      restart:
        description: Whether it is started again when it dies.
        type: bool
        default: true
      stop_seconds:
        description: Seconds it gets to end before it is killed.
        type: int
        default: 20
      optional:
        description: Whether a program that is not known counts as stopped. It is then missing in the answer.
        type: bool
        default: false
  state:
    description: What they are to be.
    type: str
    choices: [started, stopped, restarted, absent]
    default: started
  timeout:
    description: Seconds to wait for it.
    type: int
    default: 60
requirements:
  - supervisor >= 4.2
attributes:
  check_mode:
    description: Can run in check mode and return what would be changed without changing it.
    support: full
  diff_mode:
    description: Shows the states before and after, never the descriptions, which may hold secrets.
    support: partial
    details: Only the states are shown.
"""

EXAMPLES = r"""
- name: Keep the mirror running
  streamsafe.kafka_dr.supervisor_programs:
    socket: /run/supervisor.sock
    directory: /etc/supervisor/conf.d
    programs:
      - name: mirror
        command: /opt/kafka/bin/connect-mirror-maker.sh /etc/mirror/mm2.properties
"""

RETURN = r"""
programs:
  description: By name, C(changed), C(ran) (whether it ran before), C(status) (what supervisord says of it, or
    V(ABSENT)) and C(pid) (0 when it does not run).
  returned: always
  type: dict
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.supervisor_programs import supervisor_programs


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            "socket": {"type": "path", "required": True},
            "directory": {"type": "path", "required": True},
            "programs": {
                "type": "list",
                "elements": "dict",
                "required": True,
                "options": {
                    "name": {"type": "str", "required": True},
                    "command": {"type": "str"},
                    "description": {"type": "str"},
                    "environment_file": {"type": "path"},
                    "directory": {"type": "path"},
                    "user": {"type": "str"},
                    "log": {"type": "path"},
                    "restart": {"type": "bool", "default": True},
                    "stop_seconds": {"type": "int", "default": 20},
                    "optional": {"type": "bool", "default": False},
                },
            },
            "state": {"type": "str", "choices": ["started", "stopped", "restarted", "absent"], "default": "started"},
            "timeout": {"type": "int", "default": 60},
        },
        supervisor_programs,
        requires=("supervisor",),
    )


if __name__ == "__main__":
    main()
