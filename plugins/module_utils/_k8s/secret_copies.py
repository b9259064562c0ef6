# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Secrets are copied or removed, and what happens to each."""

from __future__ import annotations

import re
from typing import Any

from .._errors import RefusedError, UsageError
from . import secret_plan
from .client import KubernetesClient, NotFoundError, object_path
from .secret_plan import copied_from, origin_of


def plan_copies(
    source: KubernetesClient,
    source_namespace: str,
    target: KubernetesClient,
    target_namespace: str,
    params: dict[str, Any],
    check_mode: bool,
) -> list[dict[str, Any]]:
    chosen, missing = _chosen(source, source_namespace, params, check_mode)
    wanted = _by_new_name(chosen, missing, target_namespace, params)
    if source.host == target.host and source_namespace == target_namespace:
        _refuse_same_name(wanted, target_namespace)
    existing = _existing(target, target_namespace, sorted(wanted))
    plans = [_source_absent(f"{source_namespace}/{name}") for name in missing]
    refused = []
    for name, secret in wanted.items():
        try:
            desired = secret_plan.desired_copy(
                secret,
                name,
                target_namespace,
                params["keys"],
                params["labels"],
                params["annotations"],
                params["without"] or (),
            )
            plans.append(_plan(origin_of(secret), existing[name], desired, params))
        except RefusedError as error:
            refused.append(error)
    if refused:
        raise _all_of(refused)
    return plans


def _refuse_same_name(wanted: dict[str, dict[str, Any]], namespace: str) -> None:
    same = [name for name, secret in wanted.items() if secret["metadata"]["name"] == name]
    if same:
        raise UsageError(
            f"Secret '{namespace}/{same[0]}' would be copied onto itself",
            remedy="Give rename, prefix or another namespace",
        )


def _source_absent(secret: str) -> dict[str, Any]:
    return {
        "source": secret,
        "target": None,
        "before": None,
        "after": None,
        "action": "source_absent",
        "differences": [],
    }


def _by_new_name(
    chosen: list[dict[str, Any]], missing: list[str], target_namespace: str, params: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """The chosen Secrets by the names of their copies."""
    wanted: dict[str, dict[str, Any]] = {}
    for secret in chosen:
        old = secret["metadata"]["name"]
        name = (params["rename"] or {}).get(old, f"{params['prefix'] or ''}{old}")
        if name in wanted:
            raise UsageError(
                f"Two Secrets would become '{target_namespace}/{name}'",
                found=f"{wanted[name]['metadata']['name']} and {old}",
                remedy="Correct rename",
            )
        wanted[name] = secret
    unknown = sorted(
        set(params["rename"] or {}) - {secret["metadata"]["name"] for secret in wanted.values()} - set(missing)
    )
    if unknown:
        raise UsageError(
            "rename names Secrets that are not copied", found=", ".join(unknown), remedy="Correct rename or names"
        )
    return wanted


def _all_of(refused: list[RefusedError]) -> RefusedError:
    if len(refused) == 1:
        return refused[0]
    return RefusedError(
        f"{len(refused)} Secrets cannot be copied; nothing was changed. {' '.join(str(error) for error in refused)}",
        codes=sorted({error.facts.get("code", "") for error in refused}),
    )


def _plan(
    origin: str, existing: dict[str, Any] | None, desired: dict[str, Any], params: dict[str, Any]
) -> dict[str, Any]:
    where = origin_of(desired)
    plan: dict[str, Any] = {"source": origin, "target": where, "before": existing, "after": desired, "differences": []}
    if existing is None:
        return {**plan, "action": "created", "differences": ["data." + key for key in desired["data"]]}
    differing = secret_plan.differences(existing, desired)
    plan["differences"] = differing
    if not differing and copied_from(existing) == origin:
        return {**plan, "action": "unchanged"}
    if params["on_existing"] == "keep" and copied_from(existing) != origin:
        return {**plan, "action": "kept"}
    if params["on_existing"] != "replace":
        secret_plan.check_ownership(existing, desired)
    why = secret_plan.needs_recreation(existing, desired, differing)
    if why and not params["recreate"]:
        found = "immutable: true" if why == "immutable" else f"type {existing.get('type') or 'Opaque'}"
        raise RefusedError(
            f"Secret '{where}' cannot be changed in place",
            expected="a Secret that is not immutable" if why == "immutable" else f"type {desired['type']}",
            found=found,
            remedy="Set recreate=true to delete and make it again",
            code=why,
        )
    if not differing:
        # Equal, and from now on known to be a copy, so that a later rotation repairs it.
        plan["differences"] = ["annotations." + secret_plan.COPIED_FROM]
    return {
        **plan,
        "action": "recreated" if why else "updated",
        "after": desired if why else secret_plan.updated(existing, desired),
    }


def _chosen(
    source: KubernetesClient, namespace: str, params: dict[str, Any], check_mode: bool
) -> tuple[list[dict[str, Any]], list[str]]:
    """``(the Secrets to copy, by name; names that are not there yet)``; the second is filled in check mode only,
    elsewhere it is an error.
    """
    chosen = {}
    missing = []
    for name in params["names"] or []:
        found = source.get(object_path("v1", "secrets", namespace, name), what=f"read Secret '{namespace}/{name}'")
        if found is None:
            missing.append(name)
        else:
            chosen[name] = found
    if missing and not check_mode:
        raise NotFoundError(
            f"Secret {', '.join(repr(f'{namespace}/{name}') for name in missing)} is missing",
            expected=f"to find it in {source.name}",
            remedy="Correct source.namespace or names; an operator may not have made it yet",
            missing=missing,
        )
    if params["label_selector"] or params["name_regex"]:
        pattern = _compiled(params["name_regex"] or ".*")
        listed = source.list(
            object_path("v1", "secrets", namespace),
            params["label_selector"],
            what=f"list the Secrets of namespace '{namespace}'",
        )
        by_name = {secret["metadata"]["name"]: secret for secret in listed}
        matched = {name: secret for name, secret in by_name.items() if pattern.fullmatch(name)}
        if not matched and not params["allow_none"] and not check_mode:
            raise NotFoundError(
                f"No Secret of namespace '{namespace}' in {source.name} matches",
                expected=f"label_selector '{params['label_selector'] or ''}', name_regex '{pattern.pattern}'",
                found=f"{len(listed)} Secrets with such labels",
                remedy="Correct the selection, or set allow_none=true",
            )
        chosen.update(matched)
    return [chosen[name] for name in sorted(chosen)], missing


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise UsageError(f"name_regex '{pattern}' is no regular expression", found=str(error)) from error


def _existing(target: KubernetesClient, namespace: str, names: list[str]) -> dict[str, dict[str, Any] | None]:
    return {
        name: target.get(object_path("v1", "secrets", namespace, name), what=f"read Secret '{namespace}/{name}'")
        for name in names
    }


def plan_removal(target: KubernetesClient, namespace: str, params: dict[str, Any]) -> list[dict[str, Any]]:
    found = _to_remove(target, namespace, params)
    plans: list[dict[str, Any]] = []
    refused: list[RefusedError] = []
    for name in sorted(found):
        secret = found[name]
        plan: dict[str, Any] = {
            "source": copied_from(secret) if secret else None,
            "target": f"{namespace}/{name}",
            "before": secret,
            "after": None,
            "differences": [],
        }
        if secret is None:
            plans.append({**plan, "action": "absent"})
        elif copied_from(secret) or params["on_existing"] == "replace":
            plans.append({**plan, "action": "deleted"})
        else:
            refused.append(
                RefusedError(
                    f"Secret '{namespace}/{name}' is no copy of ours and is not deleted",
                    expected=f"the annotation {secret_plan.COPIED_FROM}",
                    found="none",
                    remedy="Delete it yourself, or set on_existing=replace",
                    code="different",
                )
            )
    if refused:
        raise _all_of(refused)
    return plans


def _to_remove(target: KubernetesClient, namespace: str, params: dict[str, Any]) -> dict[str, dict[str, Any] | None]:
    """The Secrets by name: copies that the selectors choose, and those that are named, None for what is not there."""
    found: dict[str, dict[str, Any] | None] = {}
    if params["label_selector"] or params["name_regex"]:
        pattern = _compiled(params["name_regex"] or ".*")
        listed = target.list(
            object_path("v1", "secrets", namespace),
            params["label_selector"],
            what=f"list the Secrets of namespace '{namespace}'",
        )
        for secret in listed:
            if pattern.fullmatch(secret["metadata"]["name"]) and copied_from(secret):
                found[secret["metadata"]["name"]] = secret
    for name in params["names"] or []:
        renamed = (params["rename"] or {}).get(name, f"{params['prefix'] or ''}{name}")
        found[renamed] = _existing(target, namespace, [renamed])[renamed]
    return found
