# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The position witness as a Deployment beside the mirror. Pure."""

from __future__ import annotations

import base64
import json

PROGRAMS, SETTINGS, RUN = "/opt/kafka-dr", "/etc/kafka-dr", "/run/kafka-dr"
# A mounted Secret is readable by its group where the pod has an fsGroup; the witness takes nothing that others can read.
COMMAND = "umask 077 && cat %s/witness.json > %s/witness.json && exec python3 %s/position_witness.py --config %s/witness.json" % (SETTINGS, RUN, PROGRAMS, RUN)


def witness_manifests(name, namespace, image, config, programs, replicas=1):
    """ConfigMap, Secret and Deployment.

    :param image: an image with Python 3.11 and confluent-kafka.
    :param config: the witness's configuration, secrets included; it goes into the Secret.
    :param programs: ``{file name: text}``.
    """
    labels = {"app.kubernetes.io/name": name, "app.kubernetes.io/component": "position-witness", "app.kubernetes.io/part-of": "streamsafe.kafka_dr"}
    meta = {"name": name, "namespace": namespace, "labels": labels}
    text = json.dumps(config, indent=1, sort_keys=True)
    container = {
        "name": "witness", "image": image, "command": ["sh", "-c", COMMAND],
        "volumeMounts": [{"name": "programs", "mountPath": PROGRAMS, "readOnly": True}, {"name": "settings", "mountPath": SETTINGS, "readOnly": True},
                         {"name": "run", "mountPath": RUN}],
        "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}},
    }
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": programs},
        {"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": meta,
         "data": {"witness.json": base64.b64encode(text.encode("utf-8")).decode("ascii")}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": {
            "replicas": replicas, "strategy": {"type": "Recreate"}, "selector": {"matchLabels": {"app.kubernetes.io/name": name}},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "automountServiceAccountToken": False, "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
                    "containers": [container],
                    "volumes": [{"name": "programs", "configMap": {"name": name}}, {"name": "settings", "secret": {"secretName": name}},
                                {"name": "run", "emptyDir": {"medium": "Memory"}}],
                },
            },
        }},
    ]
