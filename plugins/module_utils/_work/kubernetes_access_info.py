# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a user may do in a namespace what is asked of it, and whether the namespace takes anything: tried before it
counts, nothing is changed.
"""

from __future__ import annotations

from typing import Any

from .._errors import KafkaDrError, RefusedError, TimedOutError, UnreachableError
from .._k8s.client import KubernetesClient, NotFoundError, object_path
from .._values.listing import named

REVIEWS = "authorization.k8s.io/v1"
# As many of what is missing as a person reads.
SHOWN = 8
# What can be tried with nothing in it: group (None: the operator's), resource, kind.
CREATABLE = (("", "secrets", "Secret"), ("", "configmaps", "ConfigMap"), (None, "kafkausers", "KafkaUser"))
WAY_OUT = (
    "An administrator looks what holds namespace {0} (kubectl get namespace {0} -o yaml), takes the finalizers of "
    "what was left behind away, since its "
    "operator is gone (kubectl -n {0} get kafkatopics -o name | xargs -I@ kubectl -n {0} patch @ --type=merge -p "
    '\'{{"metadata":{{"finalizers":null}}}}\'), '
    "makes the namespace again, and applies Roles and RoleBindings there again, which went with it (the playbook "
    "streamsafe.kafka_dr.rbac writes them)"
)


def kubernetes_access_info(params: dict[str, Any], dummy: bool | None = None) -> dict[str, Any]:
    """What stands in the way, place by place; see the module ``kubernetes_access_info``.

    :param params: ``places[{name, connection, namespace, rules, needed, may_be_made}]`` and ``timeout``.
    """
    found = [_look(place, params["timeout"]) for place in params["places"]]
    refusals = [text for place in found for text in place["refusals"]]
    unanswered = [text for place in found for text in place["unanswered"]]
    return {"granted": not refusals + unanswered, "refusals": refusals, "unanswered": unanswered, "places": found}


def _look(place: dict[str, Any], timeout: int) -> dict[str, Any]:
    """Of one place, sentences with the way out: what the API server refuses, or that it does not answer."""
    looked: dict[str, Any] = {"name": place["name"], "namespace": place["namespace"], "refusals": [], "unanswered": []}
    try:
        client = KubernetesClient(place["connection"], timeout, place["name"])
        looked["refusals"] = _refusals(client, place)
    except (UnreachableError, TimedOutError) as error:
        looked["unanswered" if place["needed"] else "refusals"] = [str(error)]
    except KafkaDrError as error:
        looked["refusals"] = [str(error)]
    return looked


def _refusals(client: KubernetesClient, place: dict[str, Any]) -> list[str]:
    namespace = place["namespace"]
    state, message = _namespace_state(client, namespace)
    where = f"Namespace {namespace} of {place['name']}"
    if state == "Terminating":
        return [_ending(where, namespace, message)]
    if state == "absent":
        return [] if place["may_be_made"] else [_absent(where, namespace)]
    missing = missing_rights(client, namespace, place["rules"])
    if missing:
        return [
            str(
                RefusedError(
                    f"{where} may not be written to as {_user(client)}",
                    expected="what the playbook streamsafe.kafka_dr.rbac writes, bound to it",
                    found=f"no right to {named(missing, SHOWN, '; ')}",
                    remedy=(
                        "Apply Role and RoleBinding. With a namespace that was deleted both are gone, and it may "
                        "still be ending: "
                    )
                    + WAY_OUT.format(namespace),
                )
            )
        ]
    try:
        _try_to_create(client, namespace, place["rules"])
    except NotFoundError:
        return [] if place["may_be_made"] else [_absent(where, namespace)]
    except RefusedError as error:
        return [_ending(where, namespace, str(error.found))]
    return []


def _ending(where: str, namespace: str, message: str) -> str:
    return str(
        RefusedError(
            f"{where} is being deleted",
            expected="it gone, or there to stay",
            found=message or "no more",
            remedy=WAY_OUT.format(namespace),
        )
    )


def _absent(where: str, namespace: str) -> str:
    return str(
        RefusedError(
            f"{where} is not there",
            expected="a namespace with Roles and RoleBindings of the stages",
            remedy=f"Make it (kubectl create namespace {namespace}), and apply what the playbook "
            "streamsafe.kafka_dr.rbac writes; or let the stage "
            "make it, with kafka_dr_kafka.create_namespace",
        )
    )


def _namespace_state(client: KubernetesClient, namespace: str) -> tuple[str, str]:
    """Phase and what its conditions say; ``unknown`` to whom may not read it, as namespaces are the cluster's."""
    try:
        found = client.request(
            "GET", object_path("v1", "namespaces", name=namespace), what=f"read namespace '{namespace}'"
        )
    except NotFoundError:
        return "absent", ""
    except KafkaDrError as error:
        if error.kind != "authorization":
            raise
        return "unknown", ""
    status = found.get("status") or {}
    return status.get("phase") or "unknown", " ".join(
        condition.get("message", "")
        for condition in status.get("conditions") or []
        if condition.get("status") == "True"
    )


def missing_rights(client: KubernetesClient, namespace: str, rules: list[dict[str, Any]]) -> list[str]:
    """Those of the rules that are not granted, as ``verbs of resource names``.

    :param rules: as in a ``Role``.
    """
    granted, complete = _granted(client, namespace)
    missing: dict[tuple[str, str], list[str]] = {}
    for group, resource, verb, name in _flat(rules):
        if any(_covers(rule, group, resource, verb, name) for rule in granted):
            continue
        # Authorizers other than RBAC do not list what they grant.
        if complete or not _allowed(client, namespace, group, resource, verb, name):
            missing.setdefault((resource + ("." + group if group else ""), name), []).append(verb)
    return [
        f"{'/'.join(verbs)} {resource}" + (f" '{name}'" if name else "") for (resource, name), verbs in missing.items()
    ]


def _flat(rules: list[dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    return [
        (group, resource, verb, name)
        for rule in rules
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
        for name in rule.get("resourceNames") or [None]
    ]


def _granted(client: KubernetesClient, namespace: str) -> tuple[list[dict[str, Any]], bool]:
    """Rules that this user has in the namespace, and whether these are all."""
    body = {"apiVersion": REVIEWS, "kind": "SelfSubjectRulesReview", "spec": {"namespace": namespace}}
    status = client.request(
        "POST",
        object_path(REVIEWS, "selfsubjectrulesreviews"),
        body,
        what=f"ask what we may do in namespace '{namespace}'",
    )["status"]
    return status.get("resourceRules") or [], not status.get("incomplete")


def _covers(rule: dict[str, Any], group: str, resource: str, verb: str, name: str) -> bool:
    names = rule.get("resourceNames") or []
    return (
        any(api_group in ("*", group) for api_group in rule.get("apiGroups") or [])
        and any(granted_resource in ("*", resource) for granted_resource in rule.get("resources") or [])
        and any(granted_verb in ("*", verb) for granted_verb in rule["verbs"])
        and (not names or name in names)
    )


def _allowed(client: KubernetesClient, namespace: str, group: str, resource: str, verb: str, name: str) -> Any:
    attributes = {
        "namespace": namespace,
        "group": group,
        "resource": resource,
        "verb": verb,
        **({"name": name} if name else {}),
    }
    body = {"apiVersion": REVIEWS, "kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": attributes}}
    answer = client.request(
        "POST", object_path(REVIEWS, "selfsubjectaccessreviews"), body, what=f"ask whether we may {verb} {resource}"
    )
    return answer["status"]["allowed"]


def _user(client: KubernetesClient) -> str:
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    try:
        return client.request("POST", object_path("authentication.k8s.io/v1", "selfsubjectreviews"), body)["status"][
            "userInfo"
        ]["username"]
    except (KafkaDrError, KeyError):
        return "this user"


def _try_to_create(client: KubernetesClient, namespace: str, rules: list[dict[str, Any]]) -> None:
    """A dry run of what the rules let us create: a namespace that is being deleted takes nothing.

    :raises RefusedError: it is. :raises NotFoundError: it is not there.
    """
    for group, resource, kind in CREATABLE:
        found = next(
            (
                right
                for right in _flat(rules)
                if right[1:] == (resource, "create", None) and (right[0] == group or group is None)
            ),
            None,
        )
        if found:
            served = client.served_versions(found[0]) if group is None else []
            version = (
                "v1"
                if group == ""
                else f"{found[0]}/{'v1beta2' if 'v1' not in served and 'v1beta2' in served else 'v1'}"
            )
            body = {
                "apiVersion": version,
                "kind": kind,
                "metadata": {"generateName": "kafka-dr-try-"},
                **({} if group == "" else {"spec": {}}),
            }
            client.create(
                object_path(version, resource, namespace),
                body,
                dry_run=True,
                what=f"create anything in namespace '{namespace}'",
            )
            return
