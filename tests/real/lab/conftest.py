# SPDX-License-Identifier: GPL-3.0-or-later
"""One lab for all tests of this directory; they run in the order of the stages."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kafka_dr_lab.lab import Lab
from tests.real.lab.playing import Playground


@pytest.fixture(scope="session")
def ground(tmp_path_factory):
    """A lab whose regions are up and empty; KAFKA_DR_TEST_LAB names one that already runs, and is left running."""
    running = os.environ.get("KAFKA_DR_TEST_LAB")
    directory = Path(running) if running else tmp_path_factory.mktemp("lab")
    try:
        yield Playground(directory)
    finally:
        if not running:
            Lab(directory).down()


@pytest.fixture(scope="session")
def set_up(ground):
    """The result of the first real run of initial_setup, with everything it says, and what was seen in process lists
    meanwhile.
    """
    from tests.real.lab.watching import Arguments

    with Arguments(ground.every_secret()) as seen:
        done = ground.stage("initial_setup", None, "-vvv")
    done.seen_in_arguments = seen.found
    return done
