# SPDX-License-Identifier: GPL-3.0-or-later
"""The archives of classes that brokers, mirrors and the proof's Spark start from."""

from __future__ import annotations

import os
import subprocess
import sys

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


def test_the_proof_takes_the_classes_of_spark_from_one():
    class_archive.make()
    words = class_archive.environment()["SPARK_SUBMIT_OPTS"]
    environment = {**os.environ, "SPARK_SUBMIT_OPTS": f"{words} -Xshare:on -Xlog:class+load"}
    done = subprocess.run(
        [sys.executable, "-c", "from pyspark import SparkContext; SparkContext('local[1]').stop()"],
        env={**environment, "PYSPARK_SUBMIT_ARGS": '--driver-java-options "-XX:+UseSerialGC" pyspark-shell'},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "org.apache.spark.SparkContext source: shared objects file" in done.stdout, done.stdout[-500:] + done.stderr
