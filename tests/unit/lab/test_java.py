# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Java the lab takes, and what it says of others."""

from __future__ import annotations

import pytest

from kafka_dr_lab import java
from kafka_dr_lab.errors import LabError
from tests.support.names_oracle import javac


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """A search path with nothing on it but a Java that answers like this."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))

    def make(answer, name="java"):
        tmp_path.mkdir(exist_ok=True)
        script = tmp_path / name
        script.write_text(f"#!/bin/sh\necho '{answer}' >&2\n")
        script.chmod(0o755)
        return str(script)

    return make


@pytest.mark.parametrize(
    "answer, version",
    [
        ('openjdk version "21.0.4" 2024-07-16', 21),
        ('java version "1.8.0_402"', 8),
        ('openjdk version "17" 2021-09-14', 17),
        ('openjdk version "25-ea" 2025-09-16', 25),
        ("command not understood", 0),
    ],
)
def test_versions_are_read_as_java_writes_them(fake, answer, version):
    assert java.java_version(fake(answer)) == version


def test_what_does_not_run_has_no_version(tmp_path):
    assert java.java_version(str(tmp_path / "none")) == 0


def test_a_java_that_is_new_enough_is_taken(fake):
    path = fake('openjdk version "17.0.1"')
    assert java.require_java() == path


def test_a_test_without_a_compiler_fails_and_says_what_to_install(fake):
    path = fake('openjdk version "17.0.1"')
    with pytest.raises(LabError, match=r"expected javac beside .*, found none. Install a JDK 17") as caught:
        javac()
    assert path in str(caught.value)
    compiler = fake("", "javac")
    assert javac() == compiler


def test_a_java_too_old_is_named_with_the_way_out(fake):
    path = fake('java version "1.8.0_402"')
    fake("", "apt-get")
    with pytest.raises(
        LabError, match=r"needs Java 17 or newer; found Java 8 at .*apt-get install -y.*JAVA_HOME"
    ) as caught:
        java.require_java()
    assert path in str(caught.value)


def test_a_java_home_that_leads_nowhere_is_named(fake, monkeypatch):
    fake('openjdk version "17.0.1"')
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(LabError, match="JAVA_HOME is /nowhere: expected bin/java in it"):
        java.require_java()


def test_no_java_and_nothing_to_install_it_with(fake):
    with pytest.raises(LabError, match=r"found no Java\. Install a Java 17 runtime"):
        java.require_java()


def test_without_root_the_command_begins_with_sudo(fake, monkeypatch):
    fake("", "dnf")
    monkeypatch.setattr(java.os, "geteuid", lambda: 1000)
    with pytest.raises(LabError, match="Run: sudo dnf install"):
        java.require_java()


def test_root_is_given_the_command_and_nothing_is_installed(fake, monkeypatch, tmp_path):
    script = fake("", "dnf")
    with open(script, "w") as file:
        file.write(
            f"#!/bin/sh\nprintf '#!/bin/sh\\necho openjdk version \\\"21\\\" >&2\\n' > {tmp_path}/java\n"
            f"/bin/chmod 755 {tmp_path}/java\n"
        )
    monkeypatch.setattr(java.os, "geteuid", lambda: 0)
    with pytest.raises(LabError, match="Run: dnf install"):
        java.require_java()
    assert not (tmp_path / "java").exists()


def test_java_home_comes_first(fake, tmp_path, monkeypatch):
    fake('openjdk version "17"')
    (tmp_path / "home" / "bin").mkdir(parents=True)
    other = tmp_path / "home" / "bin" / "java"
    other.write_text("#!/bin/sh\necho 'openjdk version \"21\"' >&2\n")
    other.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert java.require_java() == str(other)
