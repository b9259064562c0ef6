# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m kafka_dr_lab.kubernetes.operator KUBECONFIG DIRECTORY``: run until SIGTERM, then end every process that
it started.
"""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path

from kafka_dr_lab.playbook import collections_path

sys.path.insert(0, str(collections_path()))

from kafka_dr_lab.kubernetes.operator.loop import Operator

ended = threading.Event()
signal.signal(signal.SIGTERM, lambda *dummy: ended.set())
signal.signal(signal.SIGINT, lambda *dummy: ended.set())
operator = Operator(sys.argv[1], Path(sys.argv[2])).start()
ended.wait()
operator.stop()
