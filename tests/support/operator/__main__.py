# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m tests.support.operator KUBECONFIG DIRECTORY``: run until SIGTERM, then end every process that was started."""

from __future__ import annotations

import signal
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
base = Path(tempfile.mkdtemp(prefix="kafka-dr-collections-"))
(base / "ansible_collections" / "streamsafe").mkdir(parents=True)
(base / "ansible_collections" / "streamsafe" / "kafka_dr").symlink_to(ROOT)
sys.path[:0] = [str(base), str(ROOT), str(ROOT / "lab")]

from tests.support.operator.loop import Operator  # noqa: E402

ended = threading.Event()
signal.signal(signal.SIGTERM, lambda *dummy: ended.set())
signal.signal(signal.SIGINT, lambda *dummy: ended.set())
operator = Operator(sys.argv[1], Path(sys.argv[2])).start()
ended.wait()
operator.stop()
