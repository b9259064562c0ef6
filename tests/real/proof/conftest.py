# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clusters whose retention does not act by itself, so that cases stay as they were written."""

from __future__ import annotations

import importlib.util
import os
import sys

import pytest

from tests.support.kafka import ROOT, own_clusters

QUIET = {
    "message.max.bytes": 12582912,
    "replica.fetch.max.bytes": 12582912,
    "log.retention.check.interval.ms": 3600000,
    "log.initial.task.delay.ms": 3600000,
    "log.cleaner.enable": "true",
}


@pytest.fixture(scope="package")
def pair(tmp_path_factory):
    with own_clusters(tmp_path_factory.mktemp("proof"), config=QUIET) as made:
        yield made


@pytest.fixture(scope="package")
def spark(tmp_path_factory):
    """One Spark context for all comparisons that are not about starting one."""
    described = importlib.util.spec_from_file_location("proof_main", ROOT / "spark" / "main.py")
    submitted = importlib.util.module_from_spec(described)
    described.loader.exec_module(submitted)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from kafka_dr_spark.engine import SparkEngine

    engine = SparkEngine("local[2]", submitted.package(str(tmp_path_factory.mktemp("package"))), quiet=True)
    yield engine.context
    engine.close()
