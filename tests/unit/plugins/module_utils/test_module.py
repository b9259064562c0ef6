# SPDX-License-Identifier: GPL-3.0-or-later
"""What every module does before its work: a secret in an option that Ansible prints is refused, and not printed by the
refusal either.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.client_secrets import is_secret, secrets_in
from tests.support.module_runs import run_module_file

SECRET = "t0p-s3cret-pa55word"


@pytest.mark.parametrize(
    "module, option, other",
    [
        ("cluster_info", "client", {}),
        ("mirror_offsets_info", "target_client", {"source_alias": "a", "target_alias": "b"}),
        (
            "mirror_probe",
            "writer_client",
            {"source_client": {}, "target_client": {}, "topic": "t", "target_topic": "t"},
        ),
    ],
)
def test_a_secret_among_what_is_printed_is_refused_and_hidden(module, option, other):
    arguments = {
        **other,
        option: {"bootstrap.servers": "127.0.0.1:1", "sasl.password": SECRET, "note": f"it is {SECRET}"},
        "_ansible_verbosity": 5,
    }
    result, done = run_module_file(module, arguments)
    assert result["failed"] and result["error"] == "usage"
    assert f"expected secrets in {option}_secrets only, found sasl.password in {option}" in result["msg"]
    assert SECRET not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "key",
    [
        "sasl.password",
        "ssl.key.pem",
        "ssl.key.password",
        "sasl.jaas.config",
        "sasl.oauthbearer.client.secret",
        "ssl.keystore.key",
        "ssl.truststore.password",
        "basic.auth.user.info",
        "schema.registry.basic_auth",
        "api_key",
        "apikey",
        "SASL.PASSWORD",
        "passphrase",
        "token",
    ],
)
def test_a_key_of_a_secret_is_known(key):
    assert is_secret(key) and secrets_in({key: "x", "bootstrap.servers": "a:1"}) == {key: "x"}


@pytest.mark.parametrize(
    "key",
    [
        "bootstrap.servers",
        "sasl.mechanism",
        "sasl.username",
        "ssl.ca.pem",
        "ssl.certificate.pem",
        "ssl.key.encrypted",
        "ssl.key.location",
        "sasl.oauthbearer.token.endpoint.url",
        "sasl.oauthbearer.client.id",
        "enable.sasl.oauthbearer.unsecure.jwt",
    ],
)
def test_a_key_of_none_is_let_through(key):
    assert not is_secret(key)


def test_an_empty_value_is_no_secret():
    assert secrets_in({"sasl.password": "", "ssl.key.pem": None}) == {}


def test_a_comparison_needs_no_alias():
    clients = {
        "source_client": {"bootstrap.servers": "127.0.0.1:1"},
        "target_client": {"bootstrap.servers": "127.0.0.1:1"},
    }
    result, done = run_module_file("topic_compare_info", {**clients, "topics": "t", "timeout": 3})
    assert result["failed"] and "missing required arguments" not in result["msg"], done.stdout
    assert "expected a broker at 127.0.0.1:1" in result["msg"]


@pytest.mark.parametrize(
    ("more", "secrets", "said"),
    [
        ({"enable.ssl.certificate.verification": "false"}, {}, "enable.ssl.certificate.verification=false"),
        ({"ssl.endpoint.identification.algorithm": "none"}, {}, "ssl.endpoint.identification.algorithm=none"),
        ({}, {"enable.ssl.certificate.verification": False}, "enable.ssl.certificate.verification=false"),
        ({"security.protocol": "SSL"}, {}, ""),
    ],
)
def test_a_connection_that_is_not_verified_is_told_by_the_module_itself(more, secrets, said):
    """No inventory, whose check would refuse it, stands behind a module that somebody uses on its own."""
    client = {"bootstrap.servers": "127.0.0.1:1", "security.protocol": "SSL", **more}
    result, dummy = run_module_file("cluster_info", {"client": client, "client_secrets": secrets, "timeout": 1})
    told = [str(one) for one in result.get("warnings", []) if "is not verified" in str(one)]
    assert len(told) == bool(said) and all(f"127.0.0.1:1 is not verified ({said})" in one for one in told), result
