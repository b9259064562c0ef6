# SPDX-License-Identifier: GPL-3.0-or-later
"""The bill of materials that ``make release`` writes beside the tarball."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
JUDGES = ROOT / "tests" / "judges"
SHA256 = re.compile(r"[0-9a-f]{64}")


@pytest.fixture(scope="module")
def release():
    sys.path.append(str(JUDGES))
    import release

    yield release
    sys.path.remove(str(JUDGES))


def test_what_is_checked_when_it_is_fetched_is_named_with_what_it_is_checked_by(release):
    found = release.components()
    assert {kind for kind, dummy, dummy in found} == {"pypi", "maven", "golang"}
    bare = {one for one, entry in found.items() if not entry["hashes"] and one[0] != "golang"}
    assert not bare, "fetched without a digest"
    assert all(SHA256.fullmatch(one) for entry in found.values() for one in entry["hashes"])
    uses = {use for entry in found.values() for use in entry["uses"]}
    assert {"lab", "test", "execution environment", "lab on Kubernetes"} <= uses


@pytest.mark.slow
def test_the_bill_names_the_tarball_and_every_component(release, tmp_path):
    tarball, bill = tmp_path / "streamsafe-kafka_dr-0.1.0.tar.gz", tmp_path / "bill.json"
    tarball.write_bytes(b"a tarball")
    try:
        tools = release.environment("release", JUDGES / "requirements-release.txt")
    except SystemExit as error:
        pytest.skip(str(error))
    command = [str(tools / "python"), str(JUDGES / "release.py"), str(tarball), str(bill), "0.1.0"]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(JUDGES)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    made = json.loads(bill.read_text())
    assert (made["bomFormat"], made["specVersion"]) == ("CycloneDX", "1.6")
    about = made["metadata"]["component"]
    assert (about["name"], about["version"]) == ("streamsafe.kafka_dr", "0.1.0")
    assert about["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(b"a tarball").hexdigest()}]
    known = {f"{kind}:{name}@{version}": entry for (kind, name, version), entry in release.components().items()}
    assert {one["bom-ref"] for one in made["components"]} == set(known)
    for one in made["components"]:
        accepted = {each["value"] for each in one["properties"] if each["name"].endswith(":accepted-sha256")}
        assert accepted == set(known[one["bom-ref"]]["hashes"]), one["bom-ref"]
        assert one.get("purl", "").startswith("pkg:") or one["bom-ref"].startswith("maven:")
