# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions as filters: what is raised on purpose becomes an error of the task, not of the plugin."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleFilterError

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError


def as_filter(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a filter: a :class:`KafkaDrError` becomes an AnsibleFilterError with the same sentence."""

    @functools.wraps(function)
    def call(*words: Any, **named: Any) -> Any:
        try:
            return function(*words, **named)
        except KafkaDrError as error:
            raise AnsibleFilterError(str(error)) from error

    return call
