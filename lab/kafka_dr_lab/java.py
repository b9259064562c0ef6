# SPDX-License-Identifier: GPL-3.0-or-later
"""Find a Java that Kafka 4 and Spark 4 run on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

from .errors import LabError

MINIMUM = 17

# Package managers in the order tried, with the command that installs a headless runtime.
INSTALLERS = (
    ("apt-get", ["apt-get", "install", "-y", "--no-install-recommends", "openjdk-17-jre-headless"]),
    ("dnf", ["dnf", "install", "-y", "java-17-openjdk-headless"]),
    ("zypper", ["zypper", "--non-interactive", "install", "java-17-openjdk-headless"]),
    ("apk", ["apk", "add", "openjdk17-jre-headless"]),
)


def java_version(java: str) -> int:
    """Major version of the Java at this path; 0 where it does not answer."""
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    found = re.search(r'version "(\d+)(?:\.(\d+))?', answer.stderr + answer.stdout)
    if not found:
        return 0
    major = int(found.group(1))
    return int(found.group(2) or 0) if major == 1 else major


def find_java() -> str | None:
    """The Java to use: that of ``JAVA_HOME`` where it is set, else of the search path; None where there is none."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which(os.path.join(home, "bin", "java")) if home else shutil.which("java")


def install_command() -> list[str] | None:
    """What installs Java here, by the first package manager found."""
    for tool, command in INSTALLERS:
        if shutil.which(tool):
            return command
    return None


def require_java() -> str:
    """Path of a Java of at least version 17.

    :raises LabError: ``JAVA_HOME`` leads nowhere, there is none, or it is too old. Nothing is installed from here.
    """
    home, java = os.environ.get("JAVA_HOME"), find_java()
    if home and java is None:
        # Spark looks nowhere else, so that a drill would fail at its first proof.
        raise LabError(
            f"JAVA_HOME is {home}: expected bin/java in it, found none that can be run. "
            "Correct it, or unset it to use the java of the search path."
        )
    version = java_version(java) if java else 0
    if java and version >= MINIMUM:
        return java
    found = f"Java {version} at {java}" if java else "no Java"
    command = install_command()
    way_out = (
        f"Run: {'' if os.geteuid() == 0 else 'sudo '}{' '.join(command)}" if command else "Install a Java 17 runtime"
    )
    raise LabError(f"Kafka needs Java {MINIMUM} or newer; found {found}. {way_out}, or set JAVA_HOME to one.")
