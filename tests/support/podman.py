# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for ``podman run`` as ansible-runner calls it: the job has the image's variables, then those of
``--env-file`` and ``-e``.

The image's variables are JSON in ``STAND_IN_IMAGE_ENV``. Nothing is mounted: paths below a volume's place in the
container are those of its source.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

ALONE = {"run", "--rm", "--tty", "--interactive", "--quiet"}


def split(words: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Options with their values, and what comes after the image's name."""
    options: dict[str, list[str]] = {}
    words = list(words)
    while words:
        word = words.pop(0)
        if word in ALONE:
            continue
        if not word.startswith("-"):
            return options, words
        name, equals, value = word.partition("=")
        options.setdefault(name, []).append(
            value if equals else words.pop(0) if word in ("-v", "-e", "--env-file", "--name", "--workdir") else ""
        )
    return options, []


def main() -> None:
    """Become the command that the container would run."""
    if sys.argv[1:] == ["--version"]:
        return
    options, command = split(sys.argv[1:])
    volumes = [one.split(":")[:2] for one in options.get("-v", [])]

    def here(text: str) -> str:
        for source, place in sorted(volumes, key=lambda one: -len(one[1])):
            text = text.replace(place.rstrip("/"), source.rstrip("/"))
        return text

    env = json.loads(os.environ["STAND_IN_IMAGE_ENV"])
    given = [
        line for path in options.get("--env-file", []) for line in Path(path).read_text().splitlines()
    ] + options.get("-e", [])
    env.update({name: here(value) for name, value in (one.split("=", 1) for one in given)})
    os.chdir(here(options["--workdir"][0]))
    os.execvpe(command[0], [here(one) for one in command], env)


if __name__ == "__main__":
    main()
