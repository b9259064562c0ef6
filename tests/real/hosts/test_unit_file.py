# SPDX-License-Identifier: GPL-3.0-or-later
"""The systemd unit as systemd itself judges it, as far as that goes on a machine that systemd did not boot."""

from __future__ import annotations

import shutil
import subprocess

import jinja2
import pytest

from tests.support.kafka import ROOT

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here"),
]
VARIABLES = {
    "__service": {
        "name": "mirror-backup",
        "description": "MirrorMaker 2 north_america to europe",
        "user": "daemon",
        "restart": True,
        "directory": "/var/lib/kafka-mirror/backup",
        "environment_file": "",
        "stop_seconds": 20,
        "log": "/var/lib/kafka-mirror/backup/mm2.log",
        "command": (
            "/usr/bin/env java -Xmx1g -cp /opt/kafka/libs/* org.apache.kafka.connect.mirror.MirrorMaker "
            "/var/lib/kafka-mirror/backup/mm2.properties"
        ),
    }
}


@pytest.fixture
def unit(tmp_path):
    template = (ROOT / "roles" / "service" / "templates" / "service.service.j2").read_text()
    path = tmp_path / "mirror-backup.service"
    path.write_text(jinja2.Environment(trim_blocks=True).from_string(template).render(VARIABLES))
    return path


def analyze(*words):
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, timeout=60, check=False)


def test_systemd_finds_nothing_wrong_with_the_unit(unit):
    done = analyze("verify", str(unit))
    about_ours = [line for line in (done.stdout + done.stderr).splitlines() if "mirror-backup" in line]
    assert about_ours == [] and done.returncode == 0, done.stdout + done.stderr


def test_systemd_does_find_what_is_wrong(unit):
    unit.write_text(unit.read_text().replace("Type=exec", "Type=nonsense"))
    done = analyze("verify", str(unit))
    assert "nonsense" in done.stdout + done.stderr


def test_the_unit_is_hardened(unit):
    """Exposure 4.5 and less is what systemd calls OK; an unhardened service has 9.6."""
    done = analyze("security", "--offline=true", "--threshold=45", str(unit))
    assert done.returncode == 0, done.stdout[-400:] + done.stderr
