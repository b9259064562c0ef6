# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clusters and a Spark context for all cases."""

from __future__ import annotations

import importlib.util
import os
import sys

import pytest

from tests.support.kafka import ROOT, own_clusters

BROKER = {"message.max.bytes": 12582912, "replica.fetch.max.bytes": 12582912, "log.cleaner.enable": "true"}


@pytest.fixture(scope="package")
def pair(tmp_path_factory):
    with own_clusters(tmp_path_factory.mktemp("proof"), config=BROKER) as made:
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
