# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's regions as namespaces of one Kubernetes API, as an inventory."""

from __future__ import annotations

from typing import Any

from ..hosts import BROKER_CONFIG, Variables, topics
from ..inventory import Inventory
from ..landscape import APPLICATION_USERS, APPLICATIONS_REGION, CLUSTERS, GROUP, MIRROR, SERVICE_USERS, TOPICS
from ..ports import free_ports
from . import manifests

CLUSTER = "main"
# Topics that the Topic Operator owns; the others exist in Kafka alone, as in many real clusters.
MANAGED = TOPICS[:2]
# The namespace in Europe that keeps what North America is recreated from.
KEPT = "europe-kept"
CONFIG = {**BROKER_CONFIG, "min.insync.replicas": 1}


def namespace_of(region: str) -> str:
    """The namespace of a region."""
    return region.replace("_", "-")


class KubernetesInventory(Inventory):
    """The operator keeps the passwords; the vault holds the rebuild secret and the ledger's secret."""

    @property
    def kubeconfig(self) -> str:
        """Path of the administrator's kubeconfig."""
        return str(self.lab / "kubernetes" / "kubeconfig")

    def write(self, options: dict[str, Any]) -> None:
        """Find ports and write both files; see :meth:`Inventory.write`."""
        self._prepare()
        ports = dict(zip(CLUSTERS, free_ports(len(CLUSTERS)), strict=True))
        hosts = {name: self._region(name, ports[name], options.get("broker") or {}) for name in CLUSTERS}
        if options.get("watch"):
            for name, port in zip(CLUSTERS, free_ports(len(CLUSTERS)), strict=True):
                hosts[name]["kafka_dr_watch"] = {"interval": 1, "image": manifests.IMAGE, "metrics": {"port": port}}
        hosts[APPLICATIONS_REGION] = {
            "kafka_dr_platform": "kubernetes",
            "kafka_dr_kubernetes": {"kubeconfig": self.kubeconfig, "namespace": namespace_of(APPLICATIONS_REGION)},
            "kafka_dr_applications": [
                {
                    "name": "departures-consumer",
                    "kind": "kubernetes",
                    "role": "consumer",
                    "groups": [GROUP],
                    "principals": ["departures-consumer"],
                },
                {
                    "name": "departures-producer",
                    "kind": "kubernetes",
                    "role": "producer",
                    "principals": ["departures-producer"],
                },
            ],
        }
        self._write(self._shared_variables(), hosts, self._shared_secrets())

    def _region(self, name: str, port: int, broker: dict[str, Any]) -> Variables:
        # Only the source's topics are declared: the mirror makes the target's.
        managed = [topic for topic in topics() if topic["name"] in MANAGED and name == MIRROR["source"]]
        place: dict[str, Any] = {
            "kubeconfig": self.kubeconfig,
            "namespace": namespace_of(name),
            "cluster": CLUSTER,
            "listener": manifests.LISTENER,
            "witness_image": manifests.IMAGE,
        }
        if name == MIRROR["source"]:
            place["backup"] = {"kubeconfig": self.kubeconfig, "namespace": KEPT}
        return {
            "kafka_dr_platform": "kubernetes",
            "kafka_dr_kubernetes": place,
            "kafka_dr_users": [{"name": user, "purpose": purpose} for purpose, user in SERVICE_USERS.items()]
            + [dict(user) for user in APPLICATION_USERS],
            "kafka_dr_topics": [topic for topic in topics() if topic not in managed],
            "kafka_dr_kafka": {
                "create_namespace": True,
                "resources": manifests.kafka(CLUSTER, port, {**CONFIG, **broker}, managed),
            },
        }

    def applications(self, options: dict[str, Any]) -> list[dict[str, Any]]:
        """Deployments of the applications; their journals are where the other platform has them."""
        directory = self.lab / "regions" / APPLICATIONS_REGION
        directory.mkdir(parents=True, exist_ok=True)
        numbers = [str(options["records"]), "--history", str(options["history"]), "--rate", str(options["rate"])]
        return [
            manifests.application(
                "departures-consumer",
                ["departures_consumer.py", "--journal", f"{directory}/consumer.sqlite"],
                {"KAFKA_GROUP": GROUP},
            ),
            manifests.application(
                "departures-producer", ["departures_producer.py", *numbers, "--journal", f"{directory}/producer.sqlite"]
            ),
        ]
