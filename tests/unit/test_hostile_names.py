# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile names, hosts and texts, fed into every place that they can reach: a file of lines, a path, a command, a page.
Each is data there, or is refused.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import applications as _applications
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import nodes as _nodes
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.mirror_resource import mirror_resource
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.witness import witness_manifests
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import mirror_config, properties
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.connectors import mirror_connectors
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.files import beside
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.junit import junit
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.page import render
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._report.stage import command
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import gates as _gates
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work import private_files as files
from tests.support.hostile import NAMES, commands, refused

ROOT = Path(__file__).resolve().parents[2]


@NAMES
def test_no_name_leaves_its_directory(name):
    regions = {"b": {"kafka_dr_mirror_directory": "/var/lib/kafka-dr", "kafka_dr_kafka_home": "/opt/kafka"}}
    assert refused(_nodes.mirror_node, {"name": name, "source": "a", "target": "b"}, regions, "b")
    assert (
        _nodes.mirror_node({"name": "back.up-1_x", "source": "a", "target": "b"}, regions, "b")["directory"]
        == "/var/lib/kafka-dr/back.up-1_x"
    )


@NAMES
@pytest.mark.parametrize("key", ["name", "source", "target"])
def test_no_mirror_is_called_so(name, key):
    described = {"name": "backup", "source": "a", "target": "b", "topics": ["x"], key: name}
    assert refused(mirror_config.checked, described)


@pytest.mark.parametrize(
    "path", ["/var/lib/kafka-dr/../../x", "/var/lib/..", "/..", "/", "/etc", "/var/lib/a\nb", "relative"]
)
@pytest.mark.parametrize("key", ["absent", "directories", "files"])
def test_no_file_is_written_or_removed_by_a_path_with_a_way_out(tmp_path, path, key):
    if (key, path) in {("directories", "/etc"), ("directories", "/"), ("files", "/etc"), ("files", "/")}:
        pytest.skip("a directory that is there")
    params = {
        "directories": [],
        "files": [],
        "absent": [],
        "owner": None,
        key: [{"path": path, "content": ""}] if key == "files" else [path],
    }
    assert refused(files.private_files, params, True)


@NAMES
def test_properties_are_what_was_written(name):
    for made in ({name or "x": "value", "other": "1"}, {"key": name, "other": "1"}):
        assert properties.parse_properties(properties.render_properties(made)) == made


# Connect ends what it reads at spaces and characters below them, and takes no empty name.
ENDED = [" x", "x ", "\tx", "x\n", "\x00x", "x\x1f", "x\r", " ", ""]


@pytest.mark.parametrize("name", [*(f"flights-{one}" for one in commands("/mark")), *ENDED], ids=ascii)
def test_no_group_that_connect_would_read_another_thing_of_is_told_to_it(name):
    """It splits a setting at commas, takes away what surrounds each part, and puts what a file holds in the place of
    ``${file:…}``.
    """
    mirror = {"name": "backup", "source": "a", "target": "b", "topics": ["x"]}
    clients = {one: {"bootstrap.servers": f"{one}:9092"} for one in "ab"}
    references = {one: {} for one in "ab"}
    (resource,) = mirror_resource(mirror, clients, references)["spec"]["mirrors"]
    connectors = mirror_connectors(mirror, clients, "${file:/x:{key}}")
    read_as_it_is = name == name.strip("".join(map(chr, range(33)))) != "" and not {"$", ","} & set(name)
    for told in (
        properties.mirror_properties([mirror], clients, "/secrets")["a->b.groups.exclude"].split(","),
        resource["groupsExcludePattern"].split(","),
        next(one for one in connectors if "groups" in one["config"])["config"]["groups.exclude"].split(","),
    ):
        assert any(re.fullmatch(one, name) for one in told) != read_as_it_is, told


@NAMES
def test_an_environment_file_sets_what_it_was_asked_to(name, tmp_path):
    if "\x00" in name:
        pytest.skip("no environment holds it")
    regions = {"b": {"kafka_dr_client": {"bootstrap.servers": name}}}
    one = {"name": "x", "environment_file": str(tmp_path / "env"), "environment": {"GREETING": name}}
    made = _applications.application_files(regions, [one], "b")[0]
    Path(made["path"]).write_text(made["content"])
    code = 'set -a; . "$0"; exec "$1" -c \'import json, os; print(json.dumps(dict(os.environ)))\''
    done = subprocess.run(
        ["/bin/sh", "-c", code, made["path"], sys.executable],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={"HOME": "/x"},
    )
    told = json.loads(done.stdout)
    assert (told["KAFKA_BROKERS"], told["GREETING"]) == (name, name) and not (tmp_path / "evil").exists()
    assert set(told) - {"PWD", "OLDPWD", "SHLVL", "_", "HOME", "LC_CTYPE"} == {
        "KAFKA_BROKERS",
        "KAFKA_SECURITY_PROTOCOL",
        "KAFKA_SASL_MECHANISM",
        "KAFKA_USER",
        "KAFKA_PWD",
        "KAFKA_CERT",
        "KAFKA_REGION",
        "GREETING",
    }
    if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
        assert refused(_applications.application_files, regions, [{**one, "environment": {name: "x"}}], "b")


@NAMES
def test_a_pod_runs_the_command_that_it_was_made_for(name):
    made = witness_manifests("witness-backup", "kafka", "image", {"source": name}, {"witness.py": name})
    (container,) = next(one for one in made if one["kind"] == "Deployment")["spec"]["template"]["spec"]["containers"]
    clean = witness_manifests("witness-backup", "kafka", "image", {"source": "x"}, {"witness.py": "x"})
    (other,) = next(one for one in clean if one["kind"] == "Deployment")["spec"]["template"]["spec"]["containers"]
    assert container["command"] == other["command"]
    assert list(yaml.safe_load_all("---\n".join(yaml.safe_dump(one) for one in made))) == made


class Tags(HTMLParser):
    """Which elements a page has."""

    def __init__(self):
        super().__init__()
        self.seen = set()

    def handle_starttag(self, tag, attrs):
        self.seen.add((tag, *sorted(key for key, dummy in attrs)))


@NAMES
def test_a_page_and_its_junit_say_it_as_text(name):
    def report(word):
        topic = {"topic": word, "verdict": "LOSS", "mode": "", "partitions": [], "reasons": [word]}
        return {
            "verdict": "LOSS",
            "complete": False,
            "reasons": [word],
            "totals": {"records_source": 5, "records_target": 0},
            "topics": [topic],
            "source": word,
            "target": word,
        }

    read = []
    for word in ("plain", name or "x"):
        tags = Tags()
        tags.feed(render(report(word)))
        read.append(tags.seen)
    assert read[0] == read[1]
    cases = ElementTree.fromstring(junit(report(name)))[0]
    assert int(cases.get("tests")) == len(cases.findall("testcase")) > 0


@NAMES
def test_a_command_to_copy_names_them_as_words(name):
    begun = {"stage": "failover", "about": f"{name} to europe", "found": {}}
    assert shlex.split(command(begun, []))[4:] == ["-e", f"failover_source={name}", "-e", "failover_target=europe"]


@NAMES
def test_a_gate_of_ones_own_asks_what_it_asked(name):
    facts = {"ledger": {"topics": [{"name": name, "lag": 1}]}, "report": {name: name}}
    require = [{"query": "length(ledger.topics[?lag > `0`]) == `1`", "message": "m"}]
    assert _gates.look([], require, facts)["held"] == ["m"]
    assert not _gates.look([], [{"query": "report.x == 'open'", "message": "m"}], facts)["held"]


@pytest.mark.parametrize(
    "name, text",
    [
        ("client.json", '{"sasl.password": "hunter2", "verdict": "", "totals": {}, "topics": []}'),
        ("report.json", '{"sasl.password": "hunter2"}'),
        ("report.json", "[]"),
    ],
)
def test_a_page_shows_no_file_that_a_ledger_names_and_that_is_no_proof(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert beside({"proofs": [{"stage": "failover", "report": str(tmp_path / name)}]}) == []
