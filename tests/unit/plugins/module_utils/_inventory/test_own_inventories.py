# SPDX-License-Identifier: GPL-3.0-or-later
"""What the collection shows and plays itself is well described, here and in an editor; and no variable is read that the
schema does not know.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.check_all import examined
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.schema import INTERNAL, OTHERS, VARIABLES
from kafka_dr_lab.inventory import Inventory
from kafka_dr_lab.kubernetes.inventory import KubernetesInventory

ROOT = Path(__file__).resolve().parents[5]
SCHEMA = json.loads((ROOT / "meta" / "inventory.schema.json").read_text())
SHOWN = {
    **{
        str(path.relative_to(ROOT)): path.read_text()
        for path in sorted([*(ROOT / "examples").glob("inventories/*.yml"), ROOT / "examples/kubernetes/inventory.yml"])
    },
    **{
        f"{page}-{number}": text
        for page in ("docs/tutorial.md",)
        for number, text in enumerate(re.findall(r"^```yaml\n(all:.*?)^```", (ROOT / page).read_text(), re.S | re.M))
    },
}


def hosts_of(inventory):
    """``{host: variables}`` of an inventory as YAML has it, templates as they stand but those of secrets and
    certificates.
    """
    whole = inventory["all"]
    found = {}
    for group in [whole, *(whole.get("children") or {}).values()]:
        for name, own in (group.get("hosts") or {}).items():
            found.setdefault(name, {}).update({**(whole.get("vars") or {}), **(group.get("vars") or {}), **(own or {})})
    return {
        name: {key: value for key, value in own.items() if key.startswith("kafka_dr_")} for name, own in found.items()
    }


@pytest.mark.parametrize("name", SHOWN)
def test_what_people_copy_is_well_described(name):
    hosts = hosts_of(yaml.safe_load(SHOWN[name]))
    assert examined(hosts) == {"mistakes": [], "warnings": [], "decisions": []}
    assert all("kafka_dr_ledger_secret" in own for own in hosts.values()), "set-up is refused without"


@pytest.mark.parametrize("kind", [Inventory, KubernetesInventory])
def test_the_labs_are_well_described(kind, tmp_path):
    made = kind(tmp_path)
    made.write({"history": 1, "rate": 1, "records": "x"})
    for own in (hosts := hosts_of(made.load())).values():
        # A template in the lab, a dictionary once it is resolved.
        own.pop("kafka_dr_kafka_secrets", None)
    assert examined(hosts)["mistakes"] == []
    assert examined(hosts)["warnings"] == []


@pytest.mark.parametrize("name", SHOWN)
def test_an_editor_finds_nothing_in_what_people_copy(name):
    jsonschema.Draft202012Validator(SCHEMA).validate(yaml.safe_load(SHOWN[name]))


@pytest.mark.parametrize(
    "path, value",
    [
        (("hosts", "europe", "kafka_dr_platform"), "hosts"),
        (("vars", "kafka_dr_mirrors"), "x"),
        (("vars", "kafka_dr_mirrors", 0, "policy"), "identitty"),
        (("vars", "kafka_dr_mirrors", 0, "topic"), "x"),
        (("hosts", "europe", "kafka_dr_client", "security.protocol"), "TLS"),
    ],
)
def test_an_editor_finds_a_mistake(path, value):
    inventory = yaml.safe_load(SHOWN["examples/inventories/sasl_ssl_scram.yml"])
    here = inventory["all"]
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(inventory)


def test_an_editor_knows_files_of_group_vars_and_templates():
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.validate({"kafka_dr_workdir": "/x", "something": [1], "kafka_dr_mirrors": "{{ mirrors }}"})
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({"kafka_dr_mirrors": "mirrors"})


def test_every_variable_that_is_read_is_in_the_schema():
    read = set()
    for folder in ("roles", "playbooks", "plugins", "examples"):
        for path in (ROOT / folder).rglob("*"):
            # Names of metrics begin so too.
            if path.name == "metrics.py" or "monitoring" in path.parts:
                continue
            if path.suffix in (".yml", ".py", ".j2") and "_inventory" not in path.parts:
                text = re.sub(r"streamsafe\.kafka_dr\.\w+|__kafka_dr_\w*", "", path.read_text())
                read |= set(re.findall(r"(?<![\w.-])kafka_dr_[a-z_0-9]+(?![\w(]*\()", text))
    read -= {
        one
        for one in read
        if one.endswith("_") or one.startswith(("kafka_dr_lab", "kafka_dr_spark", "kafka_dr_module"))
    }
    assert not sorted(one for one in read if one not in VARIABLES and not one.startswith(INTERNAL + OTHERS))


def test_every_variable_of_the_schema_is_read_and_described():
    text = "".join(
        path.read_text()
        for folder in ("roles", "plugins", "playbooks")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".yml", ".py", ".j2") and "schema" not in path.relative_to(ROOT).parts
    )
    assert not [name for name in VARIABLES if name not in text and name != "kafka_dr_ledger_secret"]
    assert not [name for name, one in VARIABLES.items() if not one.get("description") or not one.get("x-where")]
