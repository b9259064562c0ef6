# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's regions as namespaces of one Kubernetes API, as an inventory."""

from __future__ import annotations

import secrets

from ..inventory import APPLICATION_USERS, APPLICATIONS_REGION, CLUSTERS, GROUP, MIRROR, PARTITIONS, SERVICE_USERS, TOPICS, Inventory
from ..ports import free_ports
from . import manifests

CLUSTER = "main"
# Topics that the Topic Operator owns; the others are Kafka's alone, as in many a real cluster.
MANAGED = TOPICS[:2]
# Where Europe keeps what North America is made again from.
KEPT = "europe-kept"
CONFIG = {
    "offsets.topic.replication.factor": 1, "offsets.topic.num.partitions": 5, "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1, "transaction.state.log.num.partitions": 5, "group.initial.rebalance.delay.ms": 0,
    "default.replication.factor": 1, "min.insync.replicas": 1,
}


def namespace_of(region: str) -> str:
    """The namespace that a region is."""
    return region.replace("_", "-")


class KubernetesInventory(Inventory):
    """Passwords are the operator's; the vault holds nothing but the rebuild secret."""

    @property
    def kubeconfig(self) -> str:
        return str(self.lab / "kubernetes" / "kubeconfig")

    def write(self, options: dict) -> None:
        self._secrets = None
        self.secrets_file.parent.mkdir(parents=True, exist_ok=True)
        self.lab.chmod(0o700)
        ports = dict(zip(CLUSTERS, free_ports(len(CLUSTERS)), strict=True))
        hosts = {name: self._region(name, ports[name], options.get("broker") or {}) for name in CLUSTERS}
        hosts[APPLICATIONS_REGION] = {
            "kafka_dr_platform": "kubernetes",
            "kafka_dr_kubernetes": {"kubeconfig": self.kubeconfig, "namespace": namespace_of(APPLICATIONS_REGION)},
            "kafka_dr_applications": [
                {"name": "departures-consumer", "kind": "kubernetes", "role": "consumer", "groups": [GROUP], "principals": ["departures-consumer"]},
                {"name": "departures-producer", "kind": "kubernetes", "role": "producer", "principals": ["departures-producer"]},
            ],
        }
        variables = {
            "ansible_connection": "local", "ansible_python_interpreter": "{{ ansible_playbook_python }}", "kafka_dr_workdir": str(self.lab / "work"),
            "kafka_dr_mirrors": [MIRROR], "kafka_dr_ledger_replication_factor": 1,
        }
        everything = {"all": {"vars": variables, "hosts": hosts, "children": {"clusters": {"hosts": {name: {} for name in CLUSTERS}}}}}
        self._write(everything, {"kafka_dr_rebuild_secret": secrets.token_urlsafe(24), "kafka_dr_ledger_secret": secrets.token_urlsafe(32)})

    def _region(self, name: str, port: int, broker: dict) -> dict:
        # Records of 2013: with the usual seven days every one would be deleted at once.
        topics = [{"name": topic, "partitions": PARTITIONS, "replication_factor": 1, "configs": {"retention.ms": -1}} for topic in TOPICS]
        # Only the source's topics are declared: the mirror makes the target's.
        managed = [one for one in topics if one["name"] in MANAGED and name == MIRROR["source"]]
        place: dict = {"kubeconfig": self.kubeconfig, "namespace": namespace_of(name), "cluster": CLUSTER, "listener": manifests.LISTENER,
                       "witness_image": manifests.IMAGE}
        if name == MIRROR["source"]:
            place["backup"] = {"kubeconfig": self.kubeconfig, "namespace": KEPT}
        return {
            "kafka_dr_platform": "kubernetes", "kafka_dr_kubernetes": place,
            "kafka_dr_users": [{"name": user, "purpose": purpose} for purpose, user in SERVICE_USERS.items()] + [dict(one) for one in APPLICATION_USERS],
            "kafka_dr_topics": [one for one in topics if one not in managed],
            "kafka_dr_kafka": {"create_namespace": True, "resources": manifests.kafka(CLUSTER, port, {**CONFIG, **broker}, managed)},
        }

    def applications(self, options: dict) -> list[dict]:
        """Deployments of the applications, journals beside the other platform's."""
        directory = self.lab / "regions" / APPLICATIONS_REGION
        directory.mkdir(parents=True, exist_ok=True)
        numbers = [str(options["records"]), "--history", str(options["history"]), "--rate", str(options["rate"])]
        return [
            manifests.application("departures-consumer", ["departures_consumer.py", "--journal", f"{directory}/consumer.sqlite"], {"KAFKA_GROUP": GROUP}),
            manifests.application("departures-producer", ["departures_producer.py", *numbers, "--journal", f"{directory}/producer.sqlite"]),
        ]
