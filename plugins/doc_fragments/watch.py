# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Options that name a watch."""

from __future__ import annotations


class ModuleDocFragment:
    """The mirror that is watched, and where the watch keeps its state."""

    DOCUMENTATION = r"""
options:
  mirror:
    description: The mirror's name, as the watch was given it.
    type: str
    required: true
  state_topic:
    description: Topic of the state.
    type: str
    default: __kafka_dr_windows
"""
