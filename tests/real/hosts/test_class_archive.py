# SPDX-License-Identifier: GPL-3.0-or-later
"""The archive of Kafka's classes that brokers and mirrors of the lab start from."""

from __future__ import annotations

import subprocess

import pytest

from kafka_dr_lab import class_archive
from kafka_dr_lab.java import require_java
from tests.support.kafka import kafka_home

pytestmark = pytest.mark.real


@pytest.mark.parametrize("program", ["kafka.Kafka", "org.apache.kafka.connect.mirror.MirrorMaker"])
def test_java_takes_the_classes_of_kafka_from_it(program):
    class_archive.make()
    # With -Xshare:on, Java refuses to start where the archive does not fit.
    words = [*class_archive.options(), "-XX:+UseSerialGC", "-Xshare:on", "-Xlog:class+load"]
    assert len(words) == 4
    done = subprocess.run(
        [require_java(), *words, "-cp", f"{kafka_home()}/libs/*", program, "--help"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert f"{program} source: shared objects file" in done.stdout, done.stdout[-500:] + done.stderr[-500:]
