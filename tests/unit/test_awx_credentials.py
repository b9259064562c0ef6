# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials of ``examples/awx``: which secrets they carry, and where these go."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from jinja2.nativetypes import NativeEnvironment

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.about import STAGES
from tests.unit.awx_example import AWX, TASKS, VARS

ROOT = Path(__file__).resolve().parents[2]


def test_credentials_give_every_secret_of_the_inventory():
    wanted = set(re.findall(r"kafka_dr_secret_\w+", (AWX / "project" / "inventory" / "regions.yml").read_text())) - {
        "kafka_dr_secret_"
    }
    given = {
        name: value
        for one in VARS["awx_credential_types"]
        for name, value in {**one["injected"], **one.get("injected_files", {})}.items()
    }
    assert wanted == set(given)
    types = {one["name"] for one in VARS["awx_credential_types"]}
    assert types == {one["type"] for one in VARS["awx_credentials"]}
    assert {each for one in VARS["awx_stages"] for each in one["carries"]} == {
        one["purpose"] for one in VARS["awx_credentials"]
    }
    for one in VARS["awx_credential_types"]:
        fields = {field["id"] for field in one["fields"]}
        assert {
            re.sub(r"[{} ]|tower\.filename\.", "", value)
            for value in {**one["injected"], **one.get("injected_files", {})}.values()
        } == fields


def test_the_inventory_is_well_described_with_any_of_the_credentials():
    """A job that carries few of them has empty passwords for the others; the regions' own client has its one."""
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.check_all import examined

    text = (AWX / "project" / "inventory" / "regions.yml").read_text()
    lines = "{{ (kafka_dr_secret_ledger | default('')).splitlines() | select | list }}"
    assert lines in text
    for words in ("", "a-password"):
        secrets = (
            NativeEnvironment()
            .from_string(lines)
            .render({"kafka_dr_secret_ledger": f"{words}\n\n{words}"} if words else {})
        )
        assert secrets == [words] * 2 * bool(words)
        given = text.replace(f'"{lines}"', json.dumps(secrets))
        made = yaml.safe_load(
            re.sub(
                r"{{ kafka_dr_secret_\w+ }}",
                "given",
                re.sub(r"{{ kafka_dr_secret_\w+ \| default\(''\) }}", words, given),
            )
        )["all"]
        hosts = {name: {**made["vars"], **own} for name, own in made["hosts"].items()}
        found = examined(
            {
                name: {key: value for key, value in own.items() if key.startswith("kafka_dr_")}
                for name, own in hosts.items()
            }
        )
        assert found == {"mistakes": [], "warnings": [], "decisions": []}


def test_the_ledgers_secret_goes_where_the_ledger_is_written_or_gone_by_and_nowhere_else():
    """Every stage signs what it writes; status, page and doctor verify what they go by. A probe and a manifest have no
    use for it.
    """
    carry = {one["name"] for one in VARS["awx_stages"] if "ledger" in one["carries"]}
    assert carry == {*STAGES, "ledger", "verify_restore", "backup_status", "report", "doctor"}
    assert not [
        path
        for path in (ROOT / "roles" / "probe" / "tasks").rglob("*.yml")
        if "streamsafe.kafka_dr.ledger" in path.read_text()
    ]


def test_a_credential_that_was_not_filled_in_signs_nothing():
    """Everybody knows its text."""
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.seal import keys

    text = next(task for task in TASKS if task["name"] == "Create the credentials, to be filled in")[
        "awx.awx.credential"
    ]["inputs"]
    placeholder = re.search(r"product\(\['(.+?)'\]\)", text)[1]
    with pytest.raises(UsageError, match="too short"):
        keys([placeholder])


def test_no_launch_names_where_a_manifest_is():
    asked = [
        one
        for stage in VARS["awx_stages"]
        for one in stage["survey"]
        if one["variable"].endswith(("_manifest", "_directory"))
        and not one["variable"].endswith(("accept_partial_manifest", "accept_unknown_manifest"))
    ]
    offered = ("{{ awx_manifests }}", "{{ awx_salvage }}")
    assert len(asked) == 5 and all(one.get("choices") in offered for one in asked), asked
