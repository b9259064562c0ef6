# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The position witness as a Deployment beside the mirror. Pure."""

from __future__ import annotations

import json

from .one_pod import one_pod

PROGRAMS, SETTINGS, RUN = "/opt/kafka-dr", "/etc/kafka-dr", "/run/kafka-dr"
# A mounted Secret is readable by its group where the pod has an fsGroup; the witness takes nothing that others can read.
COMMAND = "umask 077 && cat %s/witness.json > %s/witness.json && exec python3 %s/position_witness.py --config %s/witness.json" % (SETTINGS, RUN, PROGRAMS, RUN)


def witness_manifests(name, namespace, image, config, programs):
    """ConfigMap, Secret and Deployment.

    :param image: an image with Python 3.11 and confluent-kafka.
    :param config: the witness's configuration, secrets included; it goes into the Secret.
    :param programs: ``{file name: text}``.
    """
    container = {"name": "witness", "image": image, "command": ["sh", "-c", COMMAND],
                 "resources": {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}}}
    return one_pod(name, namespace, "position-witness", container, programs, {"witness.json": json.dumps(config, indent=1, sort_keys=True)},
                   {"files": PROGRAMS, "secrets": SETTINGS, "scratch": RUN}, scratch={"medium": "Memory"})
