# SPDX-License-Identifier: GPL-3.0-or-later
"""An observation of a mirror that is well."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._doctor.observe import Observation
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import MirrorNames
from tests.support.observed import result, sync, view


@pytest.fixture
def seen():
    made = Observation(MirrorNames("a", "b"))
    made.mirror = [result(), result()]
    made.source, made.target = view(), view()
    made.syncs, made.checkpoints, made.tasks = [sync()], [], []
    return made
