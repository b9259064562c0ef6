# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Copy Secrets from one namespace or cluster to another: plan everything, try everything, then write."""

from __future__ import annotations

import re

from ._errors import KafkaDrError, RefusedError, UsageError
from ._k8s import secret_plan
from ._k8s.client import ConflictError, KubernetesClient, NotFoundError, object_path
from ._k8s.secret_plan import copied_from, origin_of

CONFLICT_TRIES = 5


def secret_copy(params, check_mode):
    """The module's work.

    :param params: as documented by the module ``secret_copy``.
    :returns: ``changed``, ``secrets`` (rows ``{source, target, action, differences}``) and ``diff``; no value of any Secret.
    :raises KafkaDrError: nothing was changed, unless the message says what was.
    """
    target, target_namespace = _side(params["target"], params["timeout"], "target")
    if params["state"] == "absent":
        plans = _plan_removal(target, target_namespace, params)
    else:
        source, source_namespace = _side(params["source"], params["timeout"], "source")
        plans = _plan_copies(source, source_namespace, target, target_namespace, params, check_mode)
    acting = [plan for plan in plans if plan["action"] in ("created", "updated", "recreated", "deleted")]
    # A dry run of the whole first: a right that is missing, or a policy that objects, stops it before anything is written.
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
            {"before_header": plan["target"], "after_header": plan["target"], "before": secret_plan.shown(plan["before"], ()),
             "after": secret_plan.shown(plan["after"], plan["differences"])}
            for plan in acting
        ],
    }


def _side(described, timeout, side):
    described = dict(described or {})
    namespace = described.pop("namespace", None)
    if not namespace:
        raise UsageError("The %s of secret_copy has no namespace" % side, remedy="Give %s.namespace" % side)
    return KubernetesClient(described, timeout), namespace


def _plan_copies(source, source_namespace, target, target_namespace, params, check_mode):
    wanted = {}
    chosen, missing = _chosen(source, source_namespace, params, check_mode)
    for one in chosen:
        old = one["metadata"]["name"]
        name = (params["rename"] or {}).get(old, "%s%s" % (params["prefix"] or "", old))
        if name in wanted:
            raise UsageError("Two Secrets would become '%s/%s'" % (target_namespace, name), found="%s and %s" % (wanted[name]["metadata"]["name"], old),
                             remedy="Correct rename")
        wanted[name] = one
    unknown = sorted(set(params["rename"] or {}) - {one["metadata"]["name"] for one in wanted.values()} - set(missing))
    if unknown:
        raise UsageError("rename names Secrets that are not copied", found=", ".join(unknown), remedy="Correct rename or names")
    if source.host == target.host and source_namespace == target_namespace:
        same = [name for name, one in wanted.items() if one["metadata"]["name"] == name]
        if same:
            raise UsageError("Secret '%s/%s' would be copied onto itself" % (target_namespace, same[0]), remedy="Give rename, prefix or another namespace")
    there = _existing(target, target_namespace, sorted(wanted))
    plans = [
        {"source": "%s/%s" % (source_namespace, name), "target": None, "before": None, "after": None, "action": "source_absent", "differences": []}
        for name in missing
    ]
    refused = []
    for name, one in wanted.items():
        try:
            desired = secret_plan.desired_copy(one, name, target_namespace, params["keys"], params["labels"], params["annotations"], params["without"] or ())
            plans.append(_plan(origin_of(one), there[name], desired, params))
        except RefusedError as error:
            refused.append(error)
    if refused:
        raise _all_of(refused)
    return plans


def _all_of(refused):
    if len(refused) == 1:
        return refused[0]
    return RefusedError("%d Secrets cannot be copied; nothing was changed. %s" % (len(refused), " ".join(str(one) for one in refused)),
                        codes=sorted({one.facts.get("code", "") for one in refused}))


def _plan(origin, existing, desired, params):
    where = origin_of(desired)
    plan = {"source": origin, "target": where, "before": existing, "after": desired, "differences": []}
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
        found = "immutable: true" if why == "immutable" else "type %s" % (existing.get("type") or "Opaque")
        raise RefusedError(
            "Secret '%s' cannot be changed in place" % where, expected="a Secret that is not immutable" if why == "immutable" else "type %s" % desired["type"],
            found=found, remedy="Set recreate=true to delete and make it again", code=why,
        )
    if not differing:
        # Equal, and from now on known to be a copy, so that a later rotation repairs it.
        plan["differences"] = ["annotations." + secret_plan.COPIED_FROM]
    return {**plan, "action": "recreated" if why else "updated", "after": desired if why else secret_plan.updated(existing, desired)}


def _chosen(source, namespace, params, check_mode):
    """``(the Secrets to copy, by name; names that are not there yet)``; the second is filled in check mode only, elsewhere it is an error."""
    chosen = {}
    missing = []
    for name in params["names"] or []:
        found = source.get(object_path("v1", "secrets", namespace, name), what="read Secret '%s/%s'" % (namespace, name))
        if found is None:
            missing.append(name)
        else:
            chosen[name] = found
    if missing and not check_mode:
        raise NotFoundError("Secret %s is missing" % ", ".join("'%s/%s'" % (namespace, name) for name in missing), expected="to find it in %s" % source.name,
                            remedy="Correct source.namespace or names; an operator may not have made it yet", missing=missing)
    if params["label_selector"] or params["name_regex"]:
        pattern = _compiled(params["name_regex"] or ".*")
        listed = source.list(object_path("v1", "secrets", namespace), params["label_selector"], what="list the Secrets of namespace '%s'" % namespace)
        matched = {one["metadata"]["name"]: one for one in listed if pattern.fullmatch(one["metadata"]["name"])}
        if not matched and not params["allow_none"] and not check_mode:
            raise NotFoundError("No Secret of namespace '%s' in %s matches" % (namespace, source.name),
                                expected="label_selector '%s', name_regex '%s'" % (params["label_selector"] or "", params["name_regex"] or ".*"),
                                found="%d Secrets with such labels" % len(listed), remedy="Correct the selection, or set allow_none=true")
        chosen.update(matched)
    return [chosen[name] for name in sorted(chosen)], missing


def _compiled(pattern):
    try:
        return re.compile(pattern)
    except re.error as error:
        raise UsageError("name_regex '%s' is no regular expression" % pattern, found=str(error)) from error


def _existing(target, namespace, names):
    return {
        name: target.get(object_path("v1", "secrets", namespace, name), what="read Secret '%s/%s'" % (namespace, name)) for name in names
    }


def _plan_removal(target, namespace, params):
    if params["label_selector"] or params["name_regex"]:
        pattern = _compiled(params["name_regex"] or ".*")
        listed = target.list(object_path("v1", "secrets", namespace), params["label_selector"], what="list the Secrets of namespace '%s'" % namespace)
        found = {one["metadata"]["name"]: one for one in listed if pattern.fullmatch(one["metadata"]["name"]) and copied_from(one)}
    else:
        found = {}
    for name in params["names"] or []:
        renamed = (params["rename"] or {}).get(name, "%s%s" % (params["prefix"] or "", name))
        found[renamed] = _existing(target, namespace, [renamed])[renamed]
    plans, refused = [], []
    for name in sorted(found):
        one = found[name]
        plan = {"source": copied_from(one) if one else None, "target": "%s/%s" % (namespace, name), "before": one, "after": None, "differences": []}
        if one is None:
            plan["action"] = "absent"
        elif copied_from(one) or params["on_existing"] == "replace":
            plan["action"] = "deleted"
        else:
            refused.append(RefusedError("Secret '%s/%s' is no copy of ours and is not deleted" % (namespace, name), expected="the annotation %s"
                                        % secret_plan.COPIED_FROM, found="none", remedy="Delete it yourself, or set on_existing=replace", code="different"))
            continue
        plans.append(plan)
    if refused:
        raise _all_of(refused)
    return plans


def _write(target, namespace, plans, dry_run):
    done = []
    for plan in plans:
        try:
            _write_one(target, namespace, plan, dry_run)
        except KafkaDrError as error:
            if done:
                error.facts["written"] = list(done)
                error.args = ("%s Before that, %d of %d Secrets were written; run it again to go on." % (error, len(done), len(plans)),)
            raise
        if not dry_run:
            done.append(plan["target"])


def _write_one(target, namespace, plan, dry_run):
    name = plan["target"].split("/", 1)[1]
    path = object_path("v1", "secrets", namespace, name)
    action, before, after = plan["action"], plan["before"], plan["after"]
    if action == "updated":
        for attempt in range(CONFLICT_TRIES):
            try:
                target.replace(path, after, dry_run, what="update Secret '%s'" % plan["target"])
                return
            except ConflictError:
                # Somebody touched it since it was read. Labels of theirs are kept; anything else has to be decided anew.
                now = target.get(path, what="read Secret '%s'" % plan["target"])
                if attempt == CONFLICT_TRIES - 1 or now is None or now.get("data") != before.get("data") or now.get("type") != before.get("type"):
                    raise
                meta = after["metadata"]
                fresh = dict(now["metadata"])
                for part in ("labels", "annotations"):
                    fresh[part] = {**(now["metadata"].get(part) or {}), **(meta.get(part) or {})}
                fresh.pop("managedFields", None)
                after = {**after, "metadata": fresh}
    if action in ("recreated", "deleted"):
        target.delete(path, dry_run, uid=before["metadata"]["uid"], resource_version=before["metadata"]["resourceVersion"],
                      what="delete Secret '%s'" % plan["target"])
    if action == "created" or (action == "recreated" and not dry_run):
        target.create(object_path("v1", "secrets", namespace), after, dry_run, what="create Secret '%s'" % plan["target"])
