# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that only read act as the reader on Kubernetes too: their account reads its Secret and no other, and its
KafkaUser may change nothing.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import AuthorizationError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import KubernetesClient, object_path
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.rbac import reader_roles
from kafka_dr_lab.kubernetes.operator.loop import Operator
from tests.kubernetes.playing import Regions, stage
from tests.kubernetes.test_roles import ends, produce

pytestmark = [pytest.mark.kubernetes, pytest.mark.full]

BOTH = ("north_america", "europe")
READ = {"preflight_regions": list(BOTH), "preflight_acts_as": "reader"}
LEARN = {
    "name": "Learn",
    "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.preflight", "tasks_from": "regions.yml"},
    "vars": READ,
}
CREATE = {
    "name": "Create both clusters",
    "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.kafka", "tasks_from": "create.yml"},
    "loop": list(BOTH),
    "loop_control": {"loop_var": "kafka_region"},
}
WHO = {
    "name": "Say who",
    "ansible.builtin.debug": {
        "msg": "{{ item }} acts as {{ hostvars[item].kafka_dr_client['sasl.username'] }}, "
        "knows {{ hostvars[item].kafka_dr_users | selectattr('password', 'defined') "
        "| map(attribute='name') | sort | join(' ') }}."
    },
    "loop": list(BOTH),
}


@pytest.fixture(scope="module")
def regions(new, tmp_path_factory):
    """A mirror set up by the stages, what its source is made again from kept, and from then on the rights of a reader
    alone.
    """
    if new.plane is None:
        pytest.skip("needs the stand-in operator")
    directory = tmp_path_factory.mktemp("reader")
    operator = Operator(new.kubeconfig, directory / "operator").start()
    made = described(new, directory)
    made.play([CREATE])
    made.before = made.play([LEARN], fails=True, learns=False).output
    # A region that may be lost, as every one of the doctor's, is not taken for a lost one.
    made.lost = made.play([stage("doctor")], fails=True, learns=False).output
    made.play(
        [
            stage(
                "initial_setup",
                initial_setup_source="north_america",
                initial_setup_target="europe",
                initial_setup_backup=True,
            )
        ]
    )
    assert produce(made.kafka("north_america", "shop-producer"), 20) == []
    new.until(lambda: sum(ends(made.kafka("europe")).values()) >= 20, "the records to be copied", 90)
    limit_to_reader(made, new, directory)
    yield made
    operator.stop()


def described(new, directory):
    """Two regions with a reader, and a place to keep what the source is made again from."""
    made = Regions({name: new for name in BOTH}, directory)
    made.kept = new.namespace("kept")
    for name in BOTH:
        made.hosts[name]["kafka_dr_users"].append({"name": "kdr-reader", "purpose": "reader"})
        made.hosts[name].pop("kafka_dr_applications", None)
    backup = {"kubeconfig": new.kubeconfig, "namespace": made.kept}
    made.hosts["north_america"]["kafka_dr_kubernetes"]["backup"] = backup
    return made


def limit_to_reader(made, new, directory):
    """Connect to every place as an account that has the rights of a reader, and no other."""
    rules = {one["metadata"]["namespace"]: one["rules"] for one in reader_roles(made.hosts, [made.mirror])}
    for name in BOTH:
        place = made.hosts[name]["kafka_dr_kubernetes"]
        place.update(new.identity(directory, {place["namespace"]: rules[place["namespace"]]}))
    backup = made.hosts["north_america"]["kafka_dr_kubernetes"]["backup"]
    backup.update(new.identity(directory, {made.kept: rules[made.kept]}))


def test_a_reader_that_is_missing_is_named_and_nobody_acts_as_the_stages_instead(regions):
    for said in regions.before, regions.lost:
        told = " ".join(said.split())
        assert (
            "user of the purpose reader in kafka_dr_users, which initial_setup creates" in told
            and "The Secret of user 'kdr-reader'" in told
        ), told[-3000:]


def test_its_account_reads_no_secret_but_its_own(regions):
    place = regions.hosts["europe"]["kafka_dr_kubernetes"]
    client = KubernetesClient({"kubeconfig": place["kubeconfig"]})
    for name in ("kdr-reader", "kdr-proof"):
        assert client.get(object_path("v1", "secrets", place["namespace"], name))["data"]["password"]
    for name in (
        "kdr-stages",
        "kdr-mirror",
        "kdr-witness",
        "shop-producer",
        "main-cluster-ca",
        "north-america-kdr-mirror",
    ):
        with pytest.raises(AuthorizationError):
            client.get(object_path("v1", "secrets", place["namespace"], name))
    backup = KubernetesClient(
        {"kubeconfig": regions.hosts["north_america"]["kafka_dr_kubernetes"]["backup"]["kubeconfig"]}
    )
    with pytest.raises(AuthorizationError):
        backup.get(object_path("v1", "secrets", regions.kept, "north-america-main-cluster-ca"))


def test_jobs_that_only_read_act_as_the_reader(regions):
    said = regions.play([LEARN, WHO], learns=False).output
    for name in BOTH:
        assert f"{name} acts as kdr-reader, knows kdr-proof kdr-reader." in said, said[-3000:]
    examined = regions.play([stage("doctor", doctor_fail_on="never", doctor_watch_seconds=0)], learns=False).output
    assert "cannot-read" not in examined and "not authorized" not in examined.lower(), examined[-4000:]
    proven = regions.play(
        [LEARN, stage("proof", proof_source="north_america", proof_target="europe", proof_topics="orders")],
        learns=False,
    ).output
    assert "PROVEN" in proven and "NOT PROVEN" not in proven, proven[-3000:]
    told = regions.play(
        [
            stage(
                "backup_status",
                backup_status_region="north_america",
                backup_status_backup="europe",
                backup_status_fail=False,
            )
        ],
        learns=False,
    ).output
    assert "The mirror's last heartbeat" not in told, told[-4000:]
    assert "Backup of north_america in europe" in told and "differ" not in told and "not kept" not in told, told[-4000:]


def test_stages_cannot_be_played_with_these_rights(regions):
    refused = regions.play(
        [stage("failover", failover_source="north_america", failover_target="europe", failover_planned=True)],
        fails=True,
        learns=False,
    )
    assert "TASK [streamsafe.kafka_dr.ledger : begin" not in refused.output, refused.output[-3000:]
