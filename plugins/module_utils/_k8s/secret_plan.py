# SPDX-License-Identifier: GPL-3.0-or-later
"""What the copy of a Secret has to look like, how it differs from what is there, and who that belongs to. Pure.

A value of a Secret never leaves this module other than inside a Secret: differences name keys only.
"""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Sequence
from typing import Any

from .._errors import RefusedError, UsageError

COPIED_FROM = "kafka-dr.streamsafe/copied-from"
APPLIED = "kafka-dr.streamsafe/applied"
OWN_ANNOTATIONS = (COPIED_FROM, APPLIED)
# The first holds the whole Secret again; the others tell a deployment tool that the object is its own, to prune or to
# revert.
NEVER_COPIED = (
    "kubectl.kubernetes.io/last-applied-configuration",
    "argocd.argoproj.io/*",
    "kustomize.toolkit.fluxcd.io/*",
    "helm.toolkit.fluxcd.io/*",
    "meta.helm.sh/*",
) + OWN_ANNOTATIONS
BOUND_TYPES = ("kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token")
HIDDEN = "(hidden)"


def desired_copy(
    source: dict[str, Any],
    name: str,
    namespace: str,
    keys: list[str] | None = None,
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
    without: Sequence[str] = (),
) -> dict[str, Any]:
    """The Secret to be written.

    :param source: the Secret as read.
    :param keys: keys of ``data`` to take; all where None or empty.
    :param labels: set over the source's own; ``annotations`` likewise.
    :param without: shell patterns of label and annotation keys to leave behind.
    :raises UsageError: a chosen key is not there, or the type belongs to its own cluster.
    """
    _refuse_uncopyable(source, keys)
    data, meta = source.get("data") or {}, source.get("metadata") or {}
    patterns = tuple(NEVER_COPIED) + tuple(without)
    wanted_labels = {**left(meta.get("labels"), patterns), **(labels or {})}
    wanted_annotations = {**left(meta.get("annotations"), patterns), **(annotations or {})}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": source.get("type") or "Opaque",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": wanted_labels,
            "annotations": {
                **wanted_annotations,
                COPIED_FROM: origin_of(source),
                APPLIED: json.dumps({"labels": wanted_labels, "annotations": wanted_annotations}, sort_keys=True),
            },
        },
        "data": {key: data[key] for key in (keys or sorted(data))},
    }


def _refuse_uncopyable(source: dict[str, Any], keys: list[str] | None) -> None:
    origin, kind, data = origin_of(source), source.get("type"), source.get("data") or {}
    if kind in BOUND_TYPES:
        raise UsageError(
            f"Secret '{origin}' has the type {kind}",
            expected="a Secret that means the same elsewhere",
            found="a token that its own cluster signs",
            remedy="Make a ServiceAccount in the target instead",
        )
    absent = [key for key in keys or [] if key not in data]
    if absent:
        raise UsageError(
            f"Secret '{origin}' has no key {', '.join(absent)}",
            expected=", ".join(keys or []),
            found=", ".join(sorted(data)) or "no keys",
            remedy="Correct keys",
        )


def left(metadata: dict[str, str] | None, patterns: tuple[Any, ...]) -> dict[str, str]:
    return {
        key: value
        for key, value in (metadata or {}).items()
        if not any(fnmatch.fnmatchcase(key, pattern) for pattern in patterns)
    }


def origin_of(secret: dict[str, Any]) -> str:
    """``namespace/name``."""
    meta = secret.get("metadata") or {}
    return f"{meta.get('namespace')}/{meta.get('name')}"


def copied_from(secret: dict[str, Any]) -> str | None:
    """``namespace/name`` of the Secret that this one was copied from, or None where it is not a copy of ours."""
    return ((secret.get("metadata") or {}).get("annotations") or {}).get(COPIED_FROM)


def differences(existing: dict[str, Any], desired: dict[str, Any]) -> list[str]:
    """What differs, as paths without values: ``type``, ``data.password``, ``labels.team``, ``annotations.note``.

    Labels and annotations that the target has on top are its own and no difference.
    """
    found = []
    if (existing.get("type") or "Opaque") != desired["type"]:
        found.append("type")
    old, new = existing.get("data") or {}, desired["data"]
    found += ["data." + key for key in sorted(set(old) | set(new)) if old.get(key) != new.get(key)]
    meta = existing.get("metadata") or {}
    for part in ("labels", "annotations"):
        have, want = meta.get(part) or {}, desired["metadata"][part]
        found += [f"{part}.{key}" for key in sorted(want) if key not in OWN_ANNOTATIONS and have.get(key) != want[key]]
        found += [f"{part}.{key}" for key in sorted(_given_up(existing, desired, part))]
    return found


def _applied(existing: dict[str, Any], part: str) -> dict[str, str]:
    text = ((existing.get("metadata") or {}).get("annotations") or {}).get(APPLIED)
    try:
        return dict(json.loads(text or "{}").get(part) or {})
    except (ValueError, AttributeError, TypeError):
        return {}


def _given_up(existing: dict[str, Any], desired: dict[str, Any], part: str) -> list[str]:
    """Keys that we once set, that the source no longer has, and that are still as we left them."""
    have = (existing.get("metadata") or {}).get(part) or {}
    return [
        key
        for key, value in _applied(existing, part).items()
        if key not in desired["metadata"][part] and have.get(key) == value
    ]


def check_ownership(existing: dict[str, Any], desired: dict[str, Any]) -> None:
    """Refuse to write over what is not a copy of ours.

    :raises RefusedError: what is there has another owner, is no copy, is a copy of something else, or carries a label
        that somebody else has set.
    """
    where, origin = origin_of(existing), desired["metadata"]["annotations"][COPIED_FROM]
    differing = differences(existing, desired)
    ours = copied_from(existing)
    if not differing and ours == origin:
        return
    if differing:
        _refuse_owned(existing, differing)
    if ours is None and differing:
        raise RefusedError(
            f"Secret '{where}' is already there and is no copy of '{origin}'",
            expected="no such Secret, or an equal one",
            found=f"differences in {', '.join(differing)}",
            remedy="Rename the copy, or set on_existing=replace or keep",
            code="different",
        )
    if ours is not None and ours != origin:
        raise RefusedError(
            f"Secret '{where}' is a copy of another Secret",
            expected=f"a copy of {origin}",
            found=f"a copy of {ours}",
            remedy="Rename the copy, or set on_existing=replace",
            code="other_origin",
        )
    foreign = _foreign(existing, desired)
    if foreign:
        raise RefusedError(
            f"Secret '{where}' has {', '.join(foreign)} set by somebody else since the last copy",
            expected=f"the values of {origin}, or those of the last copy",
            found="other values",
            remedy="Name the keys under without, or set on_existing=replace",
            code="foreign_label",
        )


def _refuse_owned(existing: dict[str, Any], differing: list[str]) -> None:
    meta = existing.get("metadata") or {}
    owners = [f"{owner.get('kind')}/{owner.get('name')}" for owner in meta.get("ownerReferences") or []]
    if owners:
        raise RefusedError(
            f"Secret '{origin_of(existing)}' belongs to {', '.join(owners)}, which would undo the copy",
            expected="a Secret without owner",
            found=", ".join(differing),
            remedy="Remove the owner, rename the copy, or set on_existing=replace",
            code="owned",
        )


def _foreign(existing: dict[str, Any], desired: dict[str, Any]) -> list[str]:
    found = []
    for part in ("labels", "annotations"):
        have, applied = (existing.get("metadata") or {}).get(part) or {}, _applied(existing, part)
        for key, value in desired["metadata"][part].items():
            if key in have and key not in OWN_ANNOTATIONS and have[key] != value and have[key] != applied.get(key):
                found.append(f"{part}.{key}")
    return sorted(found)


def updated(existing: dict[str, Any], desired: dict[str, Any]) -> dict[str, Any]:
    """The existing Secret with the copy laid over it; what the target added to labels and annotations stays."""
    meta = dict(existing.get("metadata") or {})
    for part in ("labels", "annotations"):
        given_up = _given_up(existing, desired, part)
        kept = {key: value for key, value in (meta.get(part) or {}).items() if key not in given_up}
        meta[part] = {**kept, **desired["metadata"][part]}
    meta.pop("managedFields", None)
    return {**existing, "metadata": meta, "type": desired["type"], "data": desired["data"]}


def needs_recreation(existing: dict[str, Any], desired: dict[str, Any], differing: list[str]) -> str | None:
    """Why the Secret cannot be changed in place: ``immutable``, ``type``, or None."""
    if "type" in differing:
        return "type"
    if existing.get("immutable") and any(field.startswith("data.") for field in differing):
        return "immutable"
    return None


def shown(secret: dict[str, Any], changed_keys: Sequence[str] = ()) -> dict[str, Any]:
    """A Secret for a diff: metadata as it is, of the data only the keys."""
    if secret is None:
        return {}
    meta = secret.get("metadata") or {}
    annotations = {
        key: value for key, value in (meta.get("annotations") or {}).items() if key not in (NEVER_COPIED[0], APPLIED)
    }
    return {
        "type": secret.get("type") or "Opaque",
        "metadata": {
            "name": meta.get("name"),
            "namespace": meta.get("namespace"),
            "labels": meta.get("labels") or {},
            "annotations": annotations,
        },
        "data": {
            key: HIDDEN + (" changed" if "data." + key in changed_keys else "")
            for key in sorted(secret.get("data") or {})
        },
    }
