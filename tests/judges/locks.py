# SPDX-License-Identifier: GPL-3.0-or-later
"""Show that the lock files fit the requirements they are made from; ``--write`` resolves anew and writes them.

``requirements-build.lock`` is what packages are built with, ``requirements-lab.lock`` what the lab needs,
``requirements-test.lock`` what tests need beside it, ``examples/awx/requirements.lock`` what the example's image has,
and ``tests/judges/requirements-object-store.lock`` what stands in for an object store.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from places import JUDGES, ROOT, environment

HEAD = '# SPDX-License-Identifier: GPL-3.0-or-later\n# Written by "make locks" from {}.\n'
PYTHON = "3.11"
IMAGE = ROOT / "examples" / "awx" / "requirements.lock"
STORE = JUDGES / "requirements-object-store.lock"


def resolved(uv: Path, sources: list[Path], pins: Path | None) -> list[str]:
    """Entries of all packages: each the pin, its marker, and its hashes.

    :param pins: versions that are kept where the requirements still allow them.
    :raises SystemExit: nothing fits.
    """
    command = [
        uv,
        "pip",
        "compile",
        "--quiet",
        "--universal",
        "--python-version",
        PYTHON,
        "--no-header",
        "--no-annotate",
        "--generate-hashes",
        *sources,
    ]
    command += ["--constraint", pins] if pins else []
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(
            f"{', '.join(path.name for path in sources)} cannot be resolved"
            f"{' with the locked versions' if pins else ''}: {done.stderr.strip()}\nRun: make locks"
        )
    return re.split(r"\n(?=[^\s#])", done.stdout.strip())


def package(entry: str) -> str:
    """Name of the package that an entry pins."""
    return re.split(r"[=\[ ]", entry, maxsplit=1)[0]


def pins_of(texts_with_pins: list[str], file: Path) -> Path | None:
    """The versions in these entries as a file of constraints without hashes, or None where there are none."""
    lines = re.findall(r"^[A-Za-z0-9._\[\]-]+==[^\\\n]+", "\n".join(texts_with_pins), re.M)
    file.write_text("\n".join(line.strip() for line in lines) + "\n")
    return file if lines else None


def texts(uv: Path, anew: bool) -> dict[Path, str]:
    """The content that each lock file has to have.

    :param anew: whether to take the newest versions instead of the locked ones.
    """
    build, lab, test = (ROOT / f"requirements-{name}.lock" for name in ("build", "lab", "test"))
    image_sources = [ROOT / "meta" / "ee-requirements.txt", ROOT / "examples" / "awx" / "requirements.txt"]
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)

        def kept(*locks: Path) -> Path | None:
            return None if anew else pins_of([lock.read_text() for lock in locks if lock.exists()], place / "kept.txt")

        everything = resolved(uv, [ROOT / "requirements-test.txt"], kept(lab, test))
        shared = pins_of(everything, place / "shared.txt")
        needed = {package(entry) for entry in resolved(uv, [ROOT / "requirements-lab.txt"], shared)}
        found = {
            build: resolved(uv, [ROOT / "requirements-build.txt"], kept(build)),
            lab: [entry for entry in everything if package(entry) in needed],
            test: ["-r requirements-lab.lock", *(entry for entry in everything if package(entry) not in needed)],
            IMAGE: resolved(uv, image_sources, kept(IMAGE)),
            STORE: resolved(uv, [STORE.with_suffix(".txt")], kept(STORE)),
        }
    sources = {path: path.with_suffix(".txt").name for path in (build, lab, test, STORE)} | {
        IMAGE: "requirements.txt and meta/ee-requirements.txt"
    }
    return {path: HEAD.format(sources[path]) + "\n".join(entries) + "\n" for path, entries in found.items()}


def main(words: list[str]) -> int:
    uv = environment("locks", JUDGES / "requirements-locks.txt") / "uv"
    write = words == ["--write"]
    code = 0
    for path, text in texts(uv, anew=write).items():
        if write:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            print(f"{path.relative_to(ROOT)} does not fit the requirements any more; run: make locks")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
