# SPDX-License-Identifier: GPL-3.0-or-later
"""What a proof says on the console beside its verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.local_play import play_locally

pytestmark = pytest.mark.slow
COMPARE = Path(__file__).resolve().parents[2] / "roles" / "proof" / "tasks" / "compare.yml"
TOTALS = {"records_source": 10, "records_target": 10}
PROVEN: dict[str, Any] = {"verdict": "PROVEN", "seconds": 1, "totals": TOTALS, "report": "/r", "lost": {}}


def told(directory: Path, watch: dict[str, Any]) -> str:
    blocks = [task["block"] for task in yaml.safe_load(COMPARE.read_text()) if "block" in task]
    (task,) = [task for block in blocks for task in block if task["name"] == "compare | Report the result"]
    facts = {"proof_result": {**PROVEN, "watch": watch}, "proof_target": "eu", "__proof_of": "na"}
    done = play_locally(directory, [{"name": "Know", "ansible.builtin.set_fact": facts}, task])
    assert done.returncode == 0, done.stdout + done.stderr
    return " ".join(done.stdout.split())


@pytest.mark.parametrize(("count", "said"), [(17_000, True), (0, False)])
def test_what_the_watch_had_not_read_is_said_not_to_be_compared(tmp_path, count, said):
    words = told(tmp_path, {"used": True, "proven_records": 5, "not_compared": count})
    assert "5 records had been proven by the watch" in words
    assert ("NOT COMPARED: 17,000 offsets that the mirror copied after the last round of the watch." in words) is said
    assert "NOT COMPARED" not in told(tmp_path, {"used": False})
