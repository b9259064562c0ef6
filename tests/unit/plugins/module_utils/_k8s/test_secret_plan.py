# SPDX-License-Identifier: GPL-3.0-or-later
"""What a copy has to look like, and what is never shown of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import (
    AuthorizationError,
    KafkaDrError,
    RefusedError,
    TimedOutError,
    UsageError,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import errors
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import secret_plan as plan

# A busy machine is no finding.
calmly = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

texts = st.dictionaries(
    st.sampled_from(["a", "b", "c", "argocd.argoproj.io/instance"]), st.text(max_size=5), max_size=4
)
secrets = st.builds(
    lambda data, labels, annotations: {
        "metadata": {"name": "s", "namespace": "n", "labels": labels, "annotations": annotations},
        "data": data,
    },
    texts,
    texts,
    texts,
)


@calmly
@given(secrets)
def test_a_copy_laid_over_nothing_is_equal(source):
    desired = plan.desired_copy(source, "s", "m")
    assert plan.differences(desired, desired) == []
    assert not any(key.startswith("argocd") for key in desired["metadata"]["labels"])


@calmly
@given(secrets, secrets, secrets)
def test_laying_a_copy_over_anything_settles_it(first, second, theirs):
    copy = plan.updated({**theirs, "type": "Opaque"}, plan.desired_copy(first, "s", "m"))
    desired = plan.desired_copy(second, "s", "m")
    settled = plan.updated(copy, desired)
    assert plan.differences(settled, desired) == []
    plan.check_ownership(settled, desired)
    for part in ("labels", "annotations"):
        for key, value in theirs["metadata"][part].items():
            if key not in first["metadata"][part] and key not in second["metadata"][part]:
                assert settled["metadata"][part][key] == value


def test_a_diff_has_no_value():
    text = "swordfish"
    source = {
        "metadata": {"name": "s", "namespace": "n", "annotations": {plan.NEVER_COPIED[0]: text}},
        "data": {"password": text},
    }
    assert text not in json.dumps(plan.shown(source, ["data.password"]))
    assert text not in json.dumps(plan.differences(source, plan.desired_copy(source, "s", "m")))


@pytest.mark.parametrize(
    "status,answer,kind",
    [
        (403, {"reason": "Forbidden", "message": "no"}, AuthorizationError),
        (
            403,
            {"reason": "Forbidden", "message": "no", "details": {"causes": [{"reason": "NamespaceTerminating"}]}},
            RefusedError,
        ),
        (404, {"reason": "NotFound", "message": "gone"}, errors.NotFoundError),
        (409, {"reason": "Conflict", "message": "newer"}, errors.ConflictError),
        (422, {"reason": "Invalid", "message": "bad"}, UsageError),
        (503, {"reason": "ServiceUnavailable", "message": "later"}, TimedOutError),
        (500, {"reason": "InternalError", "message": "webhook"}, KafkaDrError),
    ],
)
def test_refusals_are_told_apart(status, answer, kind):
    made = errors.from_answer(status, json.dumps(answer).encode(), "read it", "here")
    assert made.__class__ is kind
    assert answer["message"] in str(made)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[1]", b"null"])
def test_an_answer_that_is_no_status_is_still_an_error(body):
    assert "HTTP 502" in str(errors.from_answer(502, b"", "read it", "here"))
    assert isinstance(errors.from_answer(502, body, "read it", "here"), TimedOutError)
