# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of connectors and tasks of a mirror, as Connect's status topic has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def task_name(task: Mapping[str, Any]) -> str:
    """The name of a task, or of the connector itself where ``task`` is None.

    :param task: ``connector`` and ``task``, among others.
    """
    return task["connector"] + ("" if task["task"] is None else f" task {task['task']}")
