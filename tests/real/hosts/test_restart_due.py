# SPDX-License-Identifier: GPL-3.0-or-later
"""A program whose settings were written and that was not started again is started again by the next run, whatever cut
the first one off.
"""

from __future__ import annotations

import shutil
import threading
import time

import pytest

from .test_machines import until_state
from .test_restore_machines import restored, resumed  # noqa: F401  # pylint: disable=unused-import

pytestmark = [pytest.mark.real, pytest.mark.skipif(shutil.which("ssh") is None, reason="no ssh here")]


@pytest.fixture
def pointed(restored):  # noqa: F811
    """A program on a machine that answers again; it tells which region it was started with."""
    machine = restored.machines["dead"]
    env, regions = machine.files / "env", machine.files / "regions"
    env.write_text("KAFKA_REGION=eu\n")
    (machine.keeper.programs / "on-dead.conf").write_text(
        f"[program:on-dead]\ncommand=/bin/sh -c '. {env}; echo $KAFKA_REGION >> {regions}; exec sleep 600'\n"
        "autostart=true\nredirect_stderr=true\n"
    )
    machine.start()
    until_state(machine, "on-dead", "RUNNING")
    return lambda: regions.read_text().split()


@pytest.mark.full
def test_a_machine_that_hangs_between_writing_and_restart(restored, pointed):  # noqa: F811
    machine = restored.machines["dead"]

    def hang():
        end = time.monotonic() + 120
        while "na" not in (machine.files / "env").read_text() and time.monotonic() < end:
            time.sleep(0.005)
        machine.hang()

    thread = threading.Thread(target=hang)
    thread.start()
    said = resumed(restored)
    thread.join()
    machine.go_on()
    assert "NOT REACHED: application on-dead" in said, said
    assert "NOT REACHED" not in resumed(restored)
    assert pointed()[-1] == "na"
    assert not list(machine.files.glob("*.restart-due"))
    times = len(pointed())
    resumed(restored)
    assert len(pointed()) == times, "it was started again for nothing"


@pytest.mark.full
def test_a_supervisord_that_does_not_answer(restored, pointed):  # noqa: F811
    services = restored.hosts["dead"]["kafka_dr_services"]
    right, services["socket"] = services["socket"], "/nowhere/socket"
    with pytest.raises(AssertionError):
        resumed(restored)
    services["socket"] = right
    resumed(restored)
    assert pointed()[-1] == "na"
