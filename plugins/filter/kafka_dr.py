# SPDX-License-Identifier: GPL-3.0-or-later
"""All filters in one file, since Ansible looks through every file of this directory wherever a text names one."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils import filters

SUBJECTS = [import_module(found.name) for found in pkgutil.iter_modules(filters.__path__, filters.__name__ + ".")]


class FilterModule:
    """Ansible's entry."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        return {name: function for subject in SUBJECTS for name, function in subject.FILTERS.items()}
