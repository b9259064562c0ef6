# SPDX-License-Identifier: GPL-3.0-or-later
"""Two namespaces, and the module ``secret_copy`` between them."""

from __future__ import annotations

import base64

from ansible_collections.streamsafe.kafka_dr.plugins.modules.secret_copy import main
from tests.support.kubernetes import run

VALUE = "swordfish-and-7-herrings"


ROTATED = "halibut-after-rotation"


def value(secret, key="password"):
    return base64.b64decode(secret["data"][key]).decode()


class Pair:
    """Two namespaces and the module between them."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.a, self.b = cluster.namespace("a"), cluster.namespace("b")
        self.connection = {"kubeconfig": cluster.kubeconfig}

    def arguments(self, **more):
        made = {
            "source": {**self.connection, "namespace": self.a},
            "target": {**self.connection, "namespace": self.b},
            **more,
        }
        if not {"names", "label_selector", "name_regex"} & set(more):
            made["names"] = ["one"]
        return made

    def __call__(self, check=False, **more):
        result = run(main, self.arguments(**more), check)
        for hidden in (VALUE, ROTATED):
            assert hidden not in result["stdout"]
            assert base64.b64encode(hidden.encode()).decode() not in result["stdout"]
        return result

    def step(self, changed, actions, **more):
        """Check mode, then for real; check mode changed nothing and said the same."""
        before = self.versions()
        expected = self(check=True, **more)
        assert not expected.get("failed"), expected.get("msg")
        assert self.versions() == before
        found = self(**more)
        assert not found.get("failed"), found.get("msg")
        assert (found["changed"], found["secrets"], found["diff"]) == (
            expected["changed"],
            expected["secrets"],
            expected["diff"],
        )
        assert (found["changed"], [one["action"] for one in found["secrets"]]) == (changed, actions)
        return found

    def versions(self):
        listed = self.cluster.client.list(f"/api/v1/namespaces/{self.b}/secrets")
        return {one["metadata"]["name"]: one["metadata"]["resourceVersion"] for one in listed}

    def source(self, name="one", **more):
        return self.cluster.secret(self.a, name, {"password": VALUE, "user": "mm2"}, **more)

    def copy(self, name="one"):
        return self.cluster.read(self.b, name)
