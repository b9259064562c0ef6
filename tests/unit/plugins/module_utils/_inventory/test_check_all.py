# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptions that are well pass; each of a hundred with a mistake is answered with the place, what was expected and
found, and the way out.
"""

from __future__ import annotations

import re
import socket

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.check_all import examined
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.check_value import Hidden, Unresolved

from .descriptions import CASES
from .valid_description import APPLICATION, SECRET, described

SENTENCE = re.compile(r"^(?:[^\n]*: )?kafka_dr_\w+[^\n]*: expected [^\n]+, found [^\n]+[.] [A-Z][^\n]+[.?]$")


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*words, **named):
        raise AssertionError("a check of a description must not ask anybody")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def test_a_description_that_is_well_passes():
    assert examined(described("north_america.kafka_dr_platform", "host")) == {
        "mistakes": [],
        "warnings": [],
        "decisions": [],
    }


def test_there_are_a_hundred():
    assert len(CASES) >= 100


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_told_with_its_place_and_the_way_out(case):
    place, value, words = CASES[case]
    told = examined(described(place, value))["mistakes"]
    assert told
    assert not [one for one in told if not SENTENCE.match(one)]
    assert [one for one in told if all(word in one for word in words)], told
    assert SECRET not in "".join(told)


def test_all_mistakes_are_told_at_once():
    hosts = described("*.kafka_dr_mirrors", "x")
    hosts["europe"]["kafka_dr_users"] = {}
    hosts["shop"]["kafka_dr_applications"] = 5
    assert len(examined(hosts)["mistakes"]) == 3


def test_a_mistake_of_all_hosts_is_told_once():
    told = examined(described("*.kafka_dr_mirrors", "x"))["mistakes"]
    assert len(told) == 1 and told[0].startswith("all hosts: kafka_dr_mirrors: ")


def test_a_mistake_about_another_region_stops_no_failover():
    hosts = described("asia.kafka_dr_kubernetes", "main")
    assert examined(hosts)["mistakes"]
    seen = examined(hosts, ["north_america", "europe"])
    assert seen["mistakes"] == [] and len(seen["warnings"]) == 1
    assert examined(hosts, ["asia", "europe"])["mistakes"]


def test_a_look_needs_less_than_a_stage():
    hosts = {
        "a": {"kafka_dr_client": {"bootstrap.servers": "a:1"}},
        "b": {"kafka_dr_client": {"bootstrap.servers": "b:1"}},
    }
    hosts["a"]["kafka_dr_mirrors"] = [{"name": "m", "source": "a", "target": "b", "topics": [".*"]}]
    assert examined(hosts, complete=False)["mistakes"] == []
    told = "\n".join(examined(hosts)["mistakes"])
    assert all(one in told for one in ("a, b: kafka_dr_platform", "a, b: kafka_dr_client_secrets"))


def test_what_comes_from_a_vault_is_never_shown():
    for value in (Hidden(SECRET), Hidden("stage")):
        told = examined(described("north_america.kafka_dr_users.0.purpose", value))["mistakes"]
        assert "found a text (not shown)" in told[0] and str.__str__(value) not in told[0].replace("stages", "")


def test_a_template_that_cannot_be_resolved_is_told_at_its_place():
    told = examined(
        described("north_america.kafka_dr_client_secrets", {"sasl.password": Unresolved("'vault_x' is undefined")})
    )["mistakes"]
    assert [
        one
        for one in told
        if "kafka_dr_client_secrets['sasl.password']: expected a text" in one and "'vault_x' is undefined" in one
    ]


def test_a_variable_that_nobody_reads_is_a_warning_by_its_name():
    seen = examined(described("europe.kafka_dr_mirror_host", ["x"]))
    assert seen["mistakes"] == []
    assert seen["warnings"] == [
        "europe: kafka_dr_mirror_host is no variable of the collection, which does not read it. "
        "Did you mean kafka_dr_mirror_hosts?"
    ]


@pytest.mark.parametrize(
    "place, value",
    [
        ("north_america.kafka_dr_client.enable|ssl|certificate|verification", "false"),
        ("north_america.kafka_dr_client.ssl|endpoint|identification|algorithm", "none"),
    ],
)
def test_a_decision_not_to_verify_is_named_with_its_reason(place, value):
    hosts = described(place, value)
    hosts["north_america"]["kafka_dr_unverified_tls"] = "the test bed has no names until March"
    seen = examined(hosts)
    assert seen["mistakes"] == []
    assert seen["decisions"] == [
        "kafka_dr_unverified_tls of north_america: certificates are not verified "
        "(the test bed has no names until March)"
    ]


def test_a_longer_circle_is_found():
    hosts = described(
        "*.kafka_dr_mirrors.+", {"name": "two", "source": "europe", "target": "asia", "topics": ["orders\\..*"]}
    )
    for one in hosts.values():
        one["kafka_dr_mirrors"].append(
            {"name": "three", "source": "asia", "target": "north_america", "topics": ["orders\\..*"]}
        )
    assert any("circle" in one for one in examined(hosts)["mistakes"])
    for one in hosts.values():
        one["kafka_dr_mirrors"][2]["policy"] = "default"
    assert not any("circle" in one for one in examined(hosts)["mistakes"])


def test_numbers_may_be_the_texts_that_templates_give():
    hosts = described("*.kafka_dr_mirrors.0.tuning.tasks_max", "4")
    hosts["europe"]["kafka_dr_mirror_rest_port"] = "8083"
    assert examined(hosts)["mistakes"] == []


def test_a_password_that_is_nowhere_is_missed():
    hosts = described("north_america.kafka_dr_client_secrets", {})
    assert examined(hosts)["mistakes"] == []
    del hosts["north_america"]["kafka_dr_users"][0]["password"]
    assert (
        "kafka_dr_client_secrets['sasl.password']: expected the password of the stages' user, found nothing"
        in examined(hosts)["mistakes"][0]
    )


def test_what_a_stage_has_learnt_is_no_mistake_of_the_inventory():
    """On Kubernetes a play may check the inventory again once it knows the passwords of its users."""
    hosts = described("north_america.kafka_dr_platform", "host")
    name = next(one for one in hosts if hosts[one].get("kafka_dr_users"))
    hosts[name]["kafka_dr_users"] = [{**one, "password_learned": True} for one in hosts[name]["kafka_dr_users"]]
    assert examined(hosts)["mistakes"] == []
    hosts[name]["kafka_dr_users"] = [{**one, "password_lerned": True} for one in hosts[name]["kafka_dr_users"]]
    assert "password_lerned" in examined(hosts)["mistakes"][0]


def test_mirror_maker_2s_own_filter_may_be_named():
    """Kafka takes blanks around a class's name away."""
    known = "org.apache.kafka.connect.mirror.DefaultTopicFilter"
    for named in (known, f" {known} "):
        hosts = described("*.kafka_dr_mirrors.0.config", {"source": {"topic.filter.class": named}})
        assert examined(hosts)["mistakes"] == []


def without_password(*users):
    """The description with an application whose principal has no password in any of the inventory's lists."""
    hosts = described(APPLICATION + ".principals", ["cart"])
    for region in ("north_america", "europe"):
        hosts[region]["kafka_dr_users"] += [{"name": "cart", "purpose": "application", **more} for more in users]
    return hosts


def test_an_application_whose_password_nobody_knows_is_told_before_it_is_fenced():
    """It could not be pointed at the target, whose name is in the ledger by then."""
    (said,) = examined(without_password({}), ["north_america", "europe"])["mistakes"]
    assert "shop: kafka_dr_applications[0].principals[0]: expected a user with its password, found" in said, said
    assert examined(without_password({}), complete=False)["mistakes"] == []
    assert examined(without_password({"password": SECRET}))["mistakes"] == []


def test_a_password_that_an_operator_makes_is_not_asked_for():
    hosts = described(APPLICATION + ".principals", ["cart"])
    hosts["asia"]["kafka_dr_users"].append({"name": "cart", "purpose": "application"})
    assert examined(hosts)["mistakes"] == []


def test_a_hook_whose_file_is_not_there_is_told(tmp_path):
    """It would be missed once the target's name is in the ledger."""
    (tmp_path / "there.yml").write_text("[]")
    hosts = described(APPLICATION + ".kind", "hook")
    (application,) = hosts["shop"]["kafka_dr_applications"]
    application.update(start_tasks=str(tmp_path / "away.yml"), stop_tasks=str(tmp_path / "there.yml"))
    (said,) = examined(hosts)["mistakes"]
    assert "kafka_dr_applications[0].start_tasks: expected a file of tasks on this machine, found none at" in said, said
    application["start_tasks"] = "sought-by-ansible.yml"
    assert examined(hosts)["mistakes"] == []
