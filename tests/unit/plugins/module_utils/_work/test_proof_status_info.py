# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress file: not there yet, running, finished, and a job that died without a word."""

from __future__ import annotations

import json
import os
import subprocess

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.proof_status_info import proof_status_info


def told(tmp_path, **figures):
    path = tmp_path / "p"
    path.write_text(json.dumps(figures))
    return proof_status_info({"progress": str(path)})


def test_not_there_yet(tmp_path):
    assert proof_status_info({"progress": str(tmp_path / "none")})["finished"] is False


def test_a_job_that_ended_before_it_wrote_is_not_waited_for(tmp_path):
    job = tmp_path / "job"
    for text, finished in (
        ('{"started": 1, "finished": 0}', False),
        ('{"started": 1, "fini', False),
        ('{"rc": 1, "finished": 1}', True),
    ):
        job.write_text(text)
        assert proof_status_info({"progress": str(tmp_path / "none"), "job": str(job)})["finished"] is finished
    assert (
        proof_status_info({"progress": str(tmp_path / "none"), "job": str(tmp_path / "nowhere")})["finished"] is False
    )


def test_running(tmp_path):
    found = told(tmp_path, pid=os.getpid(), text="proof: half")
    assert (found["finished"], found["waiting_for"]) == (False, "proof: half")


def test_finished(tmp_path):
    found = told(tmp_path, pid=os.getpid(), finished=True, exit_code=1)
    assert (found["finished"], found["exit_code"]) == (True, 1)


def test_died_without_a_word(tmp_path):
    process = subprocess.Popen(["true"])
    process.wait()
    found = told(tmp_path, pid=process.pid, text="proof: half")
    assert (found["finished"], found["exit_code"]) == (True, 2)
