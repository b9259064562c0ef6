# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the collection's tarball and its bill of materials (CycloneDX 1.6) into ``build/release``.

The bill names the tarball with its SHA-256, and each package, jar and Go module that the lock files pin, with the
hashes that are checked when it is fetched. It is validated against the format's own schema before it is written.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from places import BIN, JUDGES, ROOT, copied, environment, run

PLACE = ROOT / "build" / "release"
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==(\S+)")
JAR = re.compile(r"^(?P<name>.+?)-(?P<version>\d[\w.+-]*)\.jar$")


def components() -> dict[tuple[str, str, str], dict]:
    """Hashes and uses by type (``pypi``, ``maven``, ``golang``), name and version."""
    found: dict[tuple[str, str, str], dict] = {}

    def add(kind: str, name: str, version: str, use: str, hashes: list[str]) -> None:
        entry = found.setdefault((kind, name, version), {"uses": [], "hashes": []})
        entry["uses"].append(use)
        entry["hashes"] = sorted({*entry["hashes"], *hashes})

    for use, path in {
        "lab": "requirements-lab.lock",
        "test": "requirements-test.lock",
        "build": "requirements-build.lock",
        "stand-in for an object store": "tests/judges/requirements-object-store.lock",
        "execution environment": "examples/awx/requirements.lock",
    }.items():
        for entry in re.split(r"\n(?=\S)", (ROOT / path).read_text()):
            pin = PIN.match(entry)
            if pin:
                add("pypi", pin[1], pin[2], use, re.findall(r"--hash=sha256:([0-9a-f]{64})", entry))
    for line in (ROOT / "lab" / "artifacts.sha256").read_text().splitlines():
        digest, dummy, path = line.partition("  ")
        jar = JAR.match(Path(path).name)
        if jar and not line.startswith("#"):
            add("maven", jar["name"], jar["version"], "lab", [digest])
    for name, version in re.findall(r"^\t(\S+) (v\S+)$", (ROOT / "lab" / "go" / "go.mod").read_text(), re.M):
        add("golang", name, version, "lab on Kubernetes", [])
    return found


def bill(tarball: Path, version: str) -> str:
    """The bill of materials as validated JSON."""
    from cyclonedx.model import HashAlgorithm, HashType, Property
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.output.json import JsonV1Dot6
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator
    from packageurl import PackageURL

    document = Bom()
    digest = hashlib.sha256(tarball.read_bytes()).hexdigest()
    document.metadata.component = Component(
        name="streamsafe.kafka_dr",
        version=version,
        type=ComponentType.APPLICATION,
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
    )
    for (kind, name, number), entry in sorted(components().items()):
        namespace, dummy, last = name.rpartition("/")
        component = Component(
            name=name,
            version=number,
            type=ComponentType.LIBRARY,
            bom_ref=f"{kind}:{name}@{number}",
            # The name of a jar does not tell its group, without which there is no package URL.
            purl=None if kind == "maven" else PackageURL(kind, namespace or None, last, number),
            properties=[
                Property(name="streamsafe.kafka_dr:use", value=", ".join(entry["uses"])),
                *(Property(name="streamsafe.kafka_dr:accepted-sha256", value=one) for one in entry["hashes"]),
            ],
        )
        document.components.add(component)
        document.register_dependency(document.metadata.component, [component])
    text = JsonV1Dot6(document).output_as_string(indent=1)
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if wrong:
        raise SystemExit(f"The bill of materials is not valid: {wrong}")
    return text


def main(words: list[str]) -> int:
    if words:
        Path(words[1]).write_text(bill(Path(words[0]), words[2]))
        return 0
    tools = environment("release", JUDGES / "requirements-release.txt")
    shutil.rmtree(PLACE, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="kdr-") as place:
        if run(BIN / "ansible-galaxy", "collection", "build", copied(Path(place)), "--output-path", PLACE):
            return 1
    tarball = next(PLACE.glob("streamsafe-kafka_dr-*.tar.gz"))
    version = tarball.name.removeprefix("streamsafe-kafka_dr-").removesuffix(".tar.gz")
    beside = tarball.with_name(tarball.name.removesuffix(".tar.gz") + ".cdx.json")
    done = subprocess.run(
        [str(tools / "python"), __file__, str(tarball), str(beside), version],
        check=False,
        env={**os.environ, "PYTHONPATH": str(JUDGES)},
    )
    if done.returncode == 0:
        print(f"{tarball.relative_to(ROOT)} and {beside.relative_to(ROOT)}: {len(components())} components")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
