# SPDX-License-Identifier: GPL-3.0-or-later
"""What is fetched for the lab is what the repository records."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from kafka_dr_lab.artifacts import digest, recorded, verify
from kafka_dr_lab.errors import LabError
from kafka_dr_lab.kafka_home import KAFKA_VERSION
from kafka_dr_lab.kubernetes.binaries import KUBERNETES_VERSION, MODULE
from kafka_dr_lab.kubernetes.crds import SERVED
from tests.bench.spark_source import connector_jars
from tests.parts.parts import OLDEST_KAFKA

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def fetched(tmp_path):
    directory = tmp_path / "fetched"
    (directory / "libs").mkdir(parents=True)
    for name in ("a.jar", "b.jar"):
        (directory / "libs" / name).write_bytes(name.encode())
    record = tmp_path / "artifacts.sha256"
    record.write_text(
        "# two files\n"
        + "".join(f"{digest(path)}  kafka-1/libs/{path.name}\n" for path in sorted(directory.rglob("*.jar")))
        + f"{'0' * 64}  jars/other.jar\n"
    )
    return directory, record


def test_the_recorded_files_are_accepted(fetched):
    directory, record = fetched
    verify(directory, "kafka-1", recorded_file=record)


def spoil(directory, how):
    libs = directory / "libs"
    if how == "missing":
        (libs / "a.jar").unlink()
    elif how == "differs":
        (libs / "a.jar").write_bytes(b"something else")
    else:
        (libs / "c.jar").write_bytes(b"c")


@pytest.mark.parametrize(
    "how,found",
    [
        ("missing", "kafka-1/libs/a.jar is missing"),
        ("differs", "kafka-1/libs/a.jar differs: expected"),
        ("more", "kafka-1/libs/c.jar is not recorded"),
    ],
)
def test_any_other_file_is_refused_by_name(fetched, how, found):
    directory, record = fetched
    spoil(directory, how)
    with pytest.raises(LabError, match=re.escape(found)):
        verify(directory, "kafka-1", recorded_file=record)


def test_one_file_of_a_directory_is_judged_alone(fetched, tmp_path):
    record = fetched[1]
    (tmp_path / "other.jar").write_bytes(b"other")
    with pytest.raises(LabError, match=r"jars/other\.jar differs"):
        verify(tmp_path, "jars", only="other.jar", recorded_file=record)


def test_every_version_in_use_is_recorded():
    names = {path.split("/")[0] for path in recorded()}
    assert {f"kafka-{KAFKA_VERSION}", f"kafka-{OLDEST_KAFKA}", *(f"strimzi-{version}" for version in SERVED)} <= names
    assert all(re.fullmatch("[0-9a-f]{64}", value) for value in recorded().values())


def test_the_control_plane_is_built_from_recorded_modules():
    assert f"k8s.io/kubernetes {KUBERNETES_VERSION}" in (MODULE / "go.mod").read_text()
    assert f"k8s.io/kubernetes {KUBERNETES_VERSION} h1:" in (MODULE / "go.sum").read_text()


LOCKS = [
    *(f"requirements-{name}.lock" for name in ("build", "lab", "test")),
    "tests/judges/requirements-object-store.lock",
]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_one_version_and_hashes(lock):
    text = (ROOT / lock).read_text()
    entries = re.split(
        r"\n(?=\S)", "\n".join(line for line in text.splitlines() if not line.startswith(("#", "-r"))).strip()
    )
    assert entries and all(re.match(r"[a-z0-9.\[\]-]+==\S+", one) and "--hash=sha256:" in one for one in entries)


def test_what_the_example_image_installs_is_pinned():
    image = yaml.safe_load((ROOT / "examples/awx/execution-environment.yml").read_text())
    assert [one["src"] for one in image["additional_build_files"]] == ["requirements.lock"]
    assert any("--require-hashes" in one for one in image["additional_build_steps"]["append_base"])


def test_the_benchmark_takes_no_jar_but_the_recorded_ones(tmp_path, monkeypatch):
    monkeypatch.setenv("KAFKA_DR_CACHE", str(tmp_path))
    pyspark = pytest.importorskip("pyspark")
    place = tmp_path / f"spark-sql-kafka-{pyspark.__version__}"
    assert len([path for path in recorded() if path.startswith(f"{place.name}/")]) == 4
    place.mkdir(parents=True)
    (place / "commons-pool2-2.13.1.jar").write_bytes(b"somebody else's")
    for path in recorded():
        if path.startswith(f"{place.name}/") and not (tmp_path / path).exists():
            (tmp_path / path).write_bytes(b"")
    with pytest.raises(LabError, match=r"differ from artifacts\.sha256"):
        connector_jars()
