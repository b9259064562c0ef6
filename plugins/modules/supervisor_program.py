#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Keep a program by supervisord."""

from __future__ import annotations

DOCUMENTATION = r"""
module: supervisor_program
short_description: Keep a program running or stopped by supervisord
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Describes a program to supervisord, starts or stops it, and waits until it is so.
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
  name:
    description: Name of the program.
    type: str
    required: true
  program:
    description:
      - Its description, in the keys of supervisord's C([program]) section; C(environment) as a dictionary.
      - Not needed to stop or start a known program.
    type: dict
    default: {}
  state:
    description: What it is to be.
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
    description: Shows the status before and after, never the description, which may hold secrets.
    support: partial
    details: Only the status is shown.
"""

EXAMPLES = r"""
- name: Keep the mirror running
  streamsafe.kafka_dr.supervisor_program:
    socket: /run/supervisor.sock
    directory: /etc/supervisor/conf.d
    name: mirror
    program:
      command: /opt/kafka/bin/connect-mirror-maker.sh /etc/mirror/mm2.properties
"""

RETURN = r"""
status:
  description: What supervisord says of the program, or V(ABSENT).
  returned: always
  type: str
pid:
  description: Its process id, 0 when it does not run.
  returned: always
  type: int
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._host.supervisor import ensure_program
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module


def main():
    """Ansible's entry."""
    run_module(
        {
            "socket": {"type": "path", "required": True},
            "directory": {"type": "path", "required": True},
            "name": {"type": "str", "required": True},
            "program": {"type": "dict", "default": {}},
            "state": {"type": "str", "choices": ["started", "stopped", "restarted", "absent"], "default": "started"},
            "timeout": {"type": "int", "default": 60},
        },
        ensure_program,
        requires=("supervisor",),
    )


if __name__ == "__main__":
    main()
