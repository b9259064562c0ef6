# SPDX-License-Identifier: GPL-3.0-or-later
"""What others write into Kubernetes' objects, and what an API server says for them, through the parts that read it: all
of it is data. The test plays the operator.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import mirror_resource
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import object_path
from tests.kubernetes.playing import Regions
from tests.kubernetes.test_resources import CLIENTS, MIRROR, SECRETS, written
from tests.kubernetes.test_roles import deploy
from tests.kubernetes.test_strimzi_info import KAFKA, PLURAL, say
from tests.support.hostile import commands, steers_terminal, without_null

pytestmark = [pytest.mark.kubernetes, pytest.mark.full]

API = "kafka.strimzi.io/v1"
READY = {"type": "Ready", "status": "True"}
DESCRIBED = {"mirror_described": "{{ described }}"}
# An annotation and a status take any text; three braces leave a template where a space is put between two of them.
BRACES = '{{{ lookup("pipe","touch %s") }}}'

# Each role does so once the clients are learnt.
CHECK = {
    "name": "Check the inventory",
    "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.preflight"},
    "vars": {"preflight_about": ["north_america"], "preflight_complete": False},
}


@pytest.fixture
def regions(new, tmp_path, monkeypatch):
    """Two regions in namespaces of their own, without an operator."""
    monkeypatch.setenv("ANSIBLE_STDOUT_CALLBACK", "streamsafe.kafka_dr.stage")
    return Regions({"north_america": new, "europe": new}, tmp_path)


@pytest.fixture
def mark(tmp_path):
    return tmp_path / "mark"


def texts(mark):
    """The texts as JSON's strings can carry them."""
    return [*without_null(commands(str(mark))), BRACES % mark]


def untouched(mark, *played):
    """Nothing ran, and nothing that was said steers a terminal."""
    assert not list(mark.parent.glob("mark*"))
    for one in played:
        assert not steers_terminal(one.output), one.output
        assert "Traceback" not in one.output


def status(cluster, namespace, name, plural, told, api_version=API):
    """Write a status as an operator or a controller would."""
    path = object_path(api_version, plural, namespace, name, "status")
    cluster.client.request("PATCH", path, {"status": told}, content_type="application/merge-patch+json")


def said(words):
    """Conditions with these words in every field that is text."""
    return [{"type": "NotReady", "status": "True", "reason": one[:900], "message": one} for one in words]


def test_a_cluster_whose_operator_and_listener_speak(new, regions, mark):
    here, words = regions.namespaces["north_america"], texts(mark)
    body = {**KAFKA, "metadata": {"name": "main", "annotations": dict.fromkeys(["a/b", "c"], BRACES % mark)}}
    new.client.create(object_path(API, "kafkas", here), body)
    new.secret(here, "kdr-stages", {"password": BRACES % mark})
    new.secret(here, "main-cluster-ca-cert", {"ca.crt": "\n".join(words)})
    for word in (words[0], words[6], words[13], BRACES % mark):
        listener = {"name": "tls", "bootstrapServers": f"{word}:9093", "certificates": [word]}
        status(
            new, here, "main", "kafkas", {"observedGeneration": 1, "conditions": said(words), "listeners": [listener]}
        )
        waited = regions.role(
            "kafka", "await", fails=True, learns=False, kafka_region="north_america", kafka_operator_timeout=3
        )
        learnt = regions.play([CHECK], fails=True)
        untouched(mark, waited, learnt)
        assert "The inventory has mistakes" in learnt.output
        assert "is not ready after 3 s" in waited.output


def test_a_mirror_whose_operator_speaks(new, regions, mark):
    there, words = regions.namespaces["europe"], texts(mark)
    written(new, mirror_resource.mirror_resource(MIRROR, CLIENTS, SECRETS, namespace=there), PLURAL)
    for word in (words[0], words[6], words[13], words[14]):
        failed = {"id": 0, "state": "FAILED", "trace": f"{word}\n\tat y"}
        connector = {"name": word, "connector": {"state": word, "trace": word}, "tasks": [failed]}
        say(new, there, {"conditions": said([word]), "connectors": [connector]})
        task = {
            "name": "Wait",
            "vars": {**DESCRIBED, "mirror_operator_timeout": 3},
            "ansible.builtin.include_role": {
                "name": "streamsafe.kafka_dr.mirror",
                "tasks_from": "kubernetes/await_running.yml",
            },
        }
        waited = regions.play([task], fails=True, learns=False)
        untouched(mark, waited)
        assert "does not run after 3 s" in waited.output


def test_an_application_whose_object_was_annotated(new, regions, mark):
    here, words = regions.namespaces["north_america"], texts(mark)
    regions.hosts["north_america"]["kafka_dr_applications"][0]["managed_elsewhere"] = "accepted"
    deploy(new, here, annotations={f"note/{number}": word for number, word in enumerate(words)})
    told = [{"type": "ReplicaFailure", "status": "True", "reason": "x", "message": word} for word in words[:1]]
    status(new, here, "shop", "deployments", {"conditions": told, "replicas": 0}, "apps/v1")
    about = {"applications_region": "north_america", "applications_of": ["north_america"]}
    stopped = regions.role("applications", "stop", learns=False, **about)
    assert new.read(here, "shop", "deployments", "apps/v1")["spec"]["replicas"] == 0
    untouched(mark, stopped)
    for word in (words[0], words[6], words[13], words[14], BRACES % mark):
        new.merge(
            here,
            "shop",
            {"metadata": {"annotations": {"kafka-dr.streamsafe/replicas": word}}},
            "deployments",
            "apps/v1",
        )
        refused = regions.role("applications", "stop", fails=True, learns=False, **about)
        untouched(mark, refused)
        assert "The size that is remembered on Deployment 'shop' is none" in refused.output


def test_topics_of_the_topic_operator(new, regions, mark):
    """Kafka would refuse such a name; the API server keeps it."""
    there, words = regions.namespaces["europe"], texts(mark)
    for number, word in enumerate(words):
        body = {
            "apiVersion": API,
            "kind": "KafkaTopic",
            "metadata": {"name": f"t{number}", "labels": {"strimzi.io/cluster": "main"}, "annotations": {"note": word}},
            "spec": {"topicName": word, "partitions": 1, "replicas": 1, "config": {"note": word}},
        }
        new.client.create(object_path(API, "kafkatopics", there), body)
    regions.mirror["topics"] = [".*"]
    task = {
        "name": "Refuse",
        "vars": {**DESCRIBED, "__mirror_reads": API, "mirror_frees_topics": False},
        "ansible.builtin.include_role": {
            "name": "streamsafe.kafka_dr.mirror",
            "tasks_from": "kubernetes/topics_uncontested.yml",
        },
    }
    refused = regions.play([task], fails=True, learns=False)
    untouched(mark, refused)
    assert "is configured by its KafkaTopic" in refused.output


def test_an_api_server_that_denies_with_the_words_of_somebody_else(new, regions, mark):
    """A policy of admission says what its author likes."""
    here = regions.namespaces["north_america"]
    words = [word for word in texts(mark) if "\n" not in word]
    for number, word in enumerate((words[0], words[2], words[9], words[10], BRACES % mark)):
        name = f"deny-{number}-{here}"
        group = "admissionregistration.k8s.io/v1"
        matched = {"apiGroups": ["kafka.strimzi.io"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*"]}
        place = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": here}}}
        policy = {
            "failurePolicy": "Fail",
            "matchConstraints": {**place, "resourceRules": [matched]},
            "validations": [{"expression": "false", "message": word}],
        }
        binding = {"policyName": name, "validationActions": ["Deny"]}
        for kind, plural, spec in (
            ("ValidatingAdmissionPolicy", "validatingadmissionpolicies", policy),
            ("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", binding),
        ):
            body = {"apiVersion": group, "kind": kind, "metadata": {"name": name}, "spec": spec}
            new.client.create(object_path(group, plural), body)
        try:
            new.until(lambda name=name: denied(new, here), "the policy to deny", 60)
            refused = regions.role("kafka", "prepare", fails=True, learns=False, kafka_region="north_america")
            untouched(mark, refused)
            assert word[:30].split()[0] in refused.output, refused.output
        finally:
            new.client.delete(object_path(group, "validatingadmissionpolicybindings", name=name))
            new.client.delete(object_path(group, "validatingadmissionpolicies", name=name))
            new.until(lambda: not denied(new, here), "the policy to go", 60)


def denied(cluster, namespace):
    """Whether the API server refuses a Kafka by a policy."""
    body = {**KAFKA, "metadata": {"name": "tried"}}
    try:
        cluster.client.create(object_path(API, "kafkas", namespace), body, dry_run=True)
    except Exception as error:
        assert "ValidatingAdmissionPolicy" in str(error), error
        return True
    return False
