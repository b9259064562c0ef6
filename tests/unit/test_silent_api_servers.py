# SPDX-License-Identifier: GPL-3.0-or-later
"""An API server that does not answer holds no stage up: what asks it ends, and says that it is out of reach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.strimzi_client_info import strimzi_client_info
from tests.support.api_servers import saying, silent
from tests.support.local_play import REGION, play_locally

ROLES = Path(__file__).resolve().parents[2] / "roles"
# All that ask kubernetes.core, or have it write.
ASKED = sorted(
    path for path in ROLES.rglob("tasks/**/*.yml") if re.search(r"^ +kubernetes\.core\.", path.read_text(), re.M)
)


def client_of(host: str, **more: Any) -> dict[str, Any]:
    connection = {"host": host, "validate_certs": False, "api_key": "x"}
    place = {"namespace": "kafka", "cluster": "kafka", "group": "kafka.strimzi.io", "listener": None, "user": "stages"}
    return strimzi_client_info(
        {"connection": connection, "timeout": 3, "allow_unreachable": True, "users": [], **place, **more}, False
    )


def test_one_that_says_nothing_is_out_of_reach():
    with silent() as host:
        found = client_of(host)
        assert not found["reachable"] and found["client"] == {} and found["waiting_for"], found
        with pytest.raises(KafkaDrError):
            client_of(host, allow_unreachable=False)


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_what_stands_before_it_is_not_its_answer(status):
    with saying(status, b"<html>no upstream</html>") as host:
        assert not client_of(host)["reachable"]


def test_an_error_of_its_own_is_told():
    body = b'{"kind": "Status", "reason": "InternalError", "message": "etcd is corrupt"}'
    with saying(500, body) as host, pytest.raises(KafkaDrError, match="etcd is corrupt"):
        client_of(host)


def tasks_of(found: Any) -> Iterator[dict[str, Any]]:
    for task in found or []:
        yield task
        for part in ("block", "rescue", "always"):
            yield from tasks_of(task.get(part))


@pytest.mark.parametrize("file", ASKED, ids=lambda path: "-".join(path.with_suffix("").parts[-4:]))
def test_every_question_ends(file):
    asking = [
        task
        for task in tasks_of(yaml.safe_load(file.read_text()))
        if any(key.startswith("kubernetes.core.") for key in task)
    ]
    assert [task["name"] for task in asking if "timeout" not in task] == []


@pytest.mark.slow
def test_settings_that_nobody_tells_are_none(tmp_path):
    """The brokers are asked then what each principal may do."""
    with silent() as host:
        connection = {"host": host, "validate_certs": False, "api_key": "x"}
        place = {"connection": connection, "namespace": "kafka", "cluster": "kafka"}
        region = {**REGION, "kafka_dr_platform": "kubernetes", "kafka_dr_kubernetes": place}
        role = {"name": "streamsafe.kafka_dr.credentials", "tasks_from": "kubernetes/settings.yml", "public": True}
        told = {"ansible.builtin.debug": {"msg": "SETTINGS {{ __credentials_settings }}"}}
        tasks = [{"ansible.builtin.include_role": role, "vars": {"credentials_region": "na"}}, told]
        done = play_locally(tmp_path, tasks, hosts={"na": region})
    assert done.returncode == 0 and "SETTINGS {'given_back': {}}" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_nobody_can_accept_that_a_stage_writes_where_nobody_answers(tmp_path):
    with silent() as host:
        connection = {"host": host, "validate_certs": False, "api_key": "x"}
        place = {**connection, "namespace": "kafka", "cluster": "kafka"}
        region = {**REGION, "kafka_dr_platform": "kubernetes", "kafka_dr_kubernetes": place}
        role = {"name": "streamsafe.kafka_dr.preflight", "tasks_from": "access.yml", "public": True}
        asked = {"preflight_stage": "failover", "preflight_accept_access": True, "preflight_writes": ["na"]}
        gates = "{{ __preflight_access | streamsafe.kafka_dr.gate([], {}) }}"
        tasks = [{"ansible.builtin.include_role": role, "vars": asked}, {"ansible.builtin.debug": {"msg": gates}}]
        done = play_locally(tmp_path, tasks, hosts={"na": region})
    told = " ".join((done.stdout + done.stderr).split())
    assert '"refusals": [ "api_servers: A stage writes to Kubernetes through its API servers' in told, told
    assert '"overridden": []' in told and "override it" not in told
