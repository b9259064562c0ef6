# SPDX-License-Identifier: GPL-3.0-or-later
"""Copy Secrets from one namespace or cluster to another: plan everything, try everything, then write."""

from __future__ import annotations

from typing import Any

from .._errors import KafkaDrError, UsageError
from .._k8s import secret_plan
from .._k8s.client import ConflictError, KubernetesClient, NotFoundError, object_path
from .._k8s.secret_copies import plan_copies, plan_removal

CONFLICT_TRIES = 5


def secret_copy(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The module's work.

    :param params: as documented by the module ``secret_copy``.
    :returns: ``changed``, ``secrets`` (rows ``{source, target, action, differences}``) and ``diff``; no value of any
        Secret.
    :raises KafkaDrError: nothing was changed, unless the message says what was.
    """
    target, target_namespace = _side(params["target"], params["timeout"], "target")
    if params["state"] == "absent":
        plans = plan_removal(target, target_namespace, params)
    else:
        source, source_namespace = _side(params["source"], params["timeout"], "source")
        plans = plan_copies(source, source_namespace, target, target_namespace, params, check_mode)
    acting = [plan for plan in plans if plan["action"] in ("created", "updated", "recreated", "deleted")]
    # A dry run of the whole first: a right that is missing, or a policy that objects, stops it before anything is
    # written.
    try:
        _write(target, target_namespace, acting, dry_run=True)
    except NotFoundError:
        # Earlier tasks of the same run may be about to make the namespace.
        if not check_mode:
            raise
    if not check_mode:
        _write(target, target_namespace, acting, dry_run=False)
    return {
        "changed": bool(acting),
        "secrets": [{key: plan[key] for key in ("source", "target", "action", "differences")} for plan in plans],
        "diff": [
            {
                "before_header": plan["target"],
                "after_header": plan["target"],
                "before": secret_plan.shown(plan["before"], ()),
                "after": secret_plan.shown(plan["after"], plan["differences"]),
            }
            for plan in acting
        ],
    }


def _side(described: dict[str, Any], timeout: int, side: str) -> tuple[KubernetesClient, str]:
    described = dict(described or {})
    namespace = described.pop("namespace", None)
    if not namespace:
        raise UsageError(f"The {side} of secret_copy has no namespace", remedy=f"Give {side}.namespace")
    return KubernetesClient(described, timeout), namespace


def _write(target: KubernetesClient, namespace: str, plans: list[dict[str, Any]], dry_run: bool) -> None:
    done: list[str] = []
    for plan in plans:
        try:
            _write_one(target, namespace, plan, dry_run)
        except KafkaDrError as error:
            if done:
                error.facts["written"] = list(done)
                error.args = (
                    f"{error} Before that, {len(done)} of {len(plans)} Secrets were written; run it again to go on.",
                )
            raise
        if not dry_run:
            done.append(plan["target"])


def _write_one(target: KubernetesClient, namespace: str, plan: dict[str, Any], dry_run: bool) -> None:
    name = plan["target"].split("/", 1)[1]
    path = object_path("v1", "secrets", namespace, name)
    action, before, after = plan["action"], plan["before"], plan["after"]
    if action == "updated":
        for attempt in range(CONFLICT_TRIES):
            try:
                target.replace(path, after, dry_run, what=f"update Secret '{plan['target']}'")
                return
            except ConflictError:
                # Somebody touched it since it was read. Labels of theirs are kept; anything else has to be decided
                # anew.
                now = target.get(path, what=f"read Secret '{plan['target']}'")
                if (
                    attempt == CONFLICT_TRIES - 1
                    or now is None
                    or now.get("data") != before.get("data")
                    or now.get("type") != before.get("type")
                ):
                    raise
                meta = after["metadata"]
                fresh = dict(now["metadata"])
                for part in ("labels", "annotations"):
                    fresh[part] = {**(now["metadata"].get(part) or {}), **(meta.get(part) or {})}
                fresh.pop("managedFields", None)
                after = {**after, "metadata": fresh}
    if action in ("recreated", "deleted"):
        target.delete(
            path,
            dry_run,
            uid=before["metadata"]["uid"],
            resource_version=before["metadata"]["resourceVersion"],
            what=f"delete Secret '{plan['target']}'",
        )
    if action == "created" or (action == "recreated" and not dry_run):
        target.create(object_path("v1", "secrets", namespace), after, dry_run, what=f"create Secret '{plan['target']}'")
