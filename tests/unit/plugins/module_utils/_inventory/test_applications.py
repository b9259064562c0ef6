# SPDX-License-Identifier: GPL-3.0-or-later
"""Applications of an inventory: checked, batched, and told their region."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import applications as _applications

APPLICATIONS = {
    "sa": {
        "kafka_dr_applications": [
            {"name": "in", "kind": "process", "role": "producer"},
            {"name": "out", "kind": "hook", "role": "consumer", "host": "m1"},
        ]
    },
    "eu": {},
}


def test_applications_by_role_with_their_host():
    assert [one["name"] for one in _applications.applications(APPLICATIONS, ["sa", "eu"], ["producer"])] == ["in"]
    both = _applications.applications(APPLICATIONS, ["sa"], ["producer", "consumer"])
    assert [(one["host"], one["region"]) for one in both] == [("sa", "sa"), ("m1", "sa")]


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "process", "role": "producer"},
        {"name": "x", "kind": "docker", "role": "producer"},
        {"name": "x", "kind": "hook", "role": "boss"},
    ],
)
def test_an_application_described_badly_is_named(wrong):
    with pytest.raises(UsageError, match="of sa is incomplete or invalid"):
        _applications.applications({"sa": {"kafka_dr_applications": [wrong]}}, ["sa"], ["producer"])


def app(name, kind="process", **more):
    return {
        "name": name,
        "kind": kind,
        "role": "both",
        "principals": ["u"],
        "environment_file": f"/e/{name}",
        "command": f"run {name}",
        **more,
    }


def test_what_did_not_run_before_is_neither_started_nor_waited_for():
    regions = {"sa": {"kafka_dr_applications": [app("a"), app("b"), app("c")]}}
    sizes = {"a": 0, "b": 2}
    assert [one["name"] for one in _applications.applications(regions, ["sa"], ["both"], sizes)] == ["b", "c"]
    assert [one["names"] for one in _applications.application_batches(regions, ["sa"], ["both"], sizes)] == [
        [{"name": "b"}, {"name": "c"}]
    ]
    assert len(_applications.applications(regions, ["sa"], ["both"], {})) == 3


def test_one_manager_s_applications_are_one_batch():
    described = [
        app("a"),
        app("b", log="/l"),
        app("c", "systemd"),
        app("d", "kubernetes"),
        app("e", "hook"),
        app("f", host="m"),
    ]
    regions = {"sa": {"kafka_dr_applications": described}}
    batches = _applications.application_batches(regions, ["sa"], ["both"])
    assert [
        (one["room"], one["host"], one["manager"], [two["name"] for two in one["applications"]]) for one in batches
    ] == [
        ("host", "sa", "", ["a", "b"]),
        ("host", "sa", "systemd", ["c"]),
        ("kubernetes", "sa", "", ["d"]),
        ("hook", "sa", "", ["e"]),
        ("host", "m", "", ["f"]),
    ]
    assert batches[0]["programs"][1] == {
        "name": "b",
        "description": "Application b",
        "stop_seconds": 20,
        "command": "run b",
        "environment_file": "/e/b",
        "log": "/l",
    }
    assert batches[0]["names"] == [{"name": "a"}, {"name": "b"}]


CLIENT = {
    "bootstrap.servers": "b:1",
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "SCRAM-SHA-512",
    "ssl.ca.pem": "CA",
}


def test_files_tell_the_region_and_quote_what_a_shell_would_read():
    regions = {"eu": {"kafka_dr_client": CLIENT}, "na": {"kafka_dr_users": [{"name": "u", "password": "p w'$x\n"}]}}
    settings, authority = _applications.application_files(regions, [app("a", environment={"TOPIC": "x y"})], "eu")
    assert authority == {"path": "/e/a.ca.pem", "content": "CA"} and settings["path"] == "/e/a"
    lines = settings["content"].splitlines()
    assert "KAFKA_BROKERS=b:1" in lines and "KAFKA_REGION=eu" in lines and "TOPIC='x y'" in lines
    assert """KAFKA_PWD='p w'"'"'$x'""" in lines


def test_a_user_has_the_password_of_the_region_that_the_application_is_led_to():
    """Regions may have passwords of their own; one that says nothing has the other's."""
    own = {name: {"name": "u", "password": f"of {name}", "purpose": "application"} for name in ("na", "eu")}
    both = {"na": {"name": "v", "password": "both", "purpose": "application"}, "eu": {"name": "v"}}
    regions = {name: {"kafka_dr_client": CLIENT, "kafka_dr_users": [own[name], both[name]]} for name in own}
    for order in (["na", "eu"], ["eu", "na"]):
        ordered = {name: regions[name] for name in order}
        for region in order:
            settings, dummy = _applications.application_files(ordered, [app("a")], region)
            assert f"KAFKA_PWD='of {region}'" in settings["content"].splitlines()
        assert _applications.application_password(ordered, "eu", "v") == "both"
        assert _applications.application_password(ordered, "eu", "stranger") == ""


@pytest.mark.parametrize("users", [[{"purpose": "application"}], "{{ vault_asia_users }}", None])
def test_a_region_that_is_only_being_planned_keeps_nobody_from_a_password(users):
    class Unreadable(dict):
        def get(self, *words):
            raise RuntimeError("'vault_asia_users' is undefined")

    asia = Unreadable() if users is None else {"kafka_dr_users": users}
    regions = {
        "asia": asia,
        "eu": {"kafka_dr_users": [{"name": "u"}]},
        "na": {"kafka_dr_users": [{"name": "u", "password": "p"}]},
    }
    assert _applications.application_password(regions, "eu", "u") == "p"
    assert _applications.application_password(regions, "eu", "v") == ""


def test_a_region_that_applications_are_led_to_has_to_be_readable():
    with pytest.raises(AttributeError):
        _applications.application_password({"eu": {"kafka_dr_users": "{{ vault }}"}, "na": {}}, "eu", "u")


@pytest.mark.parametrize("wrong", [{"environment_file": ""}, {"principals": ["stranger"]}, {"principals": []}])
def test_an_application_that_cannot_be_told_is_named(wrong):
    regions = {"eu": {"kafka_dr_client": CLIENT, "kafka_dr_users": [{"name": "u", "password": "p"}]}}
    with pytest.raises(UsageError, match="'a' cannot be pointed at eu"):
        _applications.application_files(regions, [app("a", **wrong)], "eu")
