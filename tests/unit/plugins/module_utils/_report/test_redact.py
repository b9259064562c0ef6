# SPDX-License-Identifier: GPL-3.0-or-later
"""No secret gets into a page, whatever field it came in by."""

from __future__ import annotations

import json
import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.junit import junit
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.page import render
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.redact import HIDDEN, redact, text

from .reports import drill

PEM = "-----BEGIN EC PRIVATE KEY-----\nhunter2\n-----END EC PRIVATE KEY-----"
TEXTS = [
    "sasl.password=hunter2",
    "password: hunter2, next",
    '{"sasl.password": "hunter2"}',
    'sasl.jaas.config=org.apache.Module required password="hunter2";',
    "client_secret='hunter2'",
    "https://user:hunter2@host/",
    "Authorization: Bearer hunter2hunter2",
    PEM,
    "cut off " + PEM[:40],
    "api_key=hunter2",
    "KAFKA_PWD=hunter2",
    "passphrase: hunter2",
    "ssl.keystore.key=hunter2",
    "ssl.key.pem: hunter2",
    'export KAFKA_PWD="hunter2 hunter2"',
    'token="a \\" hunter2"',
    'cut off, password="hunter2 hunter2',
    "cut off, password='hunter2 hunter2",
    'cut off, password="hunter2\\',
    json.dumps(json.dumps({"sasl.password": "hunter2"})),
]


@pytest.mark.parametrize("said", TEXTS)
def test_secrets_inside_of_texts_are_hidden(said):
    report = drill()
    report["checks"][0].update(passed=False, found=said)
    report["overrides"] = [said]
    report["versions"]["kafka"] = said
    for made in (render(report), junit(report)):
        assert "hunter2" not in made and HIDDEN in made


@pytest.mark.parametrize(
    "key",
    [
        "sasl.password",
        "ssl.key.pem",
        "PASSWORD",
        "client_secret",
        "vault_token",
        "credentials",
        "sasl.jaas.config",
        "KAFKA_PWD",
        "passphrase",
        "ssl.keystore.key",
    ],
)
def test_values_of_secret_keys_are_hidden_however_deep(key):
    assert "hunter2" not in str(redact({"a": [{key: "hunter2"}, {key: {"deep": ["hunter2"]}}]}))


def test_what_is_none_stays():
    told = {
        "lost": {"payment.tokens": 66},
        "accept_secret": True,
        "text": "the password of kdr-mirror was rotated; offset 12: none",
        "at": "2026-11-21T15:36:01Z",
    }
    assert redact(told) == told


@pytest.mark.parametrize(
    "word",
    ["a", "api_", "password", "password=", 'password="', "://", "a://b:", "-----BEGIN A", "basic ", '\\"'],
    ids=ascii,
)
def test_a_long_text_of_somebody_elses_is_read_once(word):
    # Names of groups have up to 32,767 characters. The square of that took minutes.
    began = time.process_time()
    text(word * (32767 // len(word)))
    text(word + " " * 32767)
    assert time.process_time() - began < 1
