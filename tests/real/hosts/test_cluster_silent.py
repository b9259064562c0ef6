# SPDX-License-Identifier: GPL-3.0-or-later
"""A Kubernetes cluster that runs a mirror, and whose API server does not answer, ends no unplanned failover of regions
that are on hosts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.hosts.moved import ANYBODY, AWAY, THERE, of_role, played
from tests.real.hosts.told import Told
from tests.support.api_servers import saying
from tests.support.kafka import free_ports

from .test_half_dead import SHOW, STOP, TRY
from .test_left_behind import caught_up, grant, left, may

pytestmark = pytest.mark.real
CLUSTER = "the Kubernetes cluster"


@pytest.fixture
def regions(tmp_path: Path) -> Iterator[Told]:
    """The mirror to eu is a Deployment behind an API server that is gone."""
    made = Told(tmp_path, ("na", "eu"), [THERE])
    place = {"host": f"https://127.0.0.1:{free_ports(1)[0]}", "api_key": "x", "namespace": "mirrors", "image": "lab"}
    made.hosts["eu"].update({"kafka_dr_mirror_platform": "deployment", "kafka_dr_mirror_deployment": place})
    yield made
    made.down()


def test_its_mirror_is_shut_out_and_named(regions):
    grant(regions, "WRITE")
    facts = {"name": "Know", "ansible.builtin.set_fact": {**STOP, "mirror_accept_silent": True}}
    said = regions.play([facts, TRY, SHOW], **AWAY)
    assert "REFUSED" not in said and f"NOT REACHED, and left for a later run of this stage: {CLUSTER} (" in said, said
    assert "of mirror there loses its rights in eu." in said, said
    assert CLUSTER in said.split("LEFT")[1] and may(regions, "WRITE") == [], said


@pytest.mark.full
def test_one_that_answers_and_lets_nobody_in_is_treated_alike(regions):
    grant(regions, "WRITE")
    show = of_role("mirror", "show_lasting.yml")
    facts = {"name": "Know", "ansible.builtin.set_fact": {**STOP, "mirror_accept_silent": True}}
    refusal = b'{"kind": "Status", "reason": "Unauthorized", "message": "Unauthorized", "code": 401}'
    with saying(401, refusal) as host:
        regions.hosts["eu"]["kafka_dr_mirror_deployment"]["host"] = host
        said = regions.play([facts, show, TRY, SHOW], **AWAY)
        assert "REFUSED" not in said and f"{CLUSTER} (" in said and CLUSTER in said.split("LEFT")[1], said
        assert may(regions, "WRITE") == []
        # No gate is in its way either.
        left(regions, mirror={CLUSTER: "no answer"})
        said, found = caught_up(regions)
    assert set(found["unreached"]["mirror"]) == {CLUSTER}, said


@pytest.mark.full
def test_a_failover_that_catches_up_leaves_it_again_and_gives_it_up_once_it_is_none_of_the_inventory(regions):
    left(regions, mirror={CLUSTER: "no answer"})
    said, found = caught_up(regions)
    assert set(found["unreached"]["mirror"]) == {CLUSTER} and f"NOT REACHED: {CLUSTER}. Once they answer" in said, said
    del regions.hosts["eu"]["kafka_dr_mirror_platform"]
    said, found = caught_up(regions)
    assert found["unreached"]["mirror"] == {} and found["given_up"]["mirror"] == [CLUSTER], said


@pytest.mark.full
def test_a_planned_move_is_refused_before_anything_is_changed(regions):
    regions.mirrored("na", "eu")
    grant(regions, "WRITE")
    given = {"failover_planned": True, "failover_accept_unfenced": ANYBODY, **AWAY}
    done = played(regions.directory, regions.hosts, regions.mirrors, "streamsafe.kafka_dr.failover", given)
    said = " ".join((done.stdout + done.stderr).split())
    assert (
        done.returncode != 0 and "expected all to answer, found no answer from the API server of mirror there (" in said
    )
    assert may(regions, "WRITE") != [] and not regions.known("eu")["open"]
