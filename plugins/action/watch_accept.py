# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""``watch_accept`` in the controller's process: loaded with the module before Ansible forks."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.modules import watch_accept
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.in_process import ActionModule

__all__ = ["ActionModule", "watch_accept"]
