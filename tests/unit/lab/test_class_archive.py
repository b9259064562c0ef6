# SPDX-License-Identifier: GPL-3.0-or-later
"""Which archive of Kafka's classes the lab takes."""

from __future__ import annotations

import pytest

from kafka_dr_lab import class_archive


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache with one jar and a Java of its own, whose archive is there."""
    monkeypatch.setenv("KAFKA_DR_CACHE", str(tmp_path))
    java = tmp_path / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch(mode=0o755)
    (tmp_path / "jdk" / "lib").mkdir()
    (tmp_path / "jdk" / "lib" / "modules").write_text("17")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    jars = tmp_path / f"kafka-{class_archive.KAFKA_VERSION}" / "libs"
    jars.mkdir(parents=True)
    (jars / "kafka.jar").write_text("4.3")
    class_archive.kafka().place().touch()
    return tmp_path, jars


def test_the_archive_of_this_java_and_these_jars_is_named(cache):
    directory, _jars = cache
    (archive,) = directory.glob("*.jsa")
    assert class_archive.options() == [f"-XX:SharedArchiveFile={archive}"]


@pytest.mark.parametrize("change", ["another jar", "another version of a jar", "another java"])
def test_an_archive_of_something_else_is_not_named(cache, change):
    directory, jars = cache
    if change == "another jar":
        (jars / "more.jar").touch()
    elif change == "another version of a jar":
        (jars / "kafka.jar").write_text("4.3.1")
    else:
        (directory / "jdk" / "lib" / "modules").write_text("17.0.15")
    assert class_archive.options() == []


def test_without_java_none_is_named(cache, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", "/nonexistent")
    assert class_archive.options() == []


def test_an_archive_whose_path_would_be_split_is_not_named(cache, monkeypatch):
    monkeypatch.setattr(class_archive, "cache_dir", lambda: cache[0] / "my cache")
    archive = class_archive.kafka().place()
    archive.parent.mkdir()
    archive.touch()
    assert class_archive.options() == []


def test_spark_is_told_of_its_own(cache):
    assert class_archive.environment() == {}
    archive = class_archive.spark().place()
    archive.touch()
    assert class_archive.environment() == {"SPARK_SUBMIT_OPTS": f"-XX:SharedArchiveFile={archive}"}
