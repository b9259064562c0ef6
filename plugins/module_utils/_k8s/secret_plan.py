# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""What the copy of a Secret has to look like, how it differs from what is there, and who that belongs to. Pure.

A value of a Secret never leaves this module other than inside a Secret: differences name keys only.
"""

from __future__ import annotations

import fnmatch
import json

from .._errors import RefusedError, UsageError

COPIED_FROM = "kafka-dr.streamsafe/copied-from"
APPLIED = "kafka-dr.streamsafe/applied"
OWN_ANNOTATIONS = (COPIED_FROM, APPLIED)
# The first holds the whole Secret again; the others tell a deployment tool that the object is its own, to prune or to revert.
NEVER_COPIED = (
    "kubectl.kubernetes.io/last-applied-configuration", "argocd.argoproj.io/*", "kustomize.toolkit.fluxcd.io/*", "helm.toolkit.fluxcd.io/*",
    "meta.helm.sh/*",
) + OWN_ANNOTATIONS
BOUND_TYPES = ("kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token")
HIDDEN = "(hidden)"


def desired_copy(source, name, namespace, keys=None, labels=None, annotations=None, without=()):
    """The Secret to be written.

    :param source: the Secret as read.
    :param keys: keys of ``data`` to take; all where None or empty.
    :param labels: set over the source's own; ``annotations`` likewise.
    :param without: shell patterns of label and annotation keys to leave behind.
    :raises UsageError: a chosen key is not there, or the type belongs to its own cluster.
    """
    origin = origin_of(source)
    kind = source.get("type") or "Opaque"
    if kind in BOUND_TYPES:
        raise UsageError("Secret '%s' has the type %s" % (origin, kind), expected="a Secret that means the same elsewhere",
                         found="a token that its own cluster signs", remedy="Make a ServiceAccount in the target instead")
    data = source.get("data") or {}
    absent = [key for key in keys or [] if key not in data]
    if absent:
        raise UsageError("Secret '%s' has no key %s" % (origin, ", ".join(absent)), expected=", ".join(keys), found=", ".join(sorted(data)) or "no keys",
                         remedy="Correct keys")
    patterns = tuple(NEVER_COPIED) + tuple(without)
    meta = source.get("metadata") or {}
    wanted_labels = {**left(meta.get("labels"), patterns), **(labels or {})}
    wanted_annotations = {**left(meta.get("annotations"), patterns), **(annotations or {})}
    return {
        "apiVersion": "v1", "kind": "Secret", "type": kind,
        "metadata": {
            "name": name, "namespace": namespace, "labels": wanted_labels,
            "annotations": {
                **wanted_annotations, COPIED_FROM: origin,
                APPLIED: json.dumps({"labels": wanted_labels, "annotations": wanted_annotations}, sort_keys=True),
            },
        },
        "data": {key: data[key] for key in (keys or sorted(data))},
    }


def left(metadata, patterns):
    return {key: value for key, value in (metadata or {}).items() if not any(fnmatch.fnmatchcase(key, one) for one in patterns)}


def origin_of(secret):
    """``namespace/name``."""
    meta = secret.get("metadata") or {}
    return "%s/%s" % (meta.get("namespace"), meta.get("name"))


def copied_from(secret):
    """``namespace/name`` of the Secret that this one was copied from, or None where it is not a copy of ours."""
    return ((secret.get("metadata") or {}).get("annotations") or {}).get(COPIED_FROM)


def differences(existing, desired):
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
        found += ["%s.%s" % (part, key) for key in sorted(want) if key not in OWN_ANNOTATIONS and have.get(key) != want[key]]
        found += ["%s.%s" % (part, key) for key in sorted(_given_up(existing, desired, part))]
    return found


def _applied(existing, part):
    text = ((existing.get("metadata") or {}).get("annotations") or {}).get(APPLIED)
    try:
        return dict(json.loads(text or "{}").get(part) or {})
    except (ValueError, AttributeError, TypeError):
        return {}


def _given_up(existing, desired, part):
    """Keys that we once set, that the source no longer has, and that are still as we left them."""
    have = (existing.get("metadata") or {}).get(part) or {}
    return [key for key, value in _applied(existing, part).items() if key not in desired["metadata"][part] and have.get(key) == value]


def check_ownership(existing, desired):
    """Refuse to write over what is not a copy of ours.

    :raises RefusedError: what is there has another owner, is no copy, is a copy of something else, or carries a label that somebody else has set.
    """
    where, origin = origin_of(existing), desired["metadata"]["annotations"][COPIED_FROM]
    meta = existing.get("metadata") or {}
    differing = differences(existing, desired)
    owners = ["%s/%s" % (one.get("kind"), one.get("name")) for one in meta.get("ownerReferences") or []]
    ours = copied_from(existing)
    if not differing and ours == origin:
        return
    if owners and differing:
        raise RefusedError("Secret '%s' belongs to %s, which would undo the copy" % (where, ", ".join(owners)), expected="a Secret without owner",
                           found=", ".join(differing), remedy="Remove the owner, rename the copy, or set on_existing=replace", code="owned")
    if ours is None and differing:
        raise RefusedError("Secret '%s' is already there and is no copy of '%s'" % (where, origin), expected="no such Secret, or an equal one",
                           found="differences in %s" % ", ".join(differing), remedy="Rename the copy, or set on_existing=replace or keep", code="different")
    if ours is not None and ours != origin:
        raise RefusedError("Secret '%s' is a copy of another Secret" % where, expected="a copy of %s" % origin, found="a copy of %s" % ours,
                           remedy="Rename the copy, or set on_existing=replace", code="other_origin")
    foreign = _foreign(existing, desired)
    if foreign:
        raise RefusedError("Secret '%s' has %s set by somebody else since the last copy" % (where, ", ".join(foreign)),
                           expected="the values of %s, or those of the last copy" % origin, found="other values",
                           remedy="Name the keys under without, or set on_existing=replace", code="foreign_label")


def _foreign(existing, desired):
    found = []
    for part in ("labels", "annotations"):
        have, applied = (existing.get("metadata") or {}).get(part) or {}, _applied(existing, part)
        for key, value in desired["metadata"][part].items():
            if key in have and key not in OWN_ANNOTATIONS and have[key] != value and have[key] != applied.get(key):
                found.append("%s.%s" % (part, key))
    return sorted(found)


def updated(existing, desired):
    """The existing Secret with the copy laid over it; what the target added to labels and annotations stays."""
    meta = dict(existing.get("metadata") or {})
    for part in ("labels", "annotations"):
        given_up = _given_up(existing, desired, part)
        kept = {key: value for key, value in (meta.get(part) or {}).items() if key not in given_up}
        meta[part] = {**kept, **desired["metadata"][part]}
    meta.pop("managedFields", None)
    return {**existing, "metadata": meta, "type": desired["type"], "data": desired["data"]}


def needs_recreation(existing, desired, differing):
    """Why the Secret cannot be changed in place: ``immutable``, ``type``, or None."""
    if "type" in differing:
        return "type"
    if existing.get("immutable") and any(one.startswith("data.") for one in differing):
        return "immutable"
    return None


def shown(secret, changed_keys=()):
    """A Secret for a diff: metadata as it is, of the data only the keys."""
    if secret is None:
        return {}
    meta = secret.get("metadata") or {}
    annotations = {key: value for key, value in (meta.get("annotations") or {}).items() if key not in (NEVER_COPIED[0], APPLIED)}
    return {
        "type": secret.get("type") or "Opaque",
        "metadata": {"name": meta.get("name"), "namespace": meta.get("namespace"), "labels": meta.get("labels") or {}, "annotations": annotations},
        "data": {key: HIDDEN + (" changed" if "data." + key in changed_keys else "") for key in sorted(secret.get("data") or {})},
    }
