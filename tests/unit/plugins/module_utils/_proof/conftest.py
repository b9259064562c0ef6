# SPDX-License-Identifier: GPL-3.0-or-later
"""No test asserts a time: a busy machine is no failure."""

from __future__ import annotations

import pytest
from hypothesis import settings

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest import chunks
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import second_pass, sides
from tests.support.compared import NOW

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture
def short_chunks(monkeypatch):
    monkeypatch.setattr(chunks, "MASK", 0x3)
    monkeypatch.setattr(sides, "open_side", lambda spec: spec["side"])
    monkeypatch.setattr(second_pass, "now_ms", lambda: NOW)
