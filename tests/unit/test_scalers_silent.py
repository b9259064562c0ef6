# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster that shows the mirror, and hangs where it is asked what scales it, is one that does not answer."""

from __future__ import annotations

import pytest

from tests.support.api_servers import answering, discovery
from tests.support.local_play import REGION, play_locally

pytestmark = pytest.mark.slow
KEDA, APPS = "keda.sh/v1alpha1", "apps/v1"
MIRROR = {"name": "there", "source": "na", "target": "eu", "topics": [".*"]}
DEPLOYMENT = {
    "apiVersion": APPS,
    "kind": "Deployment",
    "metadata": {"name": "mirror-there", "namespace": "mirrors"},
    "spec": {"replicas": 1},
}


APIS = discovery(APPS, Deployment="deployments")
ANSWERS = {
    **APIS,
    # The kinds of the scaler's group are asked for, and nobody answers.
    "/apis": {**APIS["/apis"], "groups": [*APIS["/apis"]["groups"], *discovery(KEDA)["/apis"]["groups"]]},
    f"/apis/{APPS}/namespaces/mirrors/deployments/mirror-there": DEPLOYMENT,
}


@pytest.mark.parametrize(
    ("accept", "elsewhere", "told"),
    [
        (True, "", "WENT ON, unreadable: Task failed: Timed out"),
        (False, "", "Mirror there cannot be read in the Kubernetes cluster: Task failed: Timed out"),
        (False, "accepted", "WENT ON, unreadable: none"),
    ],
)
def test_it_is_left_to_the_fence_where_that_is_accepted(tmp_path, accept, elsewhere, told):
    mirror = {**MIRROR, **({"managed_elsewhere": elsewhere} if elsewhere else {})}
    role = {"name": "streamsafe.kafka_dr.mirror", "tasks_from": "show_lasting.yml"}
    given = {"mirror_described": mirror, "mirror_accept_silent": accept}
    tasks = [
        {"ansible.builtin.include_role": role, "vars": given},
        {"ansible.builtin.debug": {"msg": "WENT ON, unreadable: {{ mirror_unreadable or 'none' }}"}},
    ]
    with answering(ANSWERS, hangs="keda.sh") as host:
        place = {"host": host, "api_key": "x", "namespace": "mirrors", "image": "lab"}
        eu = {**REGION, "kafka_dr_mirror_platform": "deployment", "kafka_dr_mirror_deployment": place}
        hosts = {"na": REGION, "eu": eu}
        words = ("-e", "__mirror_scalers_seconds=6")
        done = play_locally(tmp_path, tasks, *words, hosts=hosts, everywhere={"kafka_dr_mirrors": [mirror]})
    seen = " ".join((done.stdout + done.stderr).split())
    assert told in seen and (done.returncode == 0) == told.startswith("WENT ON"), seen[-3000:]
