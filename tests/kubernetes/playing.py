# SPDX-License-Identifier: GPL-3.0-or-later
"""Two regions on Kubernetes as an inventory, and the collection's roles played over it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.rbac import roles
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.region import kubernetes_region
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.strimzi_client_info import strimzi_client_info
from kafka_dr_lab.playbook import collections_path

ROOT = Path(__file__).resolve().parents[2]
SERVICES = {"stages": "kdr-stages", "mirror": "kdr-mirror", "proof": "kdr-proof", "witness": "kdr-witness"}
# A cluster of one node keeps one replica of everything.
ONE_NODE = {
    "offsets.topic.replication.factor": 1,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "default.replication.factor": 1,
    "min.insync.replicas": 1,
}
APPLICATIONS = [
    {
        "name": "shop-producer",
        "purpose": "application",
        "acls": [{"resource": "topic", "name": "orders", "operations": ["WRITE", "DESCRIBE"]}],
    },
    {
        "name": "shop-consumer",
        "purpose": "application",
        "acls": [
            {"resource": "topic", "name": "orders", "operations": ["READ", "DESCRIBE"]},
            {"resource": "group", "name": "shop", "operations": ["READ", "DESCRIBE"]},
        ],
    },
]


def kafka_resources(cluster: str, api_version: str) -> list[dict]:
    """A Kafka with one node and one listener."""
    listener = {
        "name": "tls",
        "port": 9093,
        "type": os.environ.get("KAFKA_DR_TEST_LISTENER", "internal"),
        "tls": True,
        "authentication": {"type": "scram-sha-512"},
    }
    return [
        {
            "apiVersion": api_version,
            "kind": "KafkaNodePool",
            "metadata": {"name": "dual", "labels": {"strimzi.io/cluster": cluster}},
            "spec": {
                "replicas": 1,
                "roles": ["controller", "broker"],
                "storage": {"type": "jbod", "volumes": [{"id": 0, "type": "ephemeral", "kraftMetadata": "shared"}]},
            },
        },
        {
            "apiVersion": api_version,
            "kind": "Kafka",
            "metadata": {"name": cluster},
            "spec": {
                "kafka": {"listeners": [listener], "authorization": {"type": "simple"}, "config": ONE_NODE},
                "entityOperator": {"topicOperator": {}, "userOperator": {}},
            },
        },
    ]


def stage(name: str, **variables: object) -> dict:
    """A task that plays a stage."""
    return {"name": name, "ansible.builtin.include_role": {"name": f"streamsafe.kafka_dr.{name}"}, "vars": variables}


class Regions:
    """``north_america`` and ``europe``, each a namespace, and an inventory that says so.

    :param places: ``{region: Cluster}``.
    """

    def __init__(self, places: dict, directory: Path, api_version: str = "kafka.strimzi.io/v1"):
        self.places, self.directory = places, Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.namespaces = {name: cluster.namespace(name.replace("_", "-")) for name, cluster in places.items()}
        self.hosts = {
            name: {
                "kafka_dr_platform": "kubernetes",
                "kafka_dr_kubernetes": {
                    "kubeconfig": cluster.kubeconfig,
                    "namespace": self.namespaces[name],
                    "cluster": "main",
                    "listener": "tls",
                },
                "kafka_dr_users": [{"name": user, "purpose": purpose} for purpose, user in SERVICES.items()]
                + APPLICATIONS,
                "kafka_dr_topics": [{"name": "orders", "partitions": 2, "replication_factor": 1}],
                "kafka_dr_kafka": {"resources": kafka_resources("main", api_version)},
            }
            for name, cluster in places.items()
        }
        self.hosts["north_america"]["kafka_dr_applications"] = [
            {"name": "shop", "kind": "kubernetes", "role": "producer", "groups": [], "principals": ["shop-producer"]}
        ]
        self.mirror = {
            "name": "backup",
            "source": "north_america",
            "target": "europe",
            "topics": ["orders"],
            "groups": ["shop.*"],
            "tuning": {"replication_factor": 1, "refresh_seconds": 2, "checkpoint_seconds": 1},
        }

    def add_applications(self, cluster, applications: list[dict]) -> str:
        """A third place, for the applications alone; its namespace."""
        namespace = cluster.namespace("south-america")
        self.places["south_america"], self.namespaces["south_america"] = cluster, namespace
        self.hosts["south_america"] = {
            "kafka_dr_platform": "kubernetes",
            "kafka_dr_applications": applications,
            "kafka_dr_kubernetes": {"kubeconfig": cluster.kubeconfig, "namespace": namespace},
        }
        return namespace

    def play(
        self, tasks: list[dict], check: bool = False, fails: bool = False, learns: bool = True, **variables
    ) -> Played:
        """Play these tasks on localhost.

        :param fails: whether a failure is expected; its text is then in ``output``.
        :param learns: whether the regions' clients are learnt before, as the stages.
        """
        self._write_inventory(variables)
        # Hosts with applications alone have no client.
        learn = [
            {
                "name": "Learn the clients",
                "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.kafka", "tasks_from": "client.yml"},
                "loop": [name for name in self.hosts if "kafka_dr_users" in self.hosts[name]],
                "loop_control": {"loop_var": "kafka_region"},
                "when": "(hostvars[kafka_region] | streamsafe.kafka_dr.platform).tells_client",
            }
        ]
        play = [
            {
                "name": "Test",
                "hosts": "localhost",
                "connection": "local",
                "gather_facts": False,
                "tasks": learn * learns + tasks,
            }
        ]
        (self.directory / "play.yml").write_text(yaml.safe_dump(play, sort_keys=False))
        done = self._run_playbook("--diff", *(["--check"] if check else []))
        played = Played(done.stdout + done.stderr)
        if (done.returncode != 0) != fails:
            raise AssertionError(played.output[-6000:])
        return played

    def _write_inventory(self, variables: dict) -> None:
        inventory = self.directory / "inventory.yml"
        everything = {
            "all": {
                "hosts": self.hosts,
                "vars": {
                    "ansible_connection": "local",
                    "ansible_python_interpreter": "{{ ansible_playbook_python }}",
                    "kafka_dr_mirrors": [self.mirror],
                    "kafka_dr_ledger_replication_factor": 1,
                    "kafka_dr_ledger_secret": "a-secret-of-the-ledger",
                    "described": self.mirror,
                    "kafka_dr_workdir": str(self.directory / "work"),
                    **variables,
                },
            }
        }
        inventory.write_text(yaml.safe_dump(everything, sort_keys=False))
        inventory.chmod(0o600)

    def _run_playbook(self, *options: str) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(collections_path()),
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_LOCALHOST_WARNING": "0",
            "ANSIBLE_HOME": str(self.directory / "ansible"),
            "ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml",
        }
        program = str(Path(sys.executable).with_name("ansible-playbook"))
        command = [program, "-i", str(self.directory / "inventory.yml"), str(self.directory / "play.yml"), *options]
        return subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=1500, cwd=self.directory, check=False
        )

    def limit_rights(self) -> None:
        """From now on act as service accounts that have what the playbook ``rbac.yml`` prints, and nothing else."""
        made = {one["metadata"]["namespace"]: one["rules"] for one in roles(self.hosts, [self.mirror])}
        for name, namespace in self.namespaces.items():
            place = self.hosts[name]["kafka_dr_kubernetes"]
            place.update(self.places[name].identity(self.directory, {namespace: made[namespace]}))
            mirrors = self.hosts[name].get("kafka_dr_mirror_deployment")
            if mirrors:
                mirrors.update(
                    self.places[name].identity(self.directory, {mirrors["namespace"]: made[mirrors["namespace"]]})
                )

    def role(self, role: str, verb: str, check: bool = False, fails: bool = False, **variables) -> Played:
        """Play one verb of a part role."""
        task = {
            "name": "Act",
            "ansible.builtin.include_role": {"name": f"streamsafe.kafka_dr.{role}", "tasks_from": f"{verb}.yml"},
            "vars": variables,
        }
        return self.play([task], check, fails)

    def kafka(self, region: str, user: str = "kdr-stages") -> KafkaClient:
        """A client of the region's Kafka, as this user."""
        place = self.hosts[region]["kafka_dr_kubernetes"]
        found = strimzi_client_info(
            {
                "connection": kubernetes_region(self.hosts[region], region)["connection"],
                "timeout": 10,
                "group": "kafka.strimzi.io",
                "namespace": place["namespace"],
                "cluster": "main",
                "listener": "tls",
                "user": user,
                "users": [],
                "allow_unreachable": False,
            },
            False,
        )
        return KafkaClient(found["client"], found["client_secrets"], timeout=10)


class Played:
    """What a play said."""

    def __init__(self, output: str):
        self.output = output

    @property
    def changed(self) -> int:
        """How many tasks changed something."""
        recap = next(line for line in self.output.splitlines() if line.startswith("localhost") and "changed=" in line)
        return int(recap.split("changed=")[1].split()[0])
