# SPDX-License-Identifier: GPL-3.0-or-later
"""What is told of connectors and tasks of a mirror, as Connect's status topic has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._values.redact import text as without_secrets


def task_name(task: Mapping[str, Any]) -> str:
    """The name of a task, or of the connector itself where ``task`` is None.

    :param task: ``connector`` and ``task``, among others.
    """
    return task["connector"] + ("" if task["task"] is None else f" task {task['task']}")


def first_line(trace: str | None, most: int) -> str:
    """What a task failed with: the first line of its trace without secrets, of at most so many characters."""
    return without_secrets((trace or "no trace").splitlines()[0])[:most]
