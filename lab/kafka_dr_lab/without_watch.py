# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the proof of an unplanned failover takes without a watch: the same copy, proven by a manifest alone."""

from __future__ import annotations

import re
import time

from .checks import proof_seconds
from .drill import TARGET, Drill

STEP = "Prove that the copy is complete"


def prove_without_watch(drill: Drill, manifest: str, topics: str) -> None:
    """Prove up to the same ends once more, and keep the seconds as ``proof_seconds_without_watch``.

    It comes after the failover, so that no application waits for it.

    :param manifest: directory of a manifest of all that the watch stood for, saved before the loss.
    :param topics: regular expression for whole names.
    :raises LabError: the copy is not proven.
    """
    names, began = re.compile(topics), time.time()
    ends = {
        bound: {topic: partitions for topic, partitions in found.items() if names.fullmatch(topic)}
        for bound, found in (
            ("target", drill.ends["target"]),
            ("mirrored_through", drill.ends.get("certain") or drill.ends["source"]),
        )
    }
    drill.say("Proving the same copy once more by a manifest alone, as a failover without a watch does")
    drill.stage("verify_restore", proof_manifest=manifest, proof_target=TARGET, proof_topics=topics, proof_bounds=ends)
    drill.report.data["proof_seconds_without_watch"] = proof_seconds(drill.lab.playbooks.steps(), began, STEP)
