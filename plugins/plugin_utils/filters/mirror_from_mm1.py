# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter from the old MirrorMaker's files to a mirror description."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.mirror_maker_1 import from_mirror_maker_1
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter

FILTERS: dict[str, Callable[..., Any]] = {"mirror_from_mm1": as_filter(from_mirror_maker_1)}
