# SPDX-License-Identifier: GPL-3.0-or-later
"""The usual ways to compare two clusters with Spark: its own Kafka source, digested, and exceptAll both ways. What the
proof is measured beside.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SPARK_SOURCE = """
import json, os, sys, time
from pyspark.sql import SparkSession, functions as F
jars, source, target, topic, small, repeats = sys.argv[1:7]
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
spark = (SparkSession.builder.master("local[*]").config("spark.jars", jars)
         .config("spark.ui.enabled", "false").config("spark.driver.memory", "4g")
         .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
         .config("spark.sql.shuffle.partitions", "4")
         .config("spark.log.level", "ERROR").config("spark.ui.showConsoleProgress", "false").getOrCreate())
def frame(bootstrap, name):
    return (spark.read.format("kafka").option("kafka.bootstrap.servers", bootstrap).option("subscribe", name)
            .option("startingOffsets", "earliest").option("endingOffsets", "latest")
            .option("includeHeaders", "true").option("kafka.isolation.level", "read_committed").load())
def digest(bootstrap, name):
    hashed = frame(bootstrap, name).select("partition", F.xxhash64("key", "value", "headers", "timestamp").alias("d"))
    total = F.sum(F.col("d").cast("decimal(38,0)"))
    return {row[0]: tuple(row[1:]) for row in hashed.groupBy("partition").agg(F.count("*"), total).collect()}
def columns(bootstrap, name):
    return frame(bootstrap, name).select("partition", "key", "value", "headers", "timestamp")
def by_digest(name):
    return digest(source, name) == digest(target, name)
def by_except(name):
    one, other = columns(source, name), columns(target, name)
    return one.exceptAll(other).count() + other.exceptAll(one).count() == 0
times = {}
for what, call in (("digest", by_digest), ("except_all", by_except)):
    call(small)
    times[what] = []
    for number in range(int(repeats) if what == "digest" else 1):
        began = time.perf_counter()
        if not call(topic):
            sys.exit("the sides are not equal")
        times[what].append(time.perf_counter() - began)
print("TIMES " + json.dumps(times))
spark.stop()
"""


IVY = """<ivy-module version="2.0"><info organisation="streamsafe" module="bench"/>
<configurations><conf name="default"/></configurations>
<dependencies defaultconfmapping="default->master">%s</dependencies></ivy-module>"""


def connector_jars() -> tuple[str, str]:
    """Jars of Spark's Kafka source, resolved by the Ivy that PySpark ships: (paths, version of the token provider).

    The token provider is only needed where delegation tokens are used, but its classes have to be there.

    :raises SystemExit: they cannot be fetched. :raises LabError: they are not those whose digests are recorded.
    """
    import pyspark

    from kafka_dr_lab.artifacts import verify
    from kafka_dr_lab.kafka_home import cache_dir

    place = cache_dir() / f"spark-sql-kafka-{pyspark.__version__}"
    if not list(place.glob("*.jar")):
        with tempfile.TemporaryDirectory() as aside:
            fetched = Path(aside, "libs")
            _fetch(pyspark.__version__, aside)
            verify(fetched, place.name)
            place.mkdir(parents=True, exist_ok=True)
            for jar in fetched.glob("*.jar"):
                shutil.copy(jar, place)
    # Also what an earlier version of this has kept.
    verify(place, place.name)
    return ",".join(map(str, sorted(place.glob("*.jar")))), pyspark.__version__


def _fetch(version: str, aside: str) -> None:
    from kafka_dr_lab.java import require_java
    from kafka_dr_lab.kafka_home import cache_dir, ivy_jar

    wanted = [
        ("org.apache.spark", "spark-sql-kafka-0-10_2.13", version),
        ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", version),
        ("org.apache.kafka", "kafka-clients", "3.9.2"),
        ("org.apache.commons", "commons-pool2", "2.13.1"),
    ]
    form = '<dependency org="%s" name="%s" rev="%s" transitive="false"/>'
    descriptor = Path(aside, "ivy.xml")
    descriptor.write_text(IVY % "".join(form % one for one in wanted))
    words = ["-ivy", str(descriptor), "-cache", str(cache_dir() / "ivy"), "-types", "jar", "bundle"]
    done = subprocess.run(
        [require_java(), "-jar", ivy_jar(), *words, "-retrieve", f"{aside}/libs/[artifact]-[revision].[ext]"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode or len(list(Path(aside, "libs").glob("*.jar"))) != len(wanted):
        raise SystemExit(
            f"Spark's Kafka source could not be resolved; without it: --no-spark-source. {done.stdout[-600:]}"
        )


def spark_source(sides: dict[str, Any], topic: str, small: str, repeats: int) -> dict[str, list[float]]:
    """Seconds of the two usual ways on Spark's Kafka source, warm, in a session of their own."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(SPARK_SOURCE)
    done = subprocess.run(
        [
            sys.executable,
            file.name,
            connector_jars()[0],
            sides["source"].bootstrap,
            sides["target"].bootstrap,
            topic,
            small,
            str(repeats),
        ],
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    os.unlink(file.name)
    told = [line for line in done.stdout.splitlines() if line.startswith("TIMES ")]
    if not told:
        raise SystemExit(f"Spark's Kafka source failed: {done.stderr[-3000:]}")
    return json.loads(told[0][6:])
