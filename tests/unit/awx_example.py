# SPDX-License-Identifier: GPL-3.0-or-later
"""The example for a controller, ``examples/awx``, as the tests read it."""

from __future__ import annotations

from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


AWX = ROOT / "examples" / "awx"


class Loader(yaml.SafeLoader):
    """YAML as Ansible writes it."""


Loader.add_constructor("!unsafe", lambda loader, node: loader.construct_scalar(node))

VARS = {
    name: value
    for file in ("vars.yml", "templates.yml")
    for name, value in yaml.load((AWX / "controller" / file).read_text(), Loader).items()
}


TASKS = yaml.load((AWX / "controller" / "configure.yml").read_text(), Loader)[0]["tasks"]
