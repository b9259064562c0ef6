# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile names and texts in units of systemd and programs of supervisord. Each is data there, or is refused."""

from __future__ import annotations

import configparser
import re
import shlex
import subprocess
from pathlib import Path

import jinja2
import pytest
import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._host import supervisor, systemd
from tests.support.hostile import NAMES, refused

ROOT = Path(__file__).resolve().parents[2]
SERVICE = {"name": "mirror-backup", "command": "/opt/kafka/bin/connect-mirror-maker.sh /etc/mirror/mm2.properties"}


@NAMES
@pytest.mark.parametrize("key", ["name", "command", "directory", "user", "log", "environment_file", "description"])
def test_supervisord_reads_one_program(name, key):
    try:
        service = {**SERVICE, key: name}
        text = supervisor.render(service["name"], supervisor.section(service), True, service.get("description"))
    except KafkaDrError:
        return
    read = configparser.RawConfigParser(strict=True, inline_comment_prefixes=(";", "#"))
    read.read_string(text)
    assert read.sections() == ["program:mirror-backup"]
    assert set(read["program:mirror-backup"]) <= {"autostart", *supervisor.section(SERVICE)}
    if key == "environment_file" and name:
        # The file is one word of the command, whatever it holds.
        assert shlex.split(read["program:mirror-backup"]["command"].replace("%%", "%"))[3] == name


@NAMES
@pytest.mark.parametrize("key", ["name", "command", "directory", "user", "log", "environment_file", "description"])
def test_systemd_reads_the_same_settings(name, key):
    template = jinja2.Environment(trim_blocks=True, keep_trailing_newline=True).from_string(
        (ROOT / "roles/service/templates/service.service.j2").read_text()
    )

    def keys(service):
        text = template.render(__service=systemd.units([service])[0])
        return [line.split("=")[0] for line in re.split("[\\n\\r]", text) if line], text

    full = {
        **SERVICE,
        "directory": "/x",
        "user": "kafka",
        "log": "/x/log",
        "environment_file": "/x/env",
        "description": "d",
    }
    expected = keys(full)[0]
    try:
        found, text = keys({**full, key: name or "x"})
    except KafkaDrError:
        return
    assert found == expected
    assert not re.search(r"(?<!%)%(?!%)", text), "systemd would take it for a specifier"


def unit_of(**more):
    template = jinja2.Environment(trim_blocks=True, keep_trailing_newline=True).from_string(
        (ROOT / "roles/service/templates/service.service.j2").read_text()
    )
    return template.render(__service=systemd.units([{**SERVICE, **more}])[0])


@pytest.mark.parametrize("key", ["command", "directory", "user", "log", "environment_file", "description"])
def test_no_value_of_a_unit_takes_the_next_line_away(key):
    assert refused(lambda: unit_of(**{key: "/x\\"}))


def test_a_unit_may_write_to_its_own_directory_alone():
    assert 'ReadWritePaths="/srv/a /etc"\n' in unit_of(directory="/srv/a /etc")


@pytest.mark.parametrize("value", ["sh -c 'a ; b'", "/bin/echo #1", "/bin/x --topic\t;evil"])
@pytest.mark.parametrize("key", ["command", "directory", "user", "log", "environment_file"])
def test_supervisord_reads_all_of_a_value(key, value):
    service = {**SERVICE, key: value}
    assert refused(supervisor.render, "mirror-backup", supervisor.section(service), True)


def test_a_unit_opens_its_log_as_its_user(tmp_path):
    """Run by a shell as systemd would: ``$$`` is ``$``, and words are split at spaces and quotes."""
    log = tmp_path / 'a $HOME "lo\\g"'
    unit = systemd.units([{"name": "x", "user": "kafka", "log": str(log), "command": "/bin/echo 100% said"}])[0]
    assert unit["log"] == ""
    done = subprocess.run(
        shlex.split(unit["command"].replace("$$", "$").replace("%%", "%")),
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert (done.stdout, log.read_text()) == ("", "100% said\n")
    assert systemd.units([{"name": "x", "log": "/l", "command": "/bin/true"}])[0] == {
        "name": "x",
        "log": "/l",
        "command": "/bin/true",
    }


def test_the_role_writes_units_of_checked_services_alone():
    tasks = yaml.safe_load((ROOT / "roles/service/tasks/main.yml").read_text())
    assert all("systemd_units" in str(task.get("loop", "systemd_units")) for task in tasks)
