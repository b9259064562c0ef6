# SPDX-License-Identifier: GPL-3.0-or-later
"""A region on Kubernetes whose inventory has no application's user: there is nothing to declare in it."""

from __future__ import annotations

from tests.support.local_play import play_locally


def test_a_region_without_such_users_stops_no_move(tmp_path):
    """Their KafkaUsers may come from elsewhere. After the target is named, no way would lead on."""
    place = {"namespace": "kafka", "cluster": "main", "host": "https://127.0.0.1:9", "api_key": "key"}
    region = {
        "kafka_dr_platform": "kubernetes",
        "kafka_dr_kubernetes": place,
        "kafka_dr_users": [{"name": "kdr-stages", "purpose": "stages"}],
        "ansible_connection": "local",
    }
    admit = {
        "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.credentials", "tasks_from": "admit.yml"},
        "vars": {"credentials_region": "eu", "credentials_given_back": []},
    }
    done = play_locally(tmp_path, [admit], hosts={"eu": region})
    assert done.returncode == 0, done.stdout + done.stderr
