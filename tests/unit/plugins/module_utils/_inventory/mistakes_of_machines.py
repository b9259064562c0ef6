# SPDX-License-Identifier: GPL-3.0-or-later
"""Regions on Kubernetes, machines, applications and quotas."""

from __future__ import annotations

from .valid_description import APPLICATION, KUBERNETES, SECRET, Case

MACHINES: dict[str, Case] = {
    # Regions on Kubernetes.
    "no namespace": (KUBERNETES, {"cluster": "main"}, ("kafka_dr_kubernetes.namespace", "found nothing")),
    "no user of the stages": (
        "north_america",
        {
            "kafka_dr_platform": "kubernetes",
            "kafka_dr_kubernetes": {"context": "na", "namespace": "kafka", "cluster": "main"},
            "kafka_dr_users": [],
        },
        ("kafka_dr_users: expected a user of the purpose stages", "found none"),
    ),
    "a namespace in large letters": (
        KUBERNETES + ".namespace",
        "Kafka",
        ("expected a name as Kubernetes takes it", "'Kafka'"),
    ),
    "a cluster that is a path": (KUBERNETES + ".cluster", "../main", ("kafka_dr_kubernetes.cluster", "'../main'")),
    "Kubernetes as a text": (
        KUBERNETES,
        "kafka/main",
        ("kafka_dr_kubernetes: expected a dictionary, found the text 'kafka/main'",),
    ),
    "patterns among a mirror's further fields": (
        KUBERNETES + ".mirror_fields",
        {"spec": {"mirrors": [{"topicsExcludePattern": "audit"}]}},
        ("mirror_fields.spec.mirrors[0].topicsExcludePattern: expected no pattern", "'audit'"),
    ),
    "an unknown way to stop": (KUBERNETES + ".stop_by", "delete", ("stop_by: expected one of state, replicas",)),
    "a backup without a namespace": (
        KUBERNETES + ".backup",
        {"context": "eu"},
        ("kafka_dr_kubernetes.backup.namespace", "found nothing"),
    ),
    "an unknown key of Kubernetes": (
        KUBERNETES + ".name_space",
        "kafka",
        ("name_space: expected no key but kubeconfig", "Did you mean namespace?"),
    ),
    # Machines.
    "a mirror's hosts as a text": (
        "europe.kafka_dr_mirror_hosts",
        "shop",
        ("kafka_dr_mirror_hosts: expected a list, found the text 'shop'",),
    ),
    "a mirror's host that is none": (
        "europe.kafka_dr_mirror_hosts",
        ["nowhere"],
        ("kafka_dr_mirror_hosts[0]: expected a host of the inventory, found the text 'nowhere'",),
    ),
    "a mirror of two nodes that everybody reaches": (
        "europe.kafka_dr_mirror_hosts",
        ["europe", "shop"],
        ("kafka_dr_mirror_rest_open: expected the reason", "shop"),
    ),
    "no Kafka for the mirror": (
        "europe.kafka_dr_kafka_home",
        None,
        ("europe: kafka_dr_kafka_home: expected a path on europe",),
    ),
    "a port of zero": (
        "europe.kafka_dr_mirror_rest_port",
        0,
        ("kafka_dr_mirror_rest_port: expected a whole number from 1 to 65535, found the number 0",),
    ),
    "a heap without a unit": (
        "europe.kafka_dr_mirror_heap",
        "lots",
        ("kafka_dr_mirror_heap: expected a size such as 1g, found the text 'lots'",),
    ),
    "Connect without addresses": (
        "europe.kafka_dr_connect",
        {"group": "x"},
        ("kafka_dr_connect.urls", "found nothing"),
    ),
    "a mirror on a Connect cluster that is not described": (
        "europe.kafka_dr_mirror_platform",
        "connect",
        ("kafka_dr_connect: expected the Connect cluster",),
    ),
    "metrics without a jar": (
        "europe.kafka_dr_mirror_metrics",
        {"port": 9404},
        ("kafka_dr_mirror_metrics.jar", "found nothing"),
    ),
    "a password to a Connect cluster without TLS": (
        "europe",
        {"kafka_dr_connect": {"urls": ["http://connect-1:8083"]}, "kafka_dr_connect_secrets": {"password": SECRET}},
        ("kafka_dr_unverified_tls", "urls without TLS, with a password"),
    ),
    # Applications.
    "an application of an unknown kind": (
        APPLICATION + ".kind",
        "docker",
        ("kind: expected one of process, systemd, kubernetes, hook, found the text 'docker'",),
    ),
    "an application of an unknown role": (
        APPLICATION + ".role",
        "reader",
        ("role: expected one of producer, consumer, both",),
    ),
    "a negative time-out": (
        APPLICATION + ".stop_seconds",
        -1,
        ("stop_seconds: expected a whole number from 0 to 86400, found the number -1",),
    ),
    "groups as a text": (APPLICATION + ".groups", "shop", ("groups: expected a list, found the text 'shop'",)),
    "no file that tells it its region": (
        APPLICATION + ".environment_file",
        None,
        ("environment_file: expected something, since shop is of kind process",),
    ),
    "a principal whom nobody knows": (
        APPLICATION + ".principals",
        ["shpo"],
        ("principals[0]: expected a user of kafka_dr_users, found the text 'shpo'",),
    ),
    "a machine that is none": (
        APPLICATION + ".host",
        "shop-9",
        ("host: expected a host of the inventory, found the text 'shop-9'",),
    ),
    "a hook without tasks": (
        APPLICATION + ".kind",
        "hook",
        ("start_tasks: expected something, since shop is of kind hook",),
    ),
    "an environment of a wrong name": (
        APPLICATION + ".environment",
        {"A-B": "1"},
        ("environment['A-B']", "the key 'A-B'"),
    ),
    # Quotas.
    "quotas as a dictionary": ("north_america.kafka_dr_quotas", {"shop": 1}, ("kafka_dr_quotas: expected a list",)),
    "a quota of nobody": (
        "north_america.kafka_dr_quotas.0.entity",
        {},
        ("entity: expected at least one of user, client-id, ip",),
    ),
    "an unknown limit": (
        "north_america.kafka_dr_quotas.0.limits",
        {"producer_bytes": 1},
        ("limits.producer_bytes: expected no key but producer_byte_rate",),
    ),
    "a limit below nothing": (
        "north_america.kafka_dr_quotas.0.limits.producer_byte_rate",
        -1,
        ("producer_byte_rate: expected a number or nothing above 0, found the number -1",),
    ),
}
